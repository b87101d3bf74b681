"""Matchers: value or MISSING → score in [0, 1]. One file for each family.

Each file ends with `KINDS`: the keys that goldens write, and how each becomes a matcher. To add one, add its class and a
line there, or a file; `compile.py` finds them.
"""
