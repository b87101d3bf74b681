"""The calls to record: of a file, of another recording, or those that goldens expect."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from rightcall.core.codec import decode
from rightcall.core.errors import InputError
from rightcall.files.checked_read import require_file
from rightcall.recording.mcp.session_file import FORMAT, read_session


class CallToRecord(NamedTuple):
    """A call to make."""

    name: str
    arguments: dict[str, Any]


def read_calls(path: Path) -> list[CallToRecord]:
    """The calls of a file: one `{"name": …, "arguments": {…}}` per line, or a recording."""
    path = require_file(path)
    lines = [(number, line) for number, line in enumerate(path.read_bytes().splitlines(), 1) if line.strip()]
    if lines and FORMAT.encode() in lines[0][1]:
        return [CallToRecord(call.name, call.arguments) for call in read_session(path).calls]
    calls = []
    for number, line in lines:
        where = f"{path}:{number}"
        call = decode(line, dict[str, Any], where)
        name, arguments = call.get("name"), call.get("arguments", {})
        if (
            not isinstance(name, str)
            or not isinstance(arguments, dict)
            or call.keys() - {"name", "arguments"}
        ):
            raise InputError(where, 'a call is {"name": …, "arguments": {…}}')
        calls.append(CallToRecord(name, arguments))
    if not calls:
        raise InputError(str(path), "has no calls", 'write one {"name": …, "arguments": {…}} per line')
    return calls


def expected_calls(path: Path) -> tuple[list[CallToRecord], int]:
    """The calls that goldens expect, each once, and how many state no arguments that could be sent."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.model.golden import Golden
    from rightcall.run.rehearsal.expected_value import LEFT_OUT, NoValue, value_accepted_by

    def result_of(call: str, path: str) -> Any:
        raise NoValue("it depends on a result")

    calls: list[CallToRecord] = []
    unstated = 0
    for golden in load_goldens(path):
        for expected in golden.expected_calls if isinstance(golden, Golden) else ():
            if isinstance(expected.tool, dict):
                unstated += 1
                continue
            try:
                stated = (expected.args or {}).items()
                values = {name: value_accepted_by(spec, result_of) for name, spec in stated}
            except NoValue:
                unstated += 1
                continue
            arguments = {name: value for name, value in values.items() if value is not LEFT_OUT}
            name = expected.tool if isinstance(expected.tool, str) else expected.tool[0]
            call = CallToRecord(name, arguments)
            if call not in calls:
                calls.append(call)
    return calls, unstated
