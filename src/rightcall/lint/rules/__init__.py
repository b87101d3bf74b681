"""The lint rules: one folder per family, one function per rule, in the file of its subject.

To add a rule, write a function with `@tool_rule` or `@set_rule`, here or in a new file; nothing else changes. It
is named after the fault, and its code starts with the number of its family. Its docstring has the summary, the
explanation, an example that fails and the same fixed. The catalogue, `rightcall rule`, the pages of the
documentation and the tests (the bad example gives exactly this code, the good one none) take it from there. A rule that
is about some definitions only (those with a `$ref`, those that delete) says so with `needs`, and is asked about no other.
"""
