"""A tool's schema as one provider wants it, changing only what that provider needs, and what was lost.

convert           `convert(tool, target)`: the schema and the losses
openai_strict     every property required, null for what was optional, no forbidden keyword
anthropic_strict  the subset its SDK keeps; the rest moves into the descriptions
gemini            the fields of Gemini's Schema type
null_union        "or null" added to a schema and taken away from it
rewrite           a schema changed from the inside out
"""
