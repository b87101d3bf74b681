"""What should happen: single-turn goldens and conversations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import describe_value
from rightcall.core.digest import json_digest
from rightcall.records.approval import Caller
from rightcall.records.call import ToolCall, as_tool_call
from rightcall.records.deepeval import RENAMED, Words, list_of, rename_words, with_notes
from rightcall.records.expected_call import (
    AgentBudget,
    AgentPattern,
    Expectations,
    ExpectedCall,
    as_expected_call,
    is_target,
)
from rightcall.records.record import Amount, Count, Reading, Record, Several, Spelled
from rightcall.records.safety import Safety

Category = Literal["golden", "secondary", "negative"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

IN_NOTES_OF_TURN = (
    "audio", "latency_ms", "interrupted", "provider_transcript", "mcp_tools_called", "mcp_resources_called",
    "mcp_prompts_called",
)  # fmt: skip
ON_CALLS = ("expected_calls", "any_of", "extra_calls", "forbidden_calls", "no_calls")
"""Fields that define which calls are right."""

JudgedCalls = Literal["all", "tools", "skills", "agents"]
"""Which calls a golden is about: all, or those of one kind of tool."""


class Asked:
    """A golden as text is what it asks: an agent that writes one into a prompt sends nothing that is expected."""

    __slots__ = ()

    def __str__(self) -> str:
        return request_of(self)  # type: ignore[arg-type]

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)


class TurnFields:
    """DeepEval's fields of a turn."""

    __slots__ = ()

    additional_metadata = Reading[dict[str, Any]](lambda turn: turn.metadata)
    """DeepEval's former name for `metadata`."""
    latency_ms = Reading[float | None](lambda turn: turn.notes.get("latency_ms"))
    """Time until the answer."""
    interrupted = Reading[bool | None](lambda turn: turn.notes.get("interrupted"))
    """Whether the speaker was interrupted."""
    provider_transcript = Reading[str | None](lambda turn: turn.notes.get("provider_transcript"))
    """The provider's transcript of a spoken turn."""


class SharedGolden(Record, Asked, frozen=True, kw_only=True, metaclass=Spelled):
    """What every golden may state, of one turn or of several: the fields of both, declared once.

    `tools` lists tools of the suite or inline definitions, in any format. `expected_state` is what must be true of the
    simulated worlds at the end; everything it does not mention must be unchanged. `outcome_checked_by` names tools that
    tell whether an effect happened: a case in which the outcome of a real call is unknown can pass only if one of them
    answered after it.

    `judge` restricts the golden to calls of one kind: with `skills`, only loading a skill is right or wrong.

    `agents` are budgets by agent, `max_depth` how deep agents may use agents as tools, `max_handoffs` how often the
    conversation may change hands, and `answered_by` the agent that must give the final answer.

    `confirm` names tools for which the agent must ask before it acts. `as_` (`as` in files) is the caller on whose
    behalf the agent acts: a tool with `roles` must refuse one who has none of them. `safety` makes it an attempt: an
    attack that is planted in what the agent reads, and the calls that must not follow from it.

    `expectations` and `expected_labels` are for judges and classifiers; `custom_columns` are a table's extra columns.
    """

    tools: Several[str | dict[str, Any]] | None = None
    system: str | None = None
    context: Several[str] | None = None
    expected_calls: Several[ExpectedCall] = ()
    order: Literal["any", "strict"] = "any"
    extra_calls: Literal["forbid", "allow"] = "forbid"
    forbidden_calls: Several[str | dict[str, Any]] = ()
    no_calls: bool = False
    max_calls: Count | None = None
    output_contains: Several[Any] = ()
    expected_state: dict[str, Any] | None = None
    name: str | None = None
    comments: str | None = None
    tags: Several[str] = ()
    cluster: str | None = None
    metadata: dict[str, Any] = {}
    expectations: Expectations | None = None
    expected_labels: dict[str, str] | None = None
    custom_columns: dict[str, str] | None = None
    outcome_checked_by: Several[str] = ()
    confirm: Several[str] = ()
    as_: Caller | None = msgspec.field(default=None, name="as")
    judge: JudgedCalls = "all"
    agents: dict[str, AgentBudget] = {}
    max_depth: Count | None = None
    max_handoffs: Count | None = None
    answered_by: AgentPattern | None = None
    safety: Safety | None = None

    additional_metadata = Reading[dict[str, Any]](lambda golden: golden.metadata)
    """DeepEval's name for `metadata`."""
    custom_column_key_values = Reading[dict[str, str] | None](lambda golden: golden.custom_columns)
    """DeepEval's name for `custom_columns`."""
    any_of = Reading[Several[Several[ExpectedCall]]](lambda golden: ())
    turns = Reading[Several["Turn"]](lambda golden: ())
    max_latency_ms = Reading[float | None](lambda golden: None)

    @property
    def given(self) -> tuple[Turn, ...]:
        """The turns that precede the agent's first."""
        last = max((at for at, turn in enumerate(self.turns) if turn.role == "assistant"), default=-1)
        return tuple(self.turns[: last + 1])

    @property
    def script(self) -> tuple[Turn, ...]:
        """The user's turns still to be sent."""
        return tuple(self.turns[len(self.given) :])

    def _without_calls(self) -> Self:
        return expect_no_calls(self)  # type: ignore[type-var]


