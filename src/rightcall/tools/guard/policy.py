"""The policy of a guard: a base, what is trusted, and rules.

    format: rightcall/guard/1
    base: auto                    # rules made from the roles of the tools; strict, none
    known: fields                 # strict: of external sources only ids and numbers are trusted
    trust: {hosts: [docs.example.com], values: [acct_77], fields: {list_payees: iban}, senders: named}
    without: [asked]              # rules of the base to leave out
    rules:
      - {tool: transfer, arg: target, needs: [user, known], else: confirm}
      - {tool: transfer, limit: {arg: cents, each: 50000, total: 100000, calls: 3}, else: deny}
      - {sink: egress, arg: url, hosts: [docs.example.com], else: deny}
      - {tool: [refund, close_account], confirm: always}
      - {role: support, allow: ["get_*", send_message]}

A rule has one condition. It is added to those of the base; one with the name and the tool of another replaces it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import described
from rightcall.core.seam import Limb
from rightcall.core.text import first_names
from rightcall.files.documents import read_document, refuse_other_format
from rightcall.records.record import Record, Sequenced, Several
from rightcall.records.tool_roles import RolePlan, SinkKind

FORMAT = "rightcall/guard/1"
Base = Literal["auto", "strict", "none"]
BASES: tuple[str, ...] = get_args(Base)
Condition = Literal[
    "needs", "links", "passages", "secrets", "asked", "limit", "hosts", "confirm", "deny", "allow"
]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
BASE_RULES = ("to", "pick", "amount", "terms", "destroy", "link", "verbatim", "secret", "asked", "repeat")
"""The names of the rules of `auto`."""

Vouching = Literal["user", "known", "untrusted", "model"]


class CallLimit(Record, frozen=True, metaclass=Sequenced):
    """How much a tool may be used in one trial: of a number in each call, of its sum, and how often.

    With `same`, only calls with the same values of these arguments count, "*" for all of them; those that failed
    without an effect do not.
    """

    arg: str = ""
    each: float | None = None
    total: float | None = None
    calls: int | None = None
    same: Several[str] = ()


class GuardRule(Record, frozen=True, metaclass=Sequenced):
    """One rule: which calls it binds on, its one condition, and what happens to a call that does not meet it.

    `needs`: labels of which every bound argument must have one. `links`: the same for every address in a text.
    `passages`: a title must not repeat untrusted text unless it has one of these labels. `secrets: named`: private
    values leave only if the user named their field. `asked`: the user used one of these words; send, money, destroy,
    commit, create, update, grant and exec stand for all words of their kind. `hosts`: the hosts a URL may have.
    `limit`, `confirm`, `deny`, `allow`: see the module. `unless` names arguments: a call that has one is not bound.
    `because` says which role the rule came from.
    """

    name: str = ""
    tool: str | Several[str] = ()
    sink: SinkKind | Several[SinkKind] = ()
    arg: str | Several[str] = ()
    unless: str | Several[str] = ()
    needs: Several[Vouching] | None = None
    links: Several[Vouching] | None = None
    passages: Several[Vouching] | None = None
    secrets: Literal["named"] | None = None
    asked: Several[str] | None = None
    limit: CallLimit | None = None
    hosts: Several[str] | None = None
    confirm: Literal["always", "tainted"] | None = None
    deny: Literal["always"] | None = None
    allow: Several[str] | None = None
    role: str = ""
    otherwise: Literal["confirm", "deny"] | None = msgspec.field(name="else", default=None)
    because: str = ""

    @property
    def condition(self) -> Condition:
        """The name of its one condition."""
        return next(name for name in CONDITIONS if getattr(self, name) is not None)

    @property
    def tools(self) -> tuple[str, ...]:
        return several(self.tool)

    @property
    def label(self) -> str:
        """The name, or the condition of a rule without one."""
        return self.name or self.condition


class Trust(Record, frozen=True, metaclass=Sequenced):
    """What is known although a third party could write it.

    `senders`: `named` counts a sender's address when the user names the sender, `any` always, `none` never
    [default: named, none with `known: strict`].
    """

    hosts: Several[str] = ()
    values: Several[str | int | float] = ()
    fields: dict[str, str | tuple[str, ...]] = {}
    senders: Literal["named", "none", "any"] | None = None


class GuardPolicy(Record, frozen=True, metaclass=Sequenced):
    """A policy. `taint`: rules about where values come from bind from the first external text on, or `always`."""

    base: Base = "auto"
    known: Literal["fields", "strict"] | None = None
    trust: Trust = Trust()
    taint: Literal["external", "always"] = "external"
    without: Several[str] = ()
    roles: RolePlan = RolePlan()
    rules: Several[GuardRule] = ()
    format: str = FORMAT


AUTO = GuardPolicy(known="fields")
STRICT = GuardPolicy("strict", known="strict")


def several(value: str | Several[str]) -> tuple[str, ...]:
    """One name or several, as several."""
    return (value,) if isinstance(value, str) else tuple(value)


def guard_policy(source: str | Path | GuardPolicy | None, folder: Path | None = None) -> GuardPolicy | None:
    """The policy that a suite or a program names: `auto`, `strict`, `none` or a file. None for no guard."""
    if source is None or source == "none":
        return None
    if isinstance(source, GuardPolicy):
        return source
    if source in ("auto", "strict"):
        return AUTO if source == "auto" else STRICT
    path = Path(source) if folder is None else folder / source
    if not path.exists() and path.suffix not in (".yaml", ".yml", ".json"):
        near = suggestion(str(source), BASES)
        raise InputError(
            "guard", f"no such policy or file '{source}'", near or "auto, strict, none or a file"
        )
    return load_policy(path)


def load_policy(path: str | Path) -> GuardPolicy:
    """Read a policy file; `InputError` says where it is wrong and what to write."""
    return read_policy(read_document(Path(path)), str(path))


def read_policy(document: Any, where: str) -> GuardPolicy:
    """A policy from a plain document."""
    if not isinstance(document, dict):
        raise InputError(
            where, "a guard policy is an object with base, trust and rules", "see docs/safety.md"
        )
    if "format" in document:
        refuse_other_format(document["format"], "guard", 1, where)
    policy = convert(document, GuardPolicy, where)
    for name in policy.without:
        if name not in BASE_RULES:
            hint = suggestion(name, BASE_RULES) or f"rules of the base: {', '.join(BASE_RULES)}"
            raise InputError(where, f"without: no rule '{name}'", hint)
    for index, rule in enumerate(policy.rules):
        _check_rule(rule, f"{where}: rules[{index}]")
    if policy.known is None:
        policy = msgspec.structs.replace(policy, known="strict" if policy.base == "strict" else "fields")
    return policy


def _check_rule(rule: GuardRule, where: str) -> None:
    conditions = [name for name in CONDITIONS if getattr(rule, name) is not None]
    if not conditions:
        raise InputError(where, "the rule has no condition", f"one of: {', '.join(CONDITIONS)}")
    if len(conditions) > 1:
        raise InputError(where, f"the rule has {first_names(conditions, 4)}", "use one condition per rule")
    if conditions[0] == "allow":
        if rule.tool or rule.sink:
            raise InputError(where, "allow lists all tools of a role", "leave out tool and sink")
    elif not rule.tool and not rule.sink:
        raise InputError(where, "the rule names no tool", 'add `tool: NAME`, `tool: "*"` or `sink: KIND`')
    if conditions[0] in ("confirm", "deny", "allow") and (rule.otherwise or rule.arg):
        raise InputError(where, f"{conditions[0]} takes no `arg` and no `else`", "leave them out")
    if conditions[0] in ("needs", "links", "passages", "hosts") and not rule.arg:
        raise InputError(where, f"{conditions[0]} needs an argument", 'add `arg: NAME` or `arg: "*"`')
    limit = rule.limit
    if limit is not None and limit.each is None and limit.total is None and limit.calls is None:
        raise InputError(where, "the limit limits nothing", "add each, total or calls")
    if limit is not None and (limit.each is not None or limit.total is not None) and not limit.arg:
        raise InputError(where, "each and total need the argument to sum", "add `arg` to the limit")
    if limit is not None and limit.same and limit.calls is None:
        raise InputError(where, "same counts calls with the same arguments", "add `calls` to the limit")


class GuardLimb(Limb):
    """`guard` of a suite: a name, a file or a policy."""

    block = Annotated[
        str | dict[str, Any] | None,
        described(
            "stop calls that an attacker could have caused: auto, strict, none, or a policy: a file or inline"
        ),
    ]

    def setting(self, value: str | Path | GuardPolicy) -> GuardPolicy | None:
        return guard_policy(value)

    def agent(self, agent: Any, block: str | dict[str, Any], folder: Path, *, loops: bool) -> Any:
        policy = read_policy(block, "guard") if isinstance(block, dict) else guard_policy(block, folder)
        return replace(agent, guard=policy)
