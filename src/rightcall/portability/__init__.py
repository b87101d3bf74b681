"""A tool's schema converted for one provider, changing only what is needed, with a list of losses.

convert           `converted(tools, target)`: definitions and losses; `request`: what is sent
definition        a tool definition as written
provider_limits   limits and keywords of each provider, from one dated file
tidy              older and foreign keywords translated to JSON Schema 2020-12
expand            references, `allOf` and variants written out
join              one schema of two, and the variants of a root as one object
strict            OpenAI: every property required, null for what was optional, a type everywhere;
                  Anthropic: the subset its SDK keeps, the rest moves into the descriptions
gemini            the fields of Gemini's Schema type
types, fields     steps that these share
rewrite           a schema transformed bottom-up, with losses recorded
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.portability.convert import (
        Converted as Converted,
        converted as converted,
        request as request,
    )
    from rightcall.portability.definition import (
        Definition as Definition,
        Spelling as Spelling,
        spelled_hints as spelled_hints,
    )
    from rightcall.portability.provider_limits import check_target as check_target, provider as provider
    from rightcall.portability.rewrite import Loss as Loss
    from rightcall.portability.strict import (
        moved_to_text as moved_to_text,
        unsupported as unsupported,
    )
    from rightcall.portability.types import (
        JSON_TYPES as JSON_TYPES,
        json_type as json_type,
        with_null as with_null,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "convert": "Converted converted request",
            "definition": "Definition Spelling spelled_hints",
            "provider_limits": "check_target provider",
            "rewrite": "Loss",
            "strict": "moved_to_text unsupported",
            "types": "JSON_TYPES json_type with_null",
        },
    )
