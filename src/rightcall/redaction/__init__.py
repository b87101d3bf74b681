"""What must not be written: keys, tokens and passwords in text, found by one detector for every door.

key_formats        keys that are known by how they are built
secret_names       names of fields, variables and headers whose values are secrets
key_contexts       values that are secrets because of the header, field, flag or URL they stand in
spoken_secrets     values that are secrets because a sentence speaks of one
word_likeness      does a token read like words, or is it random?
detector           both, as places in a text
secret_spellings   other spellings of a known secret: JSON, URL, base64, broken lines
clean_text         text without secrets: declared ones verbatim, others as the detector finds them
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.redaction.clean_text import (
        HIDDEN as HIDDEN,
        declared_secrets as declared_secrets,
        environment_secrets as environment_secrets,
        hide_variables as hide_variables,
        scrub as scrub,
        scrubber as scrubber,
    )
    from rightcall.redaction.detector import (
        SecretPlace as SecretPlace,
        replace_secrets as replace_secrets,
        secret_places as secret_places,
    )
    from rightcall.redaction.key_contexts import is_secret_field as is_secret_field
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "detector": "SecretPlace replace_secrets secret_places",
            "key_contexts": "is_secret_field",
            "clean_text": "HIDDEN declared_secrets environment_secrets hide_variables scrub scrubber",
        },
    )
