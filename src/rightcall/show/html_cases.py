"""Cases inside an HTML file: an index for the list, and transcripts in compressed pieces, opened on demand."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from rightcall.core.codec import encode
from rightcall.model.danger import NO_TOOLS
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.show.case_elements import case_drawing
from rightcall.show.view.case import case_view
from rightcall.show.view.columns import INDEX_COLUMNS

CASES_IN_PIECE = 50
BUDGET = 8 * 1024 * 1024
"""Maximum bytes of all pieces together, without the index and the page itself."""
HEAD_START = BUDGET // 8
SHORT = 300


class Embedding:
    """Takes cases one by one; returns pieces as they fill up, and the index at the end.

    In a piece larger than its share of the budget, texts are cut, so that any report stays small enough to mail and
    open.
    """

    def __init__(self, cases: int, tools: Mapping[str, Tool] = NO_TOOLS) -> None:
        self._tools = tools
        self._share = BUDGET / max(1, cases)
        self._index: list[list[Any]] = []
        self._waiting: list[Any] = []
        self._written = 0
        self.shortened = 0

    def add(self, golden: AnyGolden | None, result: CaseResult) -> Iterator[str]:
        """Add a case; returns the piece it completes, if any."""
        view = case_view(golden, result, self._tools)
        self._index.append([column(view) for column in INDEX_COLUMNS.values()])
        self._waiting.append(case_drawing(view))
        if len(self._waiting) == CASES_IN_PIECE:
            yield self._piece()

    def rest(self) -> Iterator[str]:
        """The last piece."""
        if self._waiting:
            yield self._piece()

    def index(self) -> str:
        """A short entry for every case, for the list."""
        return pack_json({"columns": list(INDEX_COLUMNS), "rows": self._index})

    def _piece(self) -> str:
        allowed = len(self._index) * self._share + HEAD_START - self._written
        piece = pack_json(self._waiting)
        if len(piece) > allowed:
            piece = pack_json([shorten_texts(case, SHORT) for case in self._waiting])
            self.shortened += len(self._waiting)
        self._waiting = []
        self._written += len(piece)
        return piece


def pack_json(value: Any) -> str:
    """JSON, deflated, in base64: no character of it means anything to HTML."""
    return base64.b64encode(zlib.compress(encode(value), 9)).decode()


def shorten_texts(value: Any, limit: int) -> Any:
    """The value with every long text cut."""
    if isinstance(value, str):
        return value if len(value) <= limit else f"{value[:limit]}… (cut to keep this file small)"
    if isinstance(value, dict):
        return {key: shorten_texts(item, limit) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shorten_texts(item, limit) for item in value]
    return value
