"""A tool's schema as one provider wants it, changing only what that provider needs, and what was lost.

convert           `converted(tools, target)`: definitions and losses; `lint.conversion` adds what will be refused
definition        a tool definition as someone wrote it
provider_limits   limits and keywords of each provider, from one dated file
request           definitions as a request of the provider has them
tidy              older and foreign words in those of JSON Schema 2020-12
expand            references, `allOf` and variants written out; `join` makes one schema of two
variants          the variants of a root merged into one object
openai_strict     every property required, null for what was optional, a type everywhere
anthropic_strict  the subset its SDK keeps; the rest moves into the descriptions
gemini            the fields of Gemini's Schema type
closed_objects, types, null_union, distinct_names, fields, json_types   steps that these share
references        where a `$ref` leads
rewrite           a schema changed from the inside out, losses noted
"""
