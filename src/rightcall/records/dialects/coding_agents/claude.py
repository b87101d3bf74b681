"""Claude Code: `-p --output-format stream-json`, and session files."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.records.dialects.coding_agents.reader import (
    HINT,
    CodingTranscript,
    Line,
    TranscriptReader,
    number_of,
)
from rightcall.records.dialects.reported_usage import anthropic_usage

SILENT = frozenset(
    ("system", "stream_event", "tool_progress", "tool_use_summary", "rate_limit_event", "auth_status",
     "prompt_suggestion", "control_request", "control_response", "control_cancel_request", "keep_alive", "summary",
     "file-history-snapshot", "queue-operation", "progress", "attachment", "custom-title", "ai-title", "agent-name",
     "last-prompt", "permission-mode", "pr-link", "mode", "tag")
)  # fmt: skip


class ClaudeStream(TranscriptReader):
    """One API message may be several lines; blocks that repeat are left out. Tools as of claude-agent-sdk 0.3.327."""

    plumbing = frozenset(("ToolSearch", "TodoWrite", "ExitPlanMode", "Skill"))

    def __init__(self, form: str, where: str) -> None:
        super().__init__(form, where)
        self._blocks: set[tuple[str, str]] = set()
        self._agents: dict[str, str] = {}

    def add(self, line: Line, place: str) -> None:
        kind = line.get("type")
        if kind in ("assistant", "user"):
            self._message_line(line, place)
        elif kind == "result":
            self._result(line)
        elif kind not in SILENT:
            raise self.unknown(kind, place)
        elif kind == "system" and line.get("subtype") == "init":
            self.session = str(line.get("session_id") or "")
            self.model = str(line.get("model") or "")

    def _message_line(self, line: Line, place: str) -> None:
        message = line.get("message")
        if not isinstance(message, dict):
            raise InputError(self.where, f"{place} has no message", HINT)
        self.model = self.model or str(message.get("model") or "")
        content = message.get("content")
        if isinstance(content, list):
            content = [block for block in content if not self._repeats(block)]
            for block in content:
                self._note_agent(block)
            if not content:
                return
        caller = str(line.get("parent_tool_use_id") or "")
        agent = self._agents.get(caller, "sub-agent" if caller or line.get("isSidechain") is True else "")
        self.message(
            {"role": message.get("role", line["type"]), "content": content}, place, caller=caller, agent=agent
        )

    def _repeats(self, block: Any) -> bool:
        """Whether a call or its result was read before: the first one counts."""
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return False
        block_id = block.get("id") or block.get("tool_use_id")
        if not isinstance(block_id, str):
            return False
        key = (block["type"], block_id)
        repeats = key in self._blocks
        self._blocks.add(key)
        return repeats

    def _note_agent(self, block: Any) -> None:
        arguments = block.get("input") if isinstance(block, dict) else None
        if isinstance(arguments, dict) and isinstance(name := arguments.get("subagent_type"), str):
            self._agents[str(block.get("id"))] = name

    def _result(self, line: Line) -> None:
        self.has_end = True
        self.usage = replace(
            anthropic_usage(line.get("usage")), cost_usd=number_of(line.get("total_cost_usd"))
        )
        self.latency_ms = number_of(line.get("duration_ms"))
        if isinstance(line.get("result"), str):
            self.output = line["result"]
        if line.get("subtype") == "error_max_turns":
            self.stop = "limit"
        elif line.get("is_error") is True or str(line.get("subtype")).startswith("error"):
            self.stop = "agent_error"
            self.error = str(line.get("result") or line.get("subtype"))[:2000]
        denials = line.get("permission_denials")
        self.refused_ids = {str(d.get("tool_use_id")) for d in denials or () if isinstance(d, dict)}


class ClaudeSession(ClaudeStream):
    """A tree of lines, of which the branch of the last leaf was is_on_branch; sub-agents have lines outside it."""

    ends = False

    def __init__(self, form: str, where: str) -> None:
        super().__init__(form, where)
        self._lines: list[tuple[Line, str]] = []

    def add(self, line: Line, place: str) -> None:
        self._lines.append((line, place))

    def transcript(self, cut: bool) -> CodingTranscript:
        parents = {line["uuid"]: line.get("parentUuid") or line.get("logicalParentUuid")
                   for line, _ in self._lines if isinstance(line.get("uuid"), str)}  # fmt: skip
        own = [
            line["uuid"] for line, _ in self._lines if "uuid" in line and line.get("isSidechain") is not True
        ]
        branch = set[Any]()
        here = own[-1] if own else None
        while here is not None and here not in branch:
            branch.add(here)
            here = parents.get(here)
        for line, place in self._lines:
            self.session = self.session or str(line.get("sessionId") or "")
            is_on_branch = line.get("uuid") in branch or line.get("isSidechain") is True or "uuid" not in line
            result_of_branch = (
                line.get("type") == "user" and line.get("parentUuid") in branch and _has_results(line)
            )
            if line.get("isMeta") is True or not (is_on_branch or result_of_branch):
                continue
            super().add(line, place)
        return super().transcript(cut)


def _has_results(line: Line) -> bool:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else ()
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
