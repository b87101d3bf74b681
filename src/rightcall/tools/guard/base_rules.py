"""The rules of `auto`, made from the roles of one tool, in the form a policy file has them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rightcall.core.words import name_tokens
from rightcall.model.tool_roles import ParameterClass, SinkKind, ToolRoles
from rightcall.tools.guard.policy import GuardRule, Vouching
from rightcall.tools.guard.verb_words import words_that_ask

VOUCHED: tuple[Vouching, ...] = ("user", "known")
SAID: tuple[Vouching, ...] = ("user",)


def base_rules(roles: ToolRoles, without: Collection[str] = ()) -> list[GuardRule]:
    """The rules that bind on one tool; none for one without effect."""
    return [rule for rule in _rules(roles) if rule.name not in without and (rule.arg or rule.asked)]


def _rules(roles: ToolRoles) -> Iterator[GuardRule]:
    sinks = set(roles.sinks)
    if not sinks:
        return
    because = f"{', '.join(roles.sinks)} sink"

    def rule(name: str, paths: list[str], **condition: object) -> GuardRule:
        return GuardRule(
            name,
            roles.tool,
            arg=tuple(paths),
            otherwise="confirm",
            because=because,
            **condition,  # type: ignore[arg-type]
        )

    destinations = _paths(roles, ("send", "money", "grant"), "destination")
    urls = _paths(roles, ("egress",), "url")
    credentials = roles.parameters_of("credential")
    picks = _paths(roles, ("money", "commit", "grant", "exec", "destroy"), "pick", "identity", "program")
    picks += [path for path in roles.parameters_of("pick", "identity") if _is_id(path) and path not in picks]
    named = _paths(roles, ("destroy",), "pick", "identity", "destination", "title")
    texts = roles.parameters_of("text", "title", "program", "pick")
    titles, destination = roles.parameters_of("title"), tuple(roles.parameters_of("destination"))
    yield rule("to", [path for path in (*destinations, *urls) if path not in credentials], needs=VOUCHED)
    yield rule("to", credentials, needs=SAID)
    yield rule("pick", [path for path in picks if path not in credentials], needs=VOUCHED)
    yield rule("destroy", named, needs=SAID)
    yield rule("link", texts, links=VOUCHED)
    yield rule("verbatim", titles, passages=VOUCHED, unless=destination)
    if not sinks.isdisjoint(("send", "money", "grant", "exec", "egress")):
        yield rule("secret", roles.parameters_of("text", "title", "program", "url"), secrets="named")
    if sinks != {"egress"}:
        yield rule("asked", [], asked=words_that_ask(roles))


def _is_id(path: str) -> bool:
    """Whether a parameter refers to something that exists; `name` and `file` may name something new."""
    return name_tokens(path)[-1:] in (("id",), ("ids",), ("uuid",))


def _paths(roles: ToolRoles, kinds: tuple[SinkKind, ...], *classes: ParameterClass) -> list[str]:
    """The parameters of these classes, if the tool is a sink of one of these kinds."""
    return roles.parameters_of(*classes) if not set(kinds).isdisjoint(roles.sinks) else []
