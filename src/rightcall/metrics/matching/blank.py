"""Empty argument strings, which some servers send for tools without arguments."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


def blank_read(trajectory: Trajectory, tools: Mapping[str, Tool]) -> Trajectory:
    """The trajectory with `{}` for empty text, but for tools that are known to require something."""
    if all(call.arguments is not None for call in trajectory.calls):
        return trajectory
    return msgspec.structs.replace(
        trajectory, calls=tuple(_read(call, tools.get(call.name)) for call in trajectory.calls)
    )


def _read(call: ToolCall, tool: Tool | None) -> ToolCall:
    if call.arguments is not None or call.raw is None or call.raw.strip():
        return call
    if tool is not None and tool.needs_arguments:
        return call
    return msgspec.structs.replace(call, arguments={}, raw=None)
