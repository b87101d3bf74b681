"""What visitors send: URLs of pages, built and parsed in one place, and the fields of forms."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request

from rightcall.core.errors import InputError

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def segment(name: str) -> str:
    """A name as one part of a path. Names that are not safe there are written as `~` and base64."""
    if _PLAIN.fullmatch(name):
        return name
    return "~" + base64.urlsafe_b64encode(name.encode(errors="replace")).decode().rstrip("=")


def from_segment(part: str) -> str:
    """The name that `segment` encoded; anything else is treated as an unknown name."""
    if not part.startswith("~"):
        return part
    padded = part[1:] + "=" * (-len(part[1:]) % 4)
    try:
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        return part


def run_link(run_id: str, **query: object) -> str:
    return with_query(f"/runs/{segment(run_id)}", **query)


def case_link(run_id: str, golden_id: str, **query: object) -> str:
    """The page of a case; `trial` chooses one of several."""
    return with_query(f"/runs/{segment(run_id)}/case", id=golden_id, **query)


def with_query(path: str, **query: object) -> str:
    """The path with the non-empty parts of the query."""
    parameters = {name: str(value) for name, value in query.items() if value not in (None, "", ())}
    return f"{path}?{urlencode(parameters, errors='replace')}" if parameters else path


FIELDS = "rightcall.fields"
"""Where the guard keeps the fields of a request, whose body can be read only once."""


def form_fields(headers: Headers, body: bytes) -> dict[str, str]:
    """The fields of a posted form; the last one wins when a name is repeated."""
    if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return {}
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))
    except ValueError:
        return {}


def posted_fields(request: Request) -> dict[str, str]:
    """The fields of the posted form and the URL: names are in the URL, where every character is allowed."""
    return {**cast("dict[str, str]", request.scope[FIELDS]), **request.query_params}


@contextmanager
def bad_request() -> Iterator[None]:
    """Invalid input of a visitor is a bad request, not a missing page."""
    try:
        yield
    except InputError as error:
        raise HTTPException(400, str(error)) from None
