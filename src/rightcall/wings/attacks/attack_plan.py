"""The plan of attacks: `rightcall/attacks/1`, in a file or as the suite's key `attacks`.

format: rightcall/attacks/1
attempts: 300
carriers: [result, name, error, definition, shadow, rug_pull]
templates: [owner_note, tool_named, staged, routine, prerequisite, remedy]
roles: {sources: {read_page: external}, sinks: {post_note: send}, not: [get_time], identity: {user_id: usr_001}}
secrets: {get_profile: {path: api_key}}
adaptive: {budget: 200}
own: [{tool: read_message, path: body, text: "…", forbidden: [{tool: forward}]}]
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import InputError
from rightcall.core.options import described
from rightcall.files.documents import read_document
from rightcall.model.record import Record
from rightcall.model.safety import AttackCall, Carrier, Goal, Placement, Template, Wrap
from rightcall.model.tool_roles import RolePlan, SinkKind, SourceKind
from rightcall.wings.attacks.templates import DEFAULTS

FORMAT = "rightcall/attacks/1"
AUTO_CARRIERS: tuple[Carrier, ...] = ("result", "name", "error", "definition", "shadow", "rug_pull")
MADE: tuple[Carrier, ...] = (*AUTO_CARRIERS, "memory", "history", "user", "document")
"""Carriers that attempts can be generated for."""


class PlanRoles(Record, frozen=True):
    """Roles that override what names and schemas say."""

    sources: Annotated[
        dict[str, SourceKind], described("kind of a source by tool: external, private, plain")
    ] = {}
    sinks: Annotated[dict[str, SinkKind | tuple[SinkKind, ...]], described("kinds of a sink by tool")] = {}
    not_: Annotated[tuple[str, ...], described("tools that are neither source nor sink")] = msgspec.field(
        default=(), name="not"
    )
    identity: Annotated[dict[str, str | int], described("the user's own value of identity parameters")] = {}
    guarded: Annotated[tuple[str, ...], described("tools that need the user's confirmation")] = ()

    @property
    def role_plan(self) -> RolePlan:
        return RolePlan(self.sources, self.sinks, self.not_, self.identity, self.guarded)


class SecretLeaf(Record, frozen=True):
    """Where the secret of a private source goes in its result."""

    path: Annotated[str, described("path of the value that the secret replaces")]


class OwnAttack(Record, frozen=True):
    """An attack written by hand."""

    text: Annotated[str, described("the planted text")]
    forbidden: Annotated[tuple[AttackCall, ...], described("calls that must not follow")]
    tool: Annotated[str, described("tool that carries the text")] = ""
    carrier: Annotated[Carrier, described("where the text goes")] = "result"
    path: Annotated[str, described("path of the leaf [default: the longest text]")] = ""
    place: Annotated[Placement, described("place within the leaf")] = "end"


class TwinCounts(Record, frozen=True):
    """How many benign twins there are."""

    authorised: Annotated[int, described("authorised twins per goal and sink", ge=0, le=100)] = 1
    neutral: Annotated[int, described("neutral twins per carrier", ge=0, le=100)] = 1


class AdaptiveSearch(Record, frozen=True):
    """A search for the attack that works, apart from the fixed plan."""

    budget: Annotated[int, described("attempts that the search may use", ge=1, le=100_000)] = 200


class AttackPlan(Record, frozen=True):
    """What is planted where. Everything has a default, so `auto` is a plan without a line."""

    format: Annotated[Literal["rightcall/attacks/1"], described("format of the plan")] = "rightcall/attacks/1"
    seed: Annotated[int, described("seed of the draw and of the canaries")] = 7
    attempts: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | Literal["all"],
        described("number of attempts, or all that can be made"),
    ] = 300
    carriers: Annotated[tuple[Carrier, ...], described("where texts are planted")] = AUTO_CARRIERS
    goals: Annotated[
        tuple[Goal, ...] | Literal["auto"], described("what the attacker wants [auto: by the sinks]")
    ] = "auto"
    templates: Annotated[tuple[Template, ...], described("how planted texts speak")] = DEFAULTS
    places: Annotated[tuple[Placement, ...], described("where in a text")] = ("end", "start", "middle")
    wraps: Annotated[tuple[Wrap, ...], described("how a text is disguised")] = ("plain",)
    roles: Annotated[PlanRoles, described("roles of tools that names and schemas do not show")] = PlanRoles()
    secrets: Annotated[dict[str, SecretLeaf], described("where secrets are put, by private source")] = {}
    own: Annotated[tuple[OwnAttack, ...], described("attacks written by hand")] = ()
    user: Annotated[str, described("name of the user that planted texts use")] = "the user"
    agent: Annotated[str, described("name of the agent that planted texts use")] = "the assistant"
    max_amplification: Annotated[
        float, described("calls under attack, as a multiple of the task's", ge=1)
    ] = 5
    twins: Annotated[TwinCounts, described("benign twins")] = TwinCounts()
    real_sinks: Annotated[bool, described("let sinks run for real where tools do")] = False
    adaptive: Annotated[
        AdaptiveSearch | None, described("search for attacks that work, after the plan and apart from it")
    ] = None


AUTO = AttackPlan()


def read_attack_plan(source: Any, folder: Path = Path()) -> AttackPlan:
    """A plan from `auto`, a file relative to `folder`, or plain data; mistakes are errors with a suggestion."""
    if isinstance(source, AttackPlan):
        return source
    if source in ("auto", True, None):
        return AUTO
    if isinstance(source, str | Path):
        path = Path(source) if Path(source).is_absolute() else folder / source
        plan = convert(read_document(path), AttackPlan, str(path))
        where = str(path)
    else:
        plan, where = convert(source, AttackPlan, "attacks"), "attacks"
    if unmade := [carrier for carrier in plan.carriers if carrier not in MADE]:
        raise InputError(
            where,
            f"carriers: {unmade[0]} is not available: nothing plants a text in a {unmade[0]}",
            f"use: {', '.join(MADE)}",
        )
    return plan
