"""What a tool is to an attacker: a source that brings text into the agent, a sink whose effect he wants."""

from __future__ import annotations

from typing import Literal

import msgspec

from rightcall.records.record import Record, Sequenced, Several

SinkKind = Literal["destroy", "money", "commit", "send", "grant", "exec", "egress", "write"]
"""destroy: deletes or takes away · money: pays · commit: books, orders, submits · send: reaches somebody ·
grant: gives access · exec: runs a program · egress: reads, and tells the owner of what is read · write: any other
effect."""

SourceKind = Literal["external", "private", "plain"]
"""external: third parties write its text · private: it shows what only the user may see · plain: neither."""

ParameterClass = Literal[
    "destination",  # who gets it: to, recipient, channel, iban
    "url",  # an address that is read
    "credential",  # password, token, role, permission
    "pick",  # an id or a name of something that exists
    "title",  # subject, title, name of something new
    "text",  # free text
    "program",  # a command, code or SQL that is run
    "amount",  # money
    "quantity",  # any other number
    "choice",  # an enum, a date, a flag: what is picked from a fixed set
    "identity",  # whose data: user_id, tenant
]

Origin = Literal["name", "schema", "annotation", "plan", "confirmation"]
"""Who said so: the tool's name, its schema, its annotations, the plan's `roles`, or its `confirmation`."""


class RoleReason(Record, frozen=True):
    """Why a tool has a role."""

    role: str
    by: Origin
    why: str


class ToolRoles(Record, frozen=True, metaclass=Sequenced):
    """The roles of one tool.

    `verb` is the verb of its name, "" without one. `parameters` has the classes of each parameter by its path
    (`to`, `items.product_id`): elements of a list share the path of the list.
    """

    tool: str
    source: bool = False
    external: bool = False
    private: bool = False
    sinks: Several[SinkKind] = ()
    guarded: bool = False
    verb: str = ""
    parameters: dict[str, tuple[ParameterClass, ...]] = {}
    reasons: Several[RoleReason] = ()

    @property
    def sink(self) -> bool:
        return bool(self.sinks)

    @property
    def free_parameters(self) -> list[str]:
        """The paths of parameters that take more than a number or one of a fixed set."""
        return [path for path, own in self.parameters.items() if set(own) - {"quantity", "choice"}]

    def parameters_of(self, *classes: ParameterClass) -> list[str]:
        """The paths of parameters with one of these classes."""
        return [path for path, own in self.parameters.items() if not set(classes).isdisjoint(own)]


class RolePlan(Record, frozen=True, metaclass=Sequenced):
    """What a plan says about roles: it overrides what names and schemas say.

    `not_` are tools that are neither source nor sink; `identity` gives the user's own values of parameters.
    """

    sources: dict[str, SourceKind] = {}
    sinks: dict[str, SinkKind | tuple[SinkKind, ...]] = {}
    not_: Several[str] = msgspec.field(name="not", default=())
    identity: dict[str, str | int] = {}
    guarded: Several[str] = ()


class Flows(Record, frozen=True, metaclass=Sequenced):
    """How text of an attacker can carry private data out: external source → private source → send or egress sink."""

    external: Several[str] = ()
    private: Several[str] = ()
    sinks: Several[str] = ()

    @property
    def open(self) -> bool:
        """Whether there is any; False means that there is nothing to exfiltrate, or no way out."""
        return bool(self.external and self.private and self.sinks)

    @property
    def missing(self) -> str:
        """What no tool of the set is, when there is no flow."""
        parts = (
            ("external source", self.external),
            ("private source", self.private),
            ("send or egress sink", self.sinks),
        )
        return " and no ".join(name for name, tools in parts if not tools)
