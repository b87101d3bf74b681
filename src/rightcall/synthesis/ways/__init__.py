"""Generation methods, one file each: from tools, contexts, other goldens, or a description.

A method turns its input into jobs; `production` runs them.
"""
