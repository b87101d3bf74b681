"""A tool's schema as one provider wants it, changing only what that provider needs, and what was lost.

convert           `convert_all(tools, target)`: definitions, losses, and what will be refused
request           definitions as a request of the provider has them
tidy              older and foreign words in those of JSON Schema 2020-12
expand            references, `allOf` and variants written out; `join` makes one schema of two
variants          the variants of a root merged into one object
openai_strict     every property required, null for what was optional, a type everywhere
anthropic_strict  the subset its SDK keeps; the rest moves into the descriptions
gemini            the fields of Gemini's Schema type
verdict           what the linter still calls an error afterwards
closing, typed, null_union, naming, fields   steps that these share
references        where a `$ref` leads
rewrite           a schema changed from the inside out, losses noted
"""