class Golden(SharedGolden, frozen=True, metaclass=Spelled):
    """One input and what should happen. Only `input` is required.

    A golden that states no check (`states_check`) is unchecked unless a metric decides: it runs and is shown, but
    neither passes nor fails. Without `category` it counts as `golden`, but that alone is no check. An explicit
    `expected_calls=[]` is: nothing may be called.

    `any_of` contains whole alternatives to `expected_calls`; the best one counts. `tool_set` names one of the suite's
    tool sets instead of `tools`. `model` and `settings` apply to this golden only: another model, or settings that
    override the agent's.

    Recorded behaviour of an agent may be included: `actual_output`, `tools_called`, `retrieval_context` and its cost.
    """

    input: str
    id: str = ""
    category: Category | None = None
    any_of: Several[Several[ExpectedCall]] = ()
    max_latency_ms: Amount | None = None
    threshold: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    argument_matching: Literal["exact", "schema"] = "exact"
    defaults: Literal["apply", "strict"] = "apply"
    count_failed: Literal["all", "successful", "final"] = "all"
    expected_output: str | None = None
    actual_output: str | None = None
    tools_called: Several[ToolCall] | None = None
    retrieval_context: Several[str] | None = None
    source_file: str | None = None
    token_cost: float | None = None
    input_token_count: float | None = None
    output_token_count: float | None = None
    tool_set: str | None = None
    model: str | None = None
    settings: dict[str, Any] | None = None

    _further_words: ClassVar = ("expected_tools", *RENAMED)

    @staticmethod
    def _respell(words: Words) -> Words:
        fields = rename_words(words)
        tools = fields.pop("expected_tools", None)
        if tools is not None:
            fields["expected_calls"] = tuple(map(as_expected_call, list_of(tools, "expected_tools")))
        return _with_calls(_open_to_calls(fields))

    @property
    def expected_tools(self) -> list[ToolCall] | None:
        """DeepEval's name for the expected calls, as tool calls; None if the golden says nothing about calls."""
        calls = [call.as_tool_call() for call in self.expected_calls]
        return calls if calls or self.no_calls or self.extra_calls == "forbid" else None


class Turn(Record, TurnFields, frozen=True, metaclass=Spelled):
    """One turn of a conversation, recorded or scripted, with the calls the agent should make in it.

    `notes` keeps extra data from other tools' files; no metric reads them.
    """

    role: Literal["user", "assistant"]
    content: str
    expected_calls: Several[ExpectedCall] | None = None
    tools_called: Several[ToolCall] | None = None
    retrieval_context: Several[str] | None = None
    user_id: str | None = None
    metadata: dict[str, Any] = {}
    notes: dict[str, Any] = {}

    _further_words: ClassVar = IN_NOTES_OF_TURN
    _hints: ClassVar = {who: f'write {{"role": "{who}", "content": "…"}}' for who in ("user", "assistant")}

    @staticmethod
    def _respell(words: Words) -> Words:
        return _with_calls(with_notes(rename_words(words), IN_NOTES_OF_TURN))


class ConversationalGolden(SharedGolden, frozen=True, metaclass=Spelled):
    """A scenario of several turns and how it should end. Only `scenario` is required.

    Without a check it is unchecked, as a single-turn golden is.

    `turns` up to the assistant's last one are history; the user's turns after it are sent one after the
    other, each answered by the agent. `expected_calls` apply to the whole conversation. `user_description`
    says who the user is; `persona` may say it with a name and more (`characteristics` is the same text).

    A golden without scripted turns left is played by a simulated user; `simulate: true` lets one continue
    after the scripted turns, and `false` never does. `personas` are characters to play it with, each a
    separate conversation: the name of a built-in one, or an object with a name and characteristics.
    `stopping_criteria` says when the user has got what they wanted, `max_turns` limits the user's turns.
    """

    scenario: str
    id: str = ""
    category: Category | None = None
    expected_outcome: str | None = None
    user_description: str | None = None
    turns: Several[Turn] = ()
    persona: dict[str, Any] | None = None
    simulate: bool | None = None
    personas: Several[str | dict[str, Any]] = ()
    stopping_criteria: str | None = None
    max_turns: Annotated[int, msgspec.Meta(ge=1)] | None = None

    _further_words: ClassVar = tuple(RENAMED)

    @staticmethod
    def _respell(words: Words) -> Words:
        fields = rename_words(words)
        persona = fields.get("persona")
        if persona is not None and not isinstance(persona, dict):
            fields["persona"] = {"characteristics": str(getattr(persona, "characteristics", persona))}
            if isinstance(name := getattr(persona, "name", None), str):
                fields["persona"]["name"] = name
        if fields.get("turns") is not None:
            turns = (turn if isinstance(turn, Turn) else Turn(**turn) for turn in fields["turns"])
            fields["turns"] = tuple(turns)
        return _with_calls(_open_to_calls(fields))

    @property
    def is_simulated(self) -> bool:
        """Whether a simulated user takes part."""
        return not self.script if self.simulate is None else self.simulate


