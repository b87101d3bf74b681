"""The official JSON Schema test suite, out of the source package of `jsonschema`, which carries it."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from rightcall.core.errors import InputError
from rightcall.tools.definitions.validate import fits
from tests.support.downloads import pinned_file

VERSION = "4.23.0"
SOURCE = f"jsonschema-{VERSION}.tar.gz"
SHA256 = "d71497fef26351a33265337fa77ffeb82423f3ea21283cd9467bb03999266bc4"
DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
ELSEWHERE = "http://localhost:1234/"
"""Where the suite expects a server with further documents, which are never fetched."""


class Case(NamedTuple):
    file: str
    name: str
    schema: Any
    value: Any
    valid: bool


def cases(draft: str) -> Iterator[Case]:
    """The mandatory cases of a draft, and those of the formats."""
    source = pinned_file(f"jsonschema=={VERSION}", SOURCE, SHA256, "--no-binary", "jsonschema")
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            _, _, file = member.name.partition(f"/json/tests/{draft}/")
            content = archive.extractfile(member) if file.endswith(".json") else None
            if content is None or (file.startswith("optional/") and not file.startswith("optional/format/")):
                continue
            for group in json.load(content):
                schema = group["schema"]
                if isinstance(schema, dict) and "$schema" not in schema:
                    schema = {"$schema": DRAFTS[draft], **schema}
                for test in group["tests"]:
                    name = f"{group['description']}: {test['description']}"
                    yield Case(file, name, schema, test["data"], test["valid"])


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_validator_agrees_with_the_official_suite(draft):
    asked = 0
    wrong = []
    for case in cases(draft):
        asked += 1
        try:
            agrees = fits(case.schema, case.value, "here") is case.valid
        except InputError as error:
            agrees = ELSEWHERE in str(error)
        # Formats are asserted here, which the newest draft leaves to its user.
        if not agrees and not (draft == "draft2020-12" and case.file == "format.json" and case.valid):
            wrong.append((case.file, case.name))
    assert wrong == []
    assert asked > 600


def test_what_is_elsewhere_is_refused_and_nothing_else():
    refused = set()
    for draft in DRAFTS:
        for case in cases(draft):
            try:
                fits(case.schema, case.value, "here")
            except InputError:
                refused.add(case.file)
    assert refused == {"refRemote.json", "dynamicRef.json", "vocabulary.json"}
