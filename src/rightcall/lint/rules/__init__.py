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

    ambiguity_pairs             pairs of tools that a model confuses
    ambiguity_texts             texts and parameters that do not distinguish two tools
    description_contradictions  text of a tool or parameter that contradicts its definition
    description_texts           what a description says
    naming_names                names of tools and of their parameters, alone and together
    parameters_descriptions     texts of parameters and of their values
    parameters_shape            how many parameters there are, how deep they lie, and which are required
    parameters_types            types that leave too much open
    parameters_values           lists, formats, units and limits of values
    portability_dialects        keywords and references that mean different things to different providers
    portability_providers       what one provider rejects or does not enforce
    safety_destruction          tools that destroy or overwrite something
    safety_effects              what a tool declares about its effects, and what a repetition does
    safety_powers               parameters that give a model too much power, or too little precision
    security_poisoned_text      text that steers the model, and text that a model sees and a reviewer does not
    security_secrets            definitions that ask for secrets, for the conversation or for what the user said
    security_trust              whose texts and definitions the tools of a set rely on
    skills_body                 what is loaded with a skill, and the files that it names
    skills_danger               files of a skill that destroy or steal, hide text from a reviewer
    skills_front_matter         what a skill is chosen by, alone and among other skills, and what it is allowed
    structure_schemas           schemas that are invalid or are no schema of arguments
    structure_values            values and bounds that contradict their schema; inline ignores
"""
