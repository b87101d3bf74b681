"""Matchers: value or MISSING → score in [0, 1]. One file for each family.

Each file ends with `KINDS`: the keys that goldens write, and how each becomes a matcher. To add one, add its class and a
line there, or a file; `compile.py` finds them.

    collections  matchers made of matchers: set, multiset, superset_of, subset_of, items, object, not, all
    references   the matcher that looks outside the value: ref
    text         matchers on text: text with things ignored, regex, contains, icontains, date
    values       matchers on whole values, and on numbers: number with tolerance, range
"""
