"""What must not be written: keys, tokens and passwords in text, found by one detector for every door.

key_formats        keys that are known by how they are built; whether a token reads like words
key_contexts       values that are secrets because of the header, field, flag or URL they stand in,
                   or because a sentence speaks of one
clean_text         text without secrets: declared ones in every spelling (JSON, URL, base64, broken
                   lines), others by format and context, as places in a text
"""
