"""JSON Schema: its cost, sample values, errors in words; and converted for one provider, with a list of losses.

convert           `convert_tools(tools, target)`: definitions and losses; `request`: what is sent
definition        a tool definition as written, its name and further fields as a target takes them
skill_definition  a folder with a `SKILL.md` as the definition of a tool
provider_limits   limits and keywords of each provider, from one dated file
tidy              older and foreign keywords translated to JSON Schema 2020-12
expand            references, `allOf` and variants written out
join              one schema of two, and the variants of a root as one object
strict            OpenAI: every property required, null for what was optional, a type everywhere;
                  Anthropic: the subset its SDK keeps, the rest moves into the descriptions
gemini            the fields of Gemini's Schema type
types             steps that these share
compatibility     what changed between two versions of a schema, and for whom
sample_values     a value that is valid; schema_errors: problems in words
subschemas        the one walker: which keywords contain schemas, what they apply to, and what `$ref` means
rewrite           a schema transformed bottom-up, with losses recorded
effects           what a tool does to the world, as far as it says; the verbs of names
roles/            what a tool is to an attacker: a source of his text, a sink that he wants called
"""
