"""The command line as a user meets it: arguments in; stdout, stderr and the exit code out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rightcall.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def rightcall(capsys, monkeypatch, tmp_path) -> Callable[..., Done]:
    """Run `rightcall …` in a separate folder, through the program's own entry point."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*arguments: Any) -> Done:
        monkeypatch.setattr(sys, "argv", ["rightcall", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    return run


def write_lines(path: Path | str, *items: Any) -> Path:
    """A file of JSON lines."""
    path = Path(path)
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), "utf-8")
    return path


def asked(golden_id: str, city: str = "Hanoi", **more: Any) -> dict[str, Any]:
    """A golden that wants the weather of a city."""
    wanted = [{"tool": "get_weather", "args": {"city": city}}]
    return {"id": golden_id, "input": f"Weather in {city}?", "expected_calls": wanted, **more}


def did(golden_id: str, *cities: str, **more: Any) -> dict[str, Any]:
    """A trajectory that got the weather of cities."""
    calls = [{"name": "get_weather", "arguments": {"city": city}} for city in cities]
    return {"golden_id": golden_id, "calls": calls, **more}
