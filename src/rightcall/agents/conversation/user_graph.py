"""A user that follows a graph: what to say at each node, and which answer of the agent leads where.

    ask = SimulationNode(say="Send 5 euros to Bob")
    yes = SimulationNode(say="Yes, go ahead.", terminal=True)
    ask.add_node(yes, when={"contains": "shall I"})           # a matcher on the agent's answer, or a function of it
    ask.add_node(SimulationNode(say="Hello?"), when=None)  # otherwise

With exact words and matchers no model is needed, so tests are deterministic. `action` instead of `say` is an
instruction that a model puts into words, and a `when` that is a sentence is judged by that model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rightcall.agents.conversation.dialogue_loop import SimulatedUser, UserFault, UserTurn
from rightcall.core.errors import ConfigError
from rightcall.model.golden import ConversationalGolden
from rightcall.model.message import Message
from rightcall.model.trajectory import Usage

Condition = str | Mapping[str, Any] | Callable[[str], bool] | None
"""When an edge is taken: a sentence for a model, `{contains | regex | equals: …}`, a function of the answer, always."""


@dataclass(eq=False)
class SimulationNode:
    """What the user does at one point; `terminal` ends the conversation after the agent has answered.

    `max_visits` is how often the node may be entered; edges are tried in the order they were added.
    """

    action: str | None = None
    terminal: bool = False
    max_visits: int | None = None
    name: str | None = None
    say: str | None = None
    edges: list[tuple[Condition, SimulationNode]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if (self.action is None) == (self.say is None):
            raise ConfigError(
                "a SimulationNode has either say=, the exact words, or action=, what to do in words"
            )

    def add_node(self, child: SimulationNode, when: Condition = None) -> SimulationNode:
        """Add an edge, taken when the agent's answer matches; returns the child, so that calls chain."""
        self.edges.append((when, child))
        return child


Worded = Callable[[str, Sequence[Message]], Awaitable[tuple[str, Usage]]]
"""Puts an instruction into the user's words."""
Judged = Callable[[str, Sequence[Message]], Awaitable[tuple[bool, Usage]]]
"""Whether a sentence is true of the conversation."""


class GraphUsers:
    """Users that follow one graph. `worded` and `judged` are a model's work, for graphs that need one."""

    def __init__(
        self,
        start: SimulationNode,
        *,
        max_turns: int = 10,
        worded: Worded | None = None,
        judged: Judged | None = None,
        name: str = "graph",
    ) -> None:
        self.start, self.max_turns, self.name = start, max_turns, name
        self.worded, self.judged = worded, judged

    def user(self, golden: ConversationalGolden, trial: int) -> SimulatedUser:
        return GraphUser(self)


class GraphUser:
    """One walk through the graph."""

    prompt_hash = ""

    def __init__(self, users: GraphUsers) -> None:
        self._next: SimulationNode | None = users.start
        self._at: SimulationNode | None = None
        self._visits: Counter[int] = Counter()
        self._users, self.name = users, users.name

    async def reply(self, messages: Sequence[Message]) -> UserTurn:
        spent = Usage()
        if self._at is not None:
            if self._at.terminal:
                return UserTurn(ended="user_stop", why=_label(self._at))
            self._next, spent = await self._route(self._at, messages)
        node = self._next
        if node is None:
            where = _label(self._at)
            return UserTurn(ended="stopped", why=f"no edge leads on from {where}", usage=spent)
        self._at = node
        self._visits[id(node)] += 1
        if node.say is not None:
            return UserTurn(node.say, usage=spent)
        if self._users.worded is None:
            raise UserFault(f"{_label(node)} has an action, and no model was given to put it into words")
        text, used = await self._users.worded(node.action or "", messages)
        return UserTurn(text, usage=spent.plus(used))

    async def _route(
        self, node: SimulationNode, messages: Sequence[Message]
    ) -> tuple[SimulationNode | None, Usage]:
        answer = next((m.content for m in reversed(messages) if m.role == "assistant" and m.content), "")
        spent = Usage()
        for when, child in node.edges:
            if child.max_visits is not None and self._visits[id(child)] >= child.max_visits:
                continue
            if isinstance(when, str):
                if self._users.judged is None:
                    raise UserFault(f"the edge '{when}' needs a model to judge it, and none was given")
                met, used = await self._users.judged(when, messages)
                spent = spent.plus(used)
            else:
                met = holds(when, answer)
            if met:
                return child, spent
        return None, spent


def holds(when: Mapping[str, Any] | Callable[[str], bool] | None, answer: str) -> bool:
    """Whether a condition that needs no model is met by an answer."""
    if when is None:
        return True
    if callable(when):
        return bool(when(answer))
    return all(_matches(kind, pattern, answer) for kind, pattern in when.items())


def _matches(kind: str, pattern: Any, answer: str) -> bool:
    import re

    if kind == "contains":
        return str(pattern).casefold() in answer.casefold()
    if kind == "equals":
        return str(pattern).strip() == answer.strip()
    if kind == "regex":
        return re.search(str(pattern), answer[:20_000]) is not None
    raise ConfigError(f"an edge's condition has 'contains', 'equals' or 'regex', not '{kind}'")


def _label(node: SimulationNode | None) -> str:
    return "the start" if node is None else f"node '{node.name or node.say or node.action}'"
