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
explanation, an example that fails and the same fixed. The catalogue, `rightcall list rules`, the pages of the
documentation and the tests (the bad example gives exactly this code, the good one none) take it from there. A rule that
is about some definitions only (those with a `$ref`, those that delete) says so with `needs`, and is asked about no other.

    ambiguity               pairs of tools that a model confuses; texts and parameters that do not distinguish two
    description             what a description says, and what of it contradicts the definition
    naming                  names of tools and of their parameters, alone and together
    parameters_shape        how many there are, how deep, which are required; types that leave too much open
    parameters_values       lists, formats, units and limits of values; texts of parameters
    portability             what one provider rejects or does not enforce, and what means different things
    safety_destruction      tools that destroy or overwrite something
    safety_effects          effects, repetitions, and parameters that give a model too much power
    security_poisoned_text  text that steers the model, and text that a model sees and a reviewer does not
    security_secrets        definitions that ask for secrets, for the conversation or for what the user said
    security_trust          whose texts and definitions the tools of a set rely on
    skills_content          the body of a skill and its files: what they name, destroy, steal or hide
    skills_front_matter     what a skill is chosen by, alone and among other skills, and what it is allowed
    structure               schemas that are invalid, values and bounds that contradict them; inline ignores
"""
