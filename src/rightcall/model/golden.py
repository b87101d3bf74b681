"""What should happen: goldens of one turn and of whole conversations."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from rightcall.model.call import ToolCall
from rightcall.model.python_values import described
from rightcall.model.record import Record, Sequenced, Several, Spelled

Category = Literal["golden", "secondary", "negative"]
CATEGORIES: tuple[Category, ...] = ("golden", "secondary", "negative")

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

ToolPattern = str | tuple[str, ...] | dict[str, str]
"""A tool name, several names of which any will do, or `{"regex": …}` that fits the whole name."""


class ExpectedCall(Record, frozen=True, metaclass=Sequenced):
    """One call that should happen.

    `args` holds a matcher for each parameter: a bare value means exactly that value, an object with one
    known matcher key is that matcher. Without `args` any arguments will do; `{}` means no arguments.
    `after` names the ids of expected calls that must come in a strictly earlier step. The call must occur
    between `min` and `max` times (`max` defaults to `min`); `required: false` makes all of them optional.
    `weight` is what the call counts for in parameter accuracy. `notes` keeps what other tools' files say of the
    call (its type, a description, why it is made, its output); no metric reads them.
    """

    tool: ToolPattern
    args: dict[str, Any] | None = None
    extra_args: Literal["forbid", "ignore"] = "forbid"
    forbidden_args: Several[str] = ()
    after: Several[str] = ()
    required: bool = True
    id: str = ""
    min: Count = 1
    max: Count | None = None
    weight: Amount = 1.0
    notes: dict[str, Any] = {}


class Expectations(Record, frozen=True, metaclass=Sequenced):
    """What the answer must and must not do, in plain words, for a judge; `model` and `eval_mode` say which one."""

    must: Several[str] = ()
    must_not: Several[str] = ()
    model: str | None = None
    eval_mode: str | None = None


class Golden(Record, frozen=True, metaclass=Spelled):
    """One input and what should happen then. Only `input` is needed.

    `any_of` holds whole alternatives to `expected_calls`; the best one counts.
    `tools` names tools of the suite or holds definitions in place, in any spelling; `tool_set` names one of the suite's
    sets of tools instead. `model` and `settings` are for this golden alone: another model, or settings laid over the
    agent's. `expected_state` is what must be true of the fake worlds at the end; what it does not mention must be as it
    was.

    What was recorded of an agent may stand beside it: `actual_output`, `tools_called`, `retrieval_context` and what it
    cost. `expectations` and `expected_labels` are for judges and classifiers; `custom_columns` are a table's own.
    """

    input: str
    id: str = ""
    category: Category = "golden"
    tools: Several[str | dict[str, Any]] | None = None
    system: str | None = None
    context: Several[str] | None = None
    expected_calls: Several[ExpectedCall] = ()
    any_of: Several[Several[ExpectedCall]] = ()
    order: Literal["any", "strict"] = "any"
    extra_calls: Literal["forbid", "allow"] = "forbid"
    forbidden_calls: Several[str | dict[str, str]] = ()
    no_calls: bool = False
    max_calls: Count | None = None
    max_latency_ms: Amount | None = None
    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    argument_matching: Literal["exact", "schema"] = "exact"
    defaults: Literal["apply", "strict"] = "apply"
    count_failed: Literal["all", "successful", "final"] = "all"
    output_contains: Several[Any] = ()
    expected_output: str | None = None
    expected_state: dict[str, Any] | None = None
    name: str | None = None
    comments: str | None = None
    tags: Several[str] = ()
    cluster: str | None = None
    metadata: dict[str, Any] = {}
    actual_output: str | None = None
    tools_called: Several[ToolCall] | None = None
    retrieval_context: Several[str] | None = None
    expectations: Expectations | None = None
    expected_labels: dict[str, str] | None = None
    custom_columns: dict[str, str] | None = None
    source_file: str | None = None
    token_cost: float | None = None
    input_token_count: float | None = None
    output_token_count: float | None = None
    tool_set: str | None = None
    model: str | None = None
    settings: dict[str, Any] | None = None


class Turn(Record, frozen=True, metaclass=Spelled):
    """One turn of a conversation, said or scripted, with what the agent should call in it.

    `notes` keeps what other tools' files say of the turn; no metric reads them.
    """

    role: Literal["user", "assistant"]
    content: str
    expected_calls: Several[ExpectedCall] | None = None
    tools_called: Several[ToolCall] | None = None
    retrieval_context: Several[str] | None = None
    user_id: str | None = None
    metadata: dict[str, Any] = {}
    notes: dict[str, Any] = {}


class ConversationalGolden(Record, frozen=True, metaclass=Spelled):
    """A scenario of several turns and how it should end. Only `scenario` is needed.

    `turns` up to the last one of the assistant are what has been said already; the user's turns after it are what the
    user says next, one after the other, each answered by the agent. `expected_calls` are over the whole conversation.
    `user_description` says who the user is; `persona` may say it with a name and more (`characteristics` is the same
    text).

    A golden without turns left to say is played by a simulated user, `simulate: true` lets one go on after the turns,
    and `false` never does. `personas` are manners to play it in, each a conversation: a name of the built-in ones, or
    an object with a name and characteristics. `stopping_criteria` says when the user has what they came for,
    `max_turns` how often they speak at most, `user_model` which model plays them.
    """

    scenario: str
    id: str = ""
    category: Category = "golden"
    expected_outcome: str | None = None
    user_description: str | None = None
    turns: Several[Turn] = ()
    tools: Several[str | dict[str, Any]] | None = None
    system: str | None = None
    context: Several[str] | None = None
    expected_calls: Several[ExpectedCall] = ()
    order: Literal["any", "strict"] = "any"
    extra_calls: Literal["forbid", "allow"] = "forbid"
    forbidden_calls: Several[str | dict[str, str]] = ()
    no_calls: bool = False
    max_calls: Count | None = None
    output_contains: Several[Any] = ()
    expected_state: dict[str, Any] | None = None
    name: str | None = None
    comments: str | None = None
    tags: Several[str] = ()
    cluster: str | None = None
    metadata: dict[str, Any] = {}
    persona: dict[str, Any] | None = None
    expectations: Expectations | None = None
    expected_labels: dict[str, str] | None = None
    custom_columns: dict[str, str] | None = None
    simulate: bool | None = None
    personas: Several[str | dict[str, Any]] = ()
    stopping_criteria: str | None = None
    max_turns: Annotated[int, msgspec.Meta(ge=1)] | None = None
    user_model: str | None = None

    @property
    def given(self) -> tuple[Turn, ...]:
        """The turns that were said before the agent begins."""
        last = max((at for at, turn in enumerate(self.turns) if turn.role == "assistant"), default=-1)
        return tuple(self.turns[: last + 1])

    @property
    def script(self) -> tuple[Turn, ...]:
        """The user's turns that are left to say."""
        return tuple(self.turns[len(self.given) :])

    @property
    def is_simulated(self) -> bool:
        """Whether a simulated user takes part."""
        return not self.script if self.simulate is None else self.simulate


AnyGolden = Golden | ConversationalGolden


G = TypeVar("G", bound=Golden | ConversationalGolden)


def with_id(golden: G) -> G:
    """The golden itself, or the same with an id made of its content, so that it survives reordering."""
    if golden.id:
        return golden
    digest = hashlib.sha256(
        msgspec.json.encode(golden, enc_hook=described, order="deterministic")
    ).hexdigest()
    return msgspec.structs.replace(golden, id=f"g-{digest[:12]}")
