"""The setup of a run in readable form: definitions, system prompt, settings."""

from __future__ import annotations

from typing import Any

from rightcall.core.codec import decode
from rightcall.core.errors import RightCallError
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.run.watched_inputs import WatchedInputs, watch_of_run
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

SETUP = "setup"
"""The kind of the document that holds an agent's setup."""


class AgentSetup(Record, frozen=True, forbid_unknown_fields=False):
    """An agent's setup: model, system prompt and settings. Fields that a newer version wrote hide none of them.

    `strict` is as the agent states it, "never" for false; `mcp_server` is the name and version of an MCP server.
    """

    model: str = ""
    system: str = ""
    mode: str = ""
    settings: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    execute: str = ""
    base_url: str = ""
    strict: bool | str = False
    mcp_server: str = ""


class RunRecord(Record, frozen=True):
    """The setup by which two runs are compared. `known` is false for runs stored before setups were kept.

    Of an agent that is code: hashes of its files, of the project's files that it read, and of environment variables;
    their `texts`; and the instructions and tools (`offered`) that its requests had. `owned` is false for it: nobody but
    its author can change those.
    """

    run: str
    agent: str
    tools: tuple[Tool, ...] = ()
    setup: AgentSetup = AgentSetup()
    versions: dict[str, str] = {}
    fingerprints: dict[str, str] = {}
    offered: tuple[Tool, ...] = ()
    known: bool = True
    code: dict[str, str] = {}
    files_read: dict[str, str] = {}
    variables: dict[str, str] = {}
    texts: dict[str, str] = {}
    heard: str = ""
    owned: bool = True

    @property
    def system(self) -> str:
        """The system prompt: the suite's, or what the agent's requests were heard to begin with."""
        return self.setup.system or self.heard

    @property
    def system_known(self) -> bool:
        """Whether the system prompt is known, even if there is none."""
        return self.known and (self.owned or bool(self.system))


def run_record(store: Store, stored: StoredRun) -> RunRecord:
    """Read a run's setup from the store."""
    run = stored.run
    tools = _document(store, stored, "tools", tuple[Tool, ...])
    setup = _document(store, stored, SETUP, AgentSetup)
    inputs = _document(store, stored, "inputs", dict[str, Any]) or {}
    watched = watch_of_run(store, run) or WatchedInputs()
    return RunRecord(
        run=run.id,
        agent=run.agent,
        tools=tools or watched.heard.tools,
        offered=watched.heard.tools,
        setup=setup or AgentSetup(model=run.agent),
        versions=run.versions,
        fingerprints=run.fingerprints,
        known=setup is not None,
        code={**inputs.get("tool_code", {}), **inputs.get("code", {})},
        files_read=watched.files,
        variables={**watched.variables, **inputs.get("variables", {})},
        texts=watched.heard.texts,
        heard="\n".join(watched.heard.system),
        owned="watched" not in run.fingerprints,
    )


def _document(store: Store, stored: StoredRun, kind: str, as_type: Any) -> Any:
    fingerprint = stored.run.fingerprints.get(kind, "")
    content = store.runs.document(kind, fingerprint) if fingerprint else None
    if content is None:
        return None
    try:
        return decode(content, as_type, f"{kind} of run {stored.id}")
    except RightCallError:
        return None  # written by something else
