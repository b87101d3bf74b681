"""Points of the JSON Schema drafts where validators differ, as the official test suite settles them."""

from __future__ import annotations

from typing import Any

import pytest

from rightcall.tools.validate import fits

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
LATEST = "https://json-schema.org/draft/2020-12/schema"

CASES: list[tuple[str, dict[str, Any], Any, bool]] = [
    # numbers and equality
    (LATEST, {"type": "integer"}, 1.0, True),
    (DRAFT_4, {"type": "integer"}, 1.0, False),
    (LATEST, {"type": "integer"}, True, False),
    (LATEST, {"const": 1}, 1.0, True),
    (LATEST, {"const": False}, 0, False),
    (LATEST, {"enum": [[True]]}, [1], False),
    (LATEST, {"uniqueItems": True}, [1, True], True),
    (LATEST, {"uniqueItems": True}, [1, 1.0], False),
    (LATEST, {"multipleOf": 0.0001}, 0.0075, True),
    (LATEST, {"maximum": 3, "exclusiveMaximum": 3}, 3, False),
    (DRAFT_4, {"maximum": 3, "exclusiveMaximum": True}, 3, False),
    # length is counted in characters, not in bytes or UTF-16 units
    (LATEST, {"maxLength": 2}, "\U0001f4a9\U0001f4a9", True),
    # required and properties say nothing of other types
    (LATEST, {"required": ["a"], "properties": {"a": {"type": "string"}}}, 12, True),
    (LATEST, {"properties": {"__proto__": {"type": "number"}}}, {"__proto__": "x"}, False),
    # patterns are not anchored, and \d is ASCII
    (LATEST, {"pattern": "a+"}, "xxaayy", True),
    (LATEST, {"pattern": r"^\d$"}, "\u07c0", False),
    (LATEST, {"pattern": "^a$"}, "a\n", False),
    # references
    (DRAFT_7, {"definitions": {"s": {"type": "string"}},
               "properties": {"a": {"$ref": "#/definitions/s", "maxLength": 1}}}, {"a": "long"}, True),
    (DRAFT_2019, {"$defs": {"s": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/s", "maxLength": 1}}},
     {"a": "long"}, False),
    (LATEST, {"$defs": {"s": {"$anchor": "here", "type": "string"}}, "$ref": "#here"}, 3, False),
    (LATEST, {"$defs": {"a/b": {"type": "integer"}}, "$ref": "#/$defs/a~1b"}, "x", False),
    (LATEST, {"$ref": "https://json-schema.org/draft/2020-12/schema"}, {"minLength": -1}, False),
    # arrays
    (LATEST, {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, [1, "a"], True),
    (LATEST, {"prefixItems": [{"type": "integer"}], "items": False}, [1, "a"], False),
    (DRAFT_7, {"items": [{"type": "integer"}], "additionalItems": False}, [1, "a"], False),
    (DRAFT_6, {"contains": {"const": 5}}, [3, 4], False),
    (LATEST, {"contains": {"const": 5}, "minContains": 0}, [], True),
    (LATEST, {"contains": {"const": 1}, "maxContains": 1}, [1, 1], False),
    # combinations
    (DRAFT_7, {"if": {"minimum": 10}, "then": {"multipleOf": 2}, "else": {"const": 3}}, 11, False),
    (DRAFT_6, {"if": {"minimum": 10}, "then": False}, 11, True),
    (LATEST, {"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 3, False),
    (LATEST, {"dependentRequired": {"a": ["b"]}}, {"a": 1}, False),
    (DRAFT_7, {"dependencies": {"a": ["b"]}}, {"a": 1}, False),
    (LATEST, {"propertyNames": {"maxLength": 3}}, {"long_name": 1}, False),
    (LATEST, {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, {"a": 1}, True),
    (LATEST, {"allOf": [{"properties": {"a": {}}}], "additionalProperties": False}, {"a": 1}, False),
    (LATEST, {"prefixItems": [True], "unevaluatedItems": False}, [1, 2], False),
    (LATEST, {"not": {}}, 1, False),
    # formats are asserted, unknown ones are not
    (LATEST, {"format": "date"}, "2026-02-29", False),
    (LATEST, {"format": "date"}, 7, True),
    (LATEST, {"format": "ipv4"}, "256.1.1.1", False),
    (LATEST, {"format": "no-such-format"}, "x", True),
]  # fmt: skip


@pytest.mark.parametrize(("draft", "schema", "value", "valid"), CASES)
def test_each_draft_is_kept_as_the_official_suite_has_it(draft, schema, value, valid):
    assert fits({"$schema": draft, **schema}, value, "here") is valid
