"""JSON Schema: its cost, sample values, errors in words, and what each provider accepts.

skill_definition  a folder with a `SKILL.md` as the definition of a tool
provider_limits   limits and keywords of each provider, from one dated file
types             types of values and schemas, and the names that definitions use for them
compatibility     what changed between two versions of a schema, and for whom
sample_values     a value that is valid; schema_errors: problems in words
subschemas        the one walker: which keywords contain schemas, what they apply to, and what `$ref` means
effects           what a tool does to the world, as far as it says; the verbs of names
roles/            what a tool is to an attacker: a source of his text, a sink that he wants called
"""