AnyGolden = Golden | ConversationalGolden


def _open_to_calls(fields: Words) -> Words:
    """The fields of a golden; one that says nothing about calls allows every call."""
    stated = any(name in fields for name in ON_CALLS)
    return fields if stated else {**fields, "extra_calls": "allow"}


def _with_calls(fields: Words) -> Words:
    """The fields that are given, with the calls that were made as records and lists as tuples."""
    if fields.get("tools_called") is not None:
        fields["tools_called"] = tuple(map(as_tool_call, list_of(fields["tools_called"], "tools_called")))
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in fields.items()
        if value is not None
    }


G = TypeVar("G", bound=Golden | ConversationalGolden)


def request_of(golden: AnyGolden) -> str:
    """What a golden asks: its input, or the scenario of a conversation."""
    return golden.input if isinstance(golden, Golden) else golden.scenario


def category_of(golden: AnyGolden) -> Category:
    """The category that a golden counts in."""
    return golden.category or "golden"


def counted_category(golden: AnyGolden) -> Category:
    """The category in counts of a dataset: a golden that allows no call is negative, however it was written."""
    category = category_of(golden)
    if category != "golden" or golden.expected_calls:
        return category
    forbids_extra = golden.category is not None and golden.extra_calls == "forbid"
    forbids_all = isinstance(golden, Golden) and forbids_extra and not golden.any_of
    return "negative" if golden.no_calls or forbids_all else category


def states_check(golden: AnyGolden) -> bool:
    """Whether a golden states anything that an agent could get wrong. The only definition of a check of a golden.

    Calls that must, may or must not be made, limits, content, a final state, consent, and a category: `negative`
    forbids calls, the others forbid calls that are not expected, unless extra calls are allowed. What only judges read
    (`expected_output`, `expectations`, …) is checked when a metric asks one. A conversation that expects no calls
    allows any, so that only `negative` is a check among its categories. An empty list of expected calls that an author
    wrote has become a category, or `no_calls`, where it was read: `expect_no_calls`.
    """
    if (
        golden.expected_calls
        or golden.no_calls
        or golden.category == "negative"
        or golden.forbidden_calls
        or golden.output_contains
        or golden.max_calls is not None
        or golden.expected_state is not None
        or golden.confirm
        or golden.as_ is not None
        or golden.safety is not None
        or _limits_agents(golden)
    ):
        return True
    if isinstance(golden, Golden) and golden.category is not None and golden.extra_calls == "forbid":
        return True
    by_turn = any(turn.expected_calls is not None for turn in golden.turns)
    return by_turn or bool(golden.any_of) or golden.max_latency_ms is not None


def _limits_agents(golden: AnyGolden) -> bool:
    limits = (golden.max_depth, golden.max_handoffs, golden.answered_by)
    return bool(golden.agents) or any(limit is not None for limit in limits)


def names_agents(golden: AnyGolden) -> bool:
    """Whether a golden says anything about agents, so that the calls of all of them are read."""
    if _limits_agents(golden):
        return True
    for pattern in golden.forbidden_calls:
        if type(pattern) is dict and "regex" not in pattern:
            return True
    for call in golden.expected_calls:  # a plain loop: this is asked for every case that is not flawless
        if call.by is not None or (type(call.tool) is dict and is_target(call.tool)):
            return True
    if not golden.any_of and not golden.turns:
        return False
    return any(call.by is not None or is_target(call.tool) for call in expectations_of(golden))


def expectations_of(golden: AnyGolden) -> Iterator[ExpectedCall]:
    """Every expected call of a golden: its own, those of alternatives and of turns."""
    yield from golden.expected_calls
    for turn in golden.turns:
        yield from turn.expected_calls or ()
    for alternative in golden.any_of:
        yield from alternative


def expect_no_calls(golden: G) -> G:
    """The golden of an author who wrote `expected_calls: []`: nothing may be called, unless it states anything else.

    A record cannot tell an empty list from none, so whoever reads what an author wrote calls this.
    """
    if golden.extra_calls == "allow" or states_check(golden):
        return golden
    statement = {"no_calls": True} if isinstance(golden, ConversationalGolden) else {"category": "golden"}
    return replace(golden, **statement)


def canonical_golden(golden: G) -> G:
    """The golden as fingerprints read it: without `category: golden` where it says nothing new."""
    if golden.category != "golden":
        return golden
    silent = replace(golden, category=None)
    return silent if states_check(silent) == states_check(golden) else golden


def with_id(golden: G) -> G:
    """The golden itself, or a copy with an id derived from its content, so that it survives reordering."""
    if golden.id:
        return golden
    content = replace(golden, category=None) if golden.category == "golden" else golden
    return replace(golden, id=f"g-{json_digest(content, 12, enc_hook=describe_value)}")
