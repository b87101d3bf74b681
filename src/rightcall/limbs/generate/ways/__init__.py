"""Generation methods: from tools, skills, other goldens, conversations; `text`: from contexts or a description.

A method turns its input into jobs; `production` runs them.
"""
