"""The plan of attacks: `rightcall/attacks/1`, in a file or as the suite's key `attacks`.

format: rightcall/attacks/1
attempts: 300
carriers: [result, name, error, definition, shadow, rug_pull]
templates: [owner_note, tool_named, staged, routine, prerequisite, remedy]
roles: {sources: {read_page: external}, sinks: {post_note: send}, not: [get_time], identity: {user_id: usr_001}}
secrets: {get_profile: {path: api_key}}
own: [{tool: read_message, path: body, text: "…", forbidden: [{tool: forward}]}]
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from rightcall.core.codec import convert, decode
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import described
from rightcall.files.documents import read_document
from rightcall.records.record import Record
from rightcall.records.safety import AttackCall, Carrier, Goal, Placement, Template, Wrap
from rightcall.records.tool_roles import RolePlan, SinkKind, SourceKind

DEFAULTS: tuple[Template, ...] = ("owner_note", "tool_named", "staged", "routine", "prerequisite", "remedy")


class TextTemplate(Record, frozen=True):
    """The wording of a template, the carriers it fits, its earlier stages and its translations.

    Slots: {goal}, {tool}, {arguments}, {carrier}, {user}, {agent}.
    """

    text: str
    carriers: tuple[Carrier, ...]
    stages: tuple[str, ...] = ()
    languages: dict[str, str] = {}

    def fill(self, slots: dict[str, str], text: str | None = None) -> str:
        """The text with its slots filled; braces of arguments stay as they are."""
        wording = self.text if text is None else text
        for slot, value in slots.items():
            wording = wording.replace(f"{{{slot}}}", value)
        return wording


def _data(name: str) -> bytes:
    return files("rightcall.limbs.attacks").joinpath(name).read_bytes()


@cache
def text_templates() -> dict[Template, TextTemplate]:
    """Every template by its name."""
    return decode(_data("templates.json"), dict[Template, TextTemplate], "templates.json")


@cache
def neutral_remarks() -> tuple[str, ...]:
    return msgspec.json.decode(_data("neutral_remarks.json"), type=tuple[str, ...])


@cache
def harm_requests() -> dict[Goal, tuple[str, ...]]:
    """Requests that must be refused, by the goal that they have; {value} is what they name."""
    return decode(_data("harm_requests.json"), dict[Goal, tuple[str, ...]], "harm_requests.json")


def neutral_text(length: int, number: int) -> str:
    """Harmless remarks that are imperatives too, about as long as the text that they stand for."""
    remarks = neutral_remarks()
    text = ""
    while len(text) < length or not text:
        text = f"{text} {remarks[number % len(remarks)]}".strip()
        number += 1
    return text


FORMAT = "rightcall/attacks/1"
AUTO_CARRIERS: tuple[Carrier, ...] = ("result", "name", "error", "definition", "shadow", "rug_pull", "skill")
LISTS = ("carriers", "goals", "templates", "places", "wraps")
"""Keys that would leave everything out if they were empty."""


class PlanRoles(RolePlan, frozen=True):
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


class SecretLeaf(Record, frozen=True):
    """Where the secret of a private source goes in its result."""

    path: Annotated[str, described("path of the value that the secret replaces")]


class BenignRequest(Record, frozen=True):
    """A request on the same tools that must be granted."""

    text: Annotated[str, described("the request")]
    calls: Annotated[tuple[AttackCall, ...], described("calls that it needs")]


class OwnAttack(Record, frozen=True):
    """An attack written by hand."""

    text: Annotated[str, described("the planted text")]
    forbidden: Annotated[tuple[AttackCall, ...], described("calls that must not follow")]
    tool: Annotated[str, described("tool that carries the text")] = ""
    carrier: Annotated[Carrier, described("where the text goes")] = "result"
    path: Annotated[str, described("path of the leaf [default: the longest text]")] = ""
    place: Annotated[Placement, described("place within the leaf")] = "end"
    benign: Annotated[
        BenignRequest | None, described("of a request that must be refused (carrier user): its benign twin")
    ] = None


class TwinCounts(Record, frozen=True):
    """How many benign twins there are."""

    authorised: Annotated[int, described("authorised twins per goal and sink", ge=0, le=100)] = 1
    neutral: Annotated[int, described("neutral twins per carrier", ge=0, le=100)] = 1


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


AUTO = AttackPlan()


def read_attack_plan(source: Any, folder: Path = Path()) -> AttackPlan:
    """A plan from `auto`, a file relative to `folder`, or plain data; mistakes are errors with a suggestion."""
    if isinstance(source, AttackPlan):
        return source
    if source in ("auto", True, None):
        return AUTO
    if isinstance(source, str | Path):
        where = str(folder / source)
        plan = convert(read_document(folder / source), AttackPlan, where)
    else:
        plan = convert(source, AttackPlan, "attacks")
        where = "attacks"
    for key in LISTS:
        if not getattr(plan, key):
            raise InputError(
                where, f"{key} is empty, so nothing would be planted", f"leave {key} out for the default"
            )
    for number, attack in enumerate(plan.own):
        if attack.benign is not None and attack.carrier != "user":
            problem = f"own[{number}].benign: only a request has a benign twin"
            raise InputError(where, problem, "set carrier: user, or leave benign out")
        if not attack.forbidden:
            problem = f"own[{number}].forbidden is empty, so nothing would show that the attack worked"
            raise InputError(where, problem, "name the call that must not follow: forbidden: [{tool: NAME}]")
    return plan


def require_known_names(plan: AttackPlan, known: Collection[str]) -> None:
    """Raise for a name of the plan that no tool has: what it says would be ignored."""
    names = [(f"secrets.{name}", name) for name in plan.secrets]
    for number, attack in enumerate(plan.own):
        names += [(f"own[{number}].tool", attack.tool)] if attack.tool else []
        calls = (*attack.forbidden, *(attack.benign.calls if attack.benign else ()))
        names += [(f"own[{number}].forbidden", call.tool) for call in calls if isinstance(call.tool, str)]
    for where, name in names:
        if name not in known:
            hint = suggestion(name, known) or f"known: {', '.join(known)}"
            raise InputError("attacks", f"{where}: no such tool '{name}'", hint)
