"""What the model reads when a call returns a stored result."""

from __future__ import annotations

from typing import Any

NOTE = "this was already done under the same key and was not repeated"


def as_replayed(output: Any) -> Any:
    """A stored output, marked as such, so that the model does not report the operation as done twice.

    An object gets `replayed: true`; a text gets a line; anything else is put into an object.
    """
    if isinstance(output, str):
        return f"{output}\n({NOTE})" if output else f"({NOTE})"
    if isinstance(output, dict):
        return {**output, "replayed": True}
    return {"result": output, "replayed": True}
