"""A tool's schema converted for one provider, changing only what is needed, with a list of losses.

convert           `converted(tools, target)`: definitions and losses; `lint.conversion` adds what will be rejected
definition        a tool definition as written
provider_limits   limits and keywords of each provider, from one dated file
request           definitions in the format of a provider's request
tidy              older and foreign keywords translated to JSON Schema 2020-12
expand            references, `allOf` and variants expanded; `join` merges two schemas
variants          the variants of a root merged into one object
openai_strict     every property required, null for what was optional, a type everywhere
anthropic_strict  the subset its SDK keeps; the rest moves into the descriptions
gemini            the fields of Gemini's Schema type
closed_objects, types, null_union, distinct_names, fields, json_types   shared steps
references        `$ref` resolution
rewrite           a schema transformed bottom-up, with losses recorded
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.portability.anthropic_strict import (
        moved_to_text as moved_to_text,
        unsupported as unsupported,
    )
    from rightcall.portability.convert import Converted as Converted, converted as converted
    from rightcall.portability.definition import (
        Definition as Definition,
        Spelling as Spelling,
        spelled_hints as spelled_hints,
    )
    from rightcall.portability.json_types import JSON_TYPES as JSON_TYPES, json_type as json_type
    from rightcall.portability.null_union import with_null as with_null
    from rightcall.portability.provider_limits import check_target as check_target, provider as provider
    from rightcall.portability.request_form import request as request
    from rightcall.portability.rewrite import Loss as Loss
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "anthropic_strict": "moved_to_text unsupported",
            "convert": "Converted converted",
            "definition": "Definition Spelling spelled_hints",
            "json_types": "JSON_TYPES json_type",
            "null_union": "with_null",
            "provider_limits": "check_target provider",
            "request_form": "request",
            "rewrite": "Loss",
        },
    )
