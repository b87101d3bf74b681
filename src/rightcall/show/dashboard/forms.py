"""What a visitor posts: the fields of a form, and the answer to invalid ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request

from rightcall.core.errors import InputError

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
    return cast("dict[str, str]", request.scope[FIELDS])


def author_of(fields: dict[str, str]) -> str:
    return fields.get("author", "").strip()[:100] or "dashboard"


@contextmanager
def bad_request() -> Iterator[None]:
    """Invalid input of a visitor is a bad request, not a missing page."""
    try:
        yield
    except InputError as error:
        raise HTTPException(400, str(error)) from None
