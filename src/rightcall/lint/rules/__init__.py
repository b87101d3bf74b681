"""The lint rules: one function per rule, in a file named after its family and its subject.

    TD0  structure    the definition is not what JSON Schema or a provider can read
    TD1  naming       names of tools and parameters
    TD2  description  descriptions of tools
    TD3  parameters   parameters
    TD4  safety       side effects and how they are guarded
    TD5  ambiguity    tools that a model confuses
    TD6  budget       tokens and number of tools
    TD7  portability  portability between providers
    TD8  security     poisoned definitions
    TD9  results      results
    SK1  skills       folders with a `SKILL.md`; examples are their files, `null` means that one is missing

To add a rule, write a function with `@tool_rule` or `@set_rule`, in one of the files or in a new one; nothing else
changes. It is named after the fault, and its code starts with the number of its family. Its docstring has the summary, the
explanation, an example that fails and the same fixed. The catalogue, `rightcall rule`, the pages of the
documentation and the tests (the bad example gives exactly this code, the good one none) take it from there. A rule that
is about some definitions only (those with a `$ref`, those that delete) says so with `needs`, and is asked about no other.
"""
