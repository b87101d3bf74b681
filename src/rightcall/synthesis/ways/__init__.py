"""The ways goldens come to be, one file each: from tools, contexts, other goldens, and from nothing but a description.

A way turns what it is given into jobs; `production` does them.
"""
