"""Matchers: value or MISSING → score in [0, 1]. One file per subject.

Each file ends with `KINDS`: the keys that goldens write, and how each becomes a matcher. To add one, add a file or a
line there; `compile.py` finds them.
"""
