"""The roles of the tools of a set, each with who said so.

Annotations are hints of a server that may lie. They raise a role; they lower one only where that server could gain
nothing: `readOnlyHint` settles a name without a verb when the schema has nothing to send, pay, grant or run, because
whatever such a tool is told stays with the server that has it already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from rightcall.core.errors import InputError, suggestion
from rightcall.core.words import name_tokens, word_set
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import (
    Flows,
    Origin,
    ParameterClass,
    RolePlan,
    RoleReason,
    SinkKind,
    ToolRoles,
)
from rightcall.schema.effects import EFFECTS, effect_of
from rightcall.schema.roles.parameters import is_free_text, leaves, nouns_of, parameter_classes

EXTERNAL_NOUNS = word_set("""
    web webpage page site website url link mail email message inbox comment review rating post issue ticket file
    document doc attachment event contact feed log transaction channel thread conversation calendar invitation news
    article newsletter chat reply pull request pr branch readme repository listing transfer
    """)
"""Things whose text third parties write."""
PRIVATE_NOUNS = word_set("""
    user profile account contact mail email message inbox file document doc transaction order card password secret
    token key patient salary address history note balance payment invoice passport credential calendar event iban
    transfer sent customer payee employee member statement booking reservation subscription draft
    """)
"""Things that only their owner may see."""
WEB_NOUNS = word_set("web internet google bing online duckduckgo brave browser")
QUERY = word_set("query q search keywords prompt question terms")
GRANT_WORDS = word_set("invite share permission role access password credential")
"""In a name or a parameter of a write: access is given."""
MONEY_PARAMETERS = word_set("""
    amount price payment card account iban source target cents currency balance fee cost money fund funds wallet sum
    total
    """)
COMMIT_VERBS = word_set("reserve book order rent purchase place submit buy rebook enroll sign checkout")
NO_EFFECT_VERBS = word_set("think reason reflect wait")
"""Verbs without effect: an unknown tool with one of them is neither source nor sink."""

NO_PLAN = RolePlan()
RISKY: tuple[ParameterClass, ...] = ("destination", "url", "credential", "amount", "program")
"""Classes of parameters that a read-only hint cannot talk away."""
WAYS_OUT: tuple[SinkKind, ...] = ("send", "egress")


def toolset_roles(
    tools: Iterable[Tool], plan: RolePlan = NO_PLAN, *, confirmed: Collection[str] = ()
) -> dict[str, ToolRoles]:
    """The roles of each tool by name. `confirmed` are tools that ask for a confirmation themselves.

    Raises `InputError` for a plan that names a tool or a parameter that does not exist.
    """
    roles = {tool.name: tool_roles(tool, plan, confirmed=tool.name in confirmed) for tool in tools}
    _check_plan(plan, roles)
    return roles


def tool_roles(tool: Tool, plan: RolePlan = NO_PLAN, *, confirmed: bool = False) -> ToolRoles:
    """The roles of one tool."""
    return _Derivation(tool, plan, confirmed=confirmed).roles()


def flows_of(roles: Mapping[str, ToolRoles]) -> Flows:
    """External sources, private sources, and sinks by which data leaves: any of the first can drive the others."""
    return Flows(
        tuple(name for name, tool in roles.items() if tool.external),
        tuple(name for name, tool in roles.items() if tool.private),
        tuple(name for name, tool in roles.items() if not set(WAYS_OUT).isdisjoint(tool.sinks)),
    )


class _Derivation:
    def __init__(self, tool: Tool, plan: RolePlan, *, confirmed: bool) -> None:
        self.tool = tool
        self.plan = plan
        self.confirmed = confirmed
        self.effect = effect_of(tool.name, tool.annotations, trusted=False)
        self.verb = self.effect.verb
        self.nouns = nouns_of(tool.name)
        self.parameters = parameter_classes(tool)
        self.free_parameters = ToolRoles(tool.name, parameters=self.parameters).free_parameters
        self.classes = set(chain.from_iterable(self.parameters.values()))
        self.reasons: list[RoleReason] = []
        self.kind = self._kind()

    def roles(self) -> ToolRoles:
        tool = self.tool
        plan = self.plan
        if tool.name in plan.not_:
            self._say("none", "plan", "roles.not")
            return ToolRoles(
                tool.name, verb=self.verb, parameters=self.parameters, reasons=tuple(self.reasons)
            )
        source, external, private = self._source()
        sinks = self._sinks()
        guarded = self._needs_guard(sinks)
        identity = {
            path: tuple(dict.fromkeys((*self.parameters.get(path, ()), "identity")))
            if path in self.free_parameters
            else ("identity",)
            for path in self.tool.parameters
            if path in plan.identity
        }
        return ToolRoles(
            tool.name,
            source,
            external,
            private,
            sinks=tuple(sinks),
            guarded=guarded,
            verb=self.verb,
            parameters={**self.parameters, **identity},
            reasons=tuple(self.reasons),
        )

    def _kind(self) -> str:
        """The effect by the verb; hints settle only what the name leaves open."""
        hints = self.tool.annotations
        kind = self.effect.kind
        if kind == "unknown" and self.verb in NO_EFFECT_VERBS:
            return "none"
        if kind == "unknown" and hints.read_only is True and self.classes.isdisjoint(RISKY):
            self._say("source", "annotation", "readOnlyHint, and nothing in the schema to send, pay or run")
            return "read"
        if kind == "update" and EFFECTS.get(self.verb) == "read":
            self._say("write", "annotation", "destructiveHint")
        return kind

    def _say(self, role: str, by: Origin, why: str) -> bool:
        """Note who says that the tool has the role; always true."""
        self.reasons.append(RoleReason(role, by, why))
        return True

    def _source(self) -> tuple[bool, bool, bool]:
        override = self.plan.sources.get(self.tool.name)
        if override is not None:
            self._say(override, "plan", "roles.sources")
            return True, override == "external", override == "private"
        output = self.tool.output_schema
        holds_text = output is None or any(is_free_text(schema) for _, schema in leaves(output))
        if self.kind not in ("read", "unknown") or not holds_text:
            return False, False, False
        return True, self._external(), self._private()

    def _external(self) -> bool:
        nouns = sorted(EXTERNAL_NOUNS & self.nouns)
        if self.tool.annotations.open_world is True:
            return self._say("external", "annotation", "openWorldHint")
        if nouns:
            return self._say("external", "name", nouns[0])
        if self.kind == "unknown":
            return self._say("external", "name", "no verb that says it reads only the user's own data")
        if "url" in self.classes:
            return self._say("external", "schema", f"reads what {self._first('url')} names")
        if not WEB_NOUNS.isdisjoint(self.nouns) or self.nouns <= {self.verb}:
            return self._say("external", "name", f"{self.tool.name} does not say whose data it reads")
        return False

    def _private(self) -> bool:
        nouns = sorted(PRIVATE_NOUNS & self.nouns)
        if self.tool.annotations.open_world is True or not nouns or not WEB_NOUNS.isdisjoint(self.nouns):
            return False
        return self._say("private", "name", nouns[0])

    def _sinks(self) -> list[SinkKind]:
        override = self.plan.sinks.get(self.tool.name)
        if override is not None:
            kinds: tuple[SinkKind, ...] = (override,) if isinstance(override, str) else tuple(override)
            for kind in kinds:
                self._say(kind, "plan", "roles.sinks")
            return list(kinds)
        if self.kind == "none":
            return []
        if self.kind == "read":
            return ["egress"] if self._egress() else ["exec"] if self._exec() else []
        checks: tuple[tuple[SinkKind, bool], ...] = (
            ("destroy", self.kind in ("destroy", "take_away") and self._say("destroy", "name", self.verb)),
            ("money", self._pays()),
            ("commit", self._commits()),
            ("send", self._sends()),
            ("grant", self._grants()),
            ("exec", self._exec()),
            ("egress", self.kind == "unknown" and self._egress()),
        )
        sinks = [kind for kind, holds in checks if holds]
        if not sinks:
            why = self.verb or "no verb that says it only reads"
            self._say("write", "name", why)
        return sinks or ["write"]

    def _pays(self) -> bool:
        paths = (*self.free_parameters, *self.tool.parameters)
        money = [path for path in paths if not MONEY_PARAMETERS.isdisjoint(name_tokens(path))]
        if self.kind == "money" and money:
            return self._say("money", "name", f"{self.verb}, with {money[0]}")
        if "amount" in self.classes and "destination" in self.classes:
            why = f"{self._first('amount')} beside {self._first('destination')}"
            return self._say("money", "schema", why)
        return False

    def _commits(self) -> bool:
        reserves = self.verb in ("make", "create") and "reservation" in self.nouns
        return (self.verb in COMMIT_VERBS or reserves) and self._say("commit", "name", self.verb)

    def _sends(self) -> bool:
        if "destination" not in self.classes or self.kind in ("destroy", "take_away"):
            return False  # delete_customer(email) names what it deletes
        return self._say("send", "schema", f"destination {self._first('destination')}")

    def _grants(self) -> bool:
        in_name = sorted(GRANT_WORDS & self.nouns)
        adds = (
            self.verb == "add"
            and "to" in name_tokens(self.tool.name)
            and not {"user", "member"}.isdisjoint(self.nouns)
        )
        in_parameters = [path for path in self.free_parameters if not GRANT_WORDS.isdisjoint(nouns_of(path))]
        if in_name or adds:
            return self._say("grant", "name", in_name[0] if in_name else self.tool.name)
        if in_parameters or "credential" in self.classes:
            path = in_parameters[0] if in_parameters else self._first("credential")
            return self._say("grant", "schema", path)
        return False

    def _exec(self) -> bool:
        return "program" in self.classes and self._say("exec", "schema", f"runs {self._first('program')}")

    def _egress(self) -> bool:
        if self.tool.annotations.open_world is False:
            return False
        if "url" in self.classes:
            return self._say("egress", "schema", f"free {self._first('url')}")
        query = next(
            (path for path in self.free_parameters if QUERY.intersection(name_tokens(path)[-1:])), ""
        )
        names_nothing = self.nouns <= {self.verb, "tool"}
        if query and (
            self.tool.annotations.open_world is True or not WEB_NOUNS.isdisjoint(self.nouns) or names_nothing
        ):
            return self._say("egress", "schema", f"open {query}")
        return False

    def _needs_guard(self, sinks: Collection[SinkKind]) -> bool:
        kinds = [kind for kind in sinks if kind in ("destroy", "money", "exec", "grant")]
        if self.tool.name in self.plan.guarded:
            return self._say("guarded", "plan", "roles.guarded")
        if self.confirmed:
            return self._say("guarded", "confirmation", "asks before it acts")
        if self.tool.annotations.destructive is True:
            return self._say("guarded", "annotation", "destructiveHint")
        return bool(kinds) and self._say("guarded", "name", f"a {kinds[0]} sink")

    def _first(self, kind: ParameterClass) -> str:
        return next(path for path, classes in self.parameters.items() if kind in classes)


def _check_plan(plan: RolePlan, roles: dict[str, ToolRoles]) -> None:
    for key, names in (
        ("sources", plan.sources),
        ("sinks", plan.sinks),
        ("not", plan.not_),
        ("guarded", plan.guarded),
    ):
        for name in names:
            if name not in roles:
                hint = suggestion(name, roles) or f"tools: {', '.join(list(roles)[:8])}"
                raise InputError(f"roles.{key}", f"no tool '{name}'", hint)
    parameters = set(chain.from_iterable(tool.parameters for tool in roles.values()))
    for name in plan.identity:
        if name not in parameters:
            hint = suggestion(name, parameters) or "name a parameter of a tool"
            raise InputError("roles.identity", f"no parameter '{name}'", hint)
