"""Goldens from lines `request => tool`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rightcall import ExpectedCall, Golden


def import_arrows(path: Path) -> Iterator[Golden]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        request, _, tool = line.partition("=>")
        yield Golden(request.strip(), id=f"line-{number}", expected_calls=(ExpectedCall(tool.strip()),))
