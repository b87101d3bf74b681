"""The lint rules: one folder per family, one file per rule.

To add a rule, add a file named after it that defines `RULE`; nothing else changes. Its code starts with
the number of its family. The catalogue, `rightcall rule`, the pages of the documentation and the tests
(the bad example gives exactly this code, the good one none) take it from there.
"""
