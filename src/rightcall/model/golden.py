"""What should happen: single-turn goldens and conversations.

A conversation about `refund` with the simulated user `unsure` is `refund@unsure`; when several models play users, the
model's name is added: `refund@unsure+openai:gpt-5-mini`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import describe_value
from rightcall.core.digest import json_digest
from rightcall.model.approval import Caller
from rightcall.model.call import CallStatus, ToolCall, as_tool_call
from rightcall.model.deepeval import RENAMED, Words, as_tuples, list_of, rename_words, with_notes
from rightcall.model.deepeval_fields import GoldenFields, TurnFields
from rightcall.model.record import Record, Sequenced, Several, Spelled
from rightcall.model.safety import Safety
from rightcall.model.tool import ToolKind

Category = Literal["golden", "secondary", "negative"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

IN_NOTES_OF_TURN = (
    "audio", "latency_ms", "interrupted", "provider_transcript", "mcp_tools_called", "mcp_resources_called",
    "mcp_prompts_called",
)  # fmt: skip
ON_CALLS = ("expected_calls", "any_of", "extra_calls", "forbidden_calls", "no_calls")
"""Fields that define which calls are right."""

JudgedCalls = Literal["all", "tools", "skills", "agents"]
"""Which calls a golden is about: all, or those of one kind of tool."""

ToolPattern = str | tuple[str, ...] | dict[str, str | tuple[str, ...]]
"""A tool name, a list of acceptable names, or `{"regex": …}` matching the whole name. `{"handoff": NAME}` is a call
that hands the conversation to that agent, `{"delegate": NAME}` one whose work it does, whatever the call's name."""

AgentPattern = str | tuple[str, ...] | dict[str, Any]
"""An agent's name, the end of the path to it (`triage/lookup`), a list of either, or a matcher for the name."""

NOT_GIVEN = ("",)
"""The tool of an expected call that names none; recognized by identity, since `[""]` is a (useless) list of names."""


class ExpectedCall(Record, frozen=True, metaclass=Sequenced):
    """One call that should happen.

    `args` contains a matcher for each parameter: a bare value means exactly that value, an object with one
    known matcher key is that matcher. Without `args` any arguments are accepted; `{}` means no arguments.
    `after` names the ids of expected calls that must come in a strictly earlier step. The call must occur
    between `min` and `max` times (`max` defaults to `min`); `required: false` makes all of them optional.
    `weight` is the call's weight in parameter accuracy. `by` is the agent that must make the call; where the agent is
    not known, it is not judged. `handoff` and `delegate` are written instead of `tool` and name the agent that a call
    gives work to; a record has them as its `tool`. `kind` says that the tool must be a skill, an agent or a plain
    tool; no metric reads it. `notes` keeps extra data from other tools' files
    about the call (its type, a description, why it is made, its output); no metric reads them.
    """

    tool: ToolPattern = NOT_GIVEN
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
    kind: ToolKind | None = None
    by: AgentPattern | None = None
    handoff: str | tuple[str, ...] | None = None
    delegate: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.handoff is None and self.delegate is None and self.tool is not NOT_GIVEN:
            return
        targets = {"handoff": self.handoff, "delegate": self.delegate}
        stated = {word: target for word, target in targets.items() if target is not None}
        if not stated:
            raise ValueError("Object missing required field `tool`")
        if len(stated) > 1 or self.tool is not NOT_GIVEN or not all(stated.values()):
            raise ValueError("an expected call needs one of tool, handoff and delegate, with a name")
        msgspec.structs.force_setattr(self, "tool", stated)
        msgspec.structs.force_setattr(self, "handoff", None)
        msgspec.structs.force_setattr(self, "delegate", None)

    @property
    def plain_arguments(self) -> dict[str, Any] | None:
        """The exact arguments; None if any are accepted or one has another matcher."""
        specs = {} if self.args is None else self.args
        plain = all(
            not callable(spec) and (not isinstance(spec, dict) or spec.keys() == {"exact"})
            for spec in specs.values()
        )
        if self.args is None or not plain:
            return None
        return {name: spec["exact"] if isinstance(spec, dict) else spec for name, spec in specs.items()}

    def as_tool_call(self) -> ToolCall:
        """The call as if it had been made; arguments with matchers, which no call has, are left out."""
        notes = {key: value for key, value in self.notes.items() if key != "output"}
        name, agent = str(_first(self.tool)), _first(self.by) if isinstance(self.by, str | tuple) else None
        if isinstance(self.tool, dict) and (word := next(iter(self.tool))) != "regex":
            notes[word] = name = str(_first(self.tool[word]))
            name = f"transfer_to_{name}" if word == "handoff" else name
        output = self.notes.get("output")
        status: CallStatus = "not_run" if output is None else "ok"
        call = ToolCall(name, self.plain_arguments or {}, status=status, output=output, notes=notes)
        path = tuple(agent.split("/")) if agent else ()
        return replace(call, agent=path[-1], path=path) if path else call


def _first(pattern: Any) -> Any:
    """The first name of a pattern."""
    if isinstance(pattern, str):
        return pattern
    return next(iter(pattern.values() if isinstance(pattern, dict) else pattern))


def as_expected_call(tool: Any) -> ExpectedCall:
    """One of `expected_tools`: a tool's name, a `ToolCall`, or a mapping as in a file."""
    if isinstance(tool, ExpectedCall):
        return tool
    if isinstance(tool, str):
        return ExpectedCall(tool)
    call = as_tool_call(tool)
    args = {name: literal(value) for name, value in call.arguments.items()} if call.arguments else None
    notes = call.notes if call.output is None else {**call.notes, "output": call.output}
    return ExpectedCall(call.name, args, notes=notes)


def literal(value: Any) -> Any:
    """Wrap an object that would be read as a matcher because of its key, so that it is taken literally."""
    return {"exact": value} if isinstance(value, dict) else value


class Expectations(Record, frozen=True, metaclass=Sequenced):
    """What the answer must and must not do, in plain words, for a judge; `model` and `eval_mode` choose the judge."""

    must: Several[str] = ()
    must_not: Several[str] = ()
    model: str | None = None
    eval_mode: str | None = None


class AgentBudget(Record, frozen=True):
    """What one agent may use in a case, for its calls and answers alone: agents that it uses as tools do not count."""

    max_calls: Count | None = None
    max_tokens: Count | None = None
    max_latency_ms: Amount | None = None


class Golden(Record, GoldenFields, frozen=True, metaclass=Spelled):
    """One input and what should happen. Only `input` is required.

    A golden that states no check (`states_check`) is unchecked unless a metric decides: it runs and is shown, but
    neither passes nor fails. Without `category` it counts as `golden`, but that alone is no check. An explicit
    `expected_calls=[]` is: nothing may be called.

    `any_of` contains whole alternatives to `expected_calls`; the best one counts. `tools` lists tools of the
    suite or inline definitions, in any format; `tool_set` names one of the suite's tool sets instead. `model`
    and `settings` apply to this golden only: another model, or settings that override the agent's.
    `expected_state` is what must be true of the simulated worlds at the end; everything it does not mention
    must be unchanged. `outcome_checked_by` names tools that tell whether an effect happened: a case in which the
    outcome of a real call is unknown can pass only if one of them answered after it.

    `judge` restricts the golden to calls of one kind: with `skills`, only loading a skill is right or wrong.

    `agents` are budgets by agent, `max_depth` how deep agents may use agents as tools, `max_handoffs` how often the
    conversation may change hands, and `answered_by` the agent that must give the final answer.

    `confirm` names tools for which the agent must ask before it acts. `as_` (`as` in files) is the caller on whose
    behalf the agent acts: a tool with `roles` must refuse one who has none of them. `safety` makes it an attempt: an
    attack that is planted in what the agent reads, and the calls that must not follow from it.

    Recorded behaviour of an agent may be included: `actual_output`, `tools_called`, `retrieval_context` and
    its cost. `expectations` and `expected_labels` are for judges and classifiers; `custom_columns` are a
    table's extra columns.
    """

    input: str
    id: str = ""
    category: Category | None = None
    tools: Several[str | dict[str, Any]] | None = None
    system: str | None = None
    context: Several[str] | None = None
    expected_calls: Several[ExpectedCall] = ()
    any_of: Several[Several[ExpectedCall]] = ()
    order: Literal["any", "strict"] = "any"
    extra_calls: Literal["forbid", "allow"] = "forbid"
    forbidden_calls: Several[str | dict[str, Any]] = ()
    no_calls: bool = False
    max_calls: Count | None = None
    max_latency_ms: Amount | None = None
    threshold: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
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
    outcome_checked_by: Several[str] = ()
    confirm: Several[str] = ()
    as_: Caller | None = msgspec.field(default=None, name="as")
    judge: JudgedCalls = "all"
    agents: dict[str, AgentBudget] = {}
    max_depth: Count | None = None
    max_handoffs: Count | None = None
    answered_by: AgentPattern | None = None
    safety: Safety | None = None

    _further_words: ClassVar = ("expected_tools", *RENAMED)

    @staticmethod
    def _respell(words: Words) -> Words:
        fields = rename_words(words)
        tools = fields.pop("expected_tools", None)
        if tools is not None:
            fields["expected_calls"] = tuple(map(as_expected_call, list_of(tools, "expected_tools")))
        return _with_calls(_open_to_calls(fields))

    def _without_calls(self) -> Golden:
        return expect_no_calls(self)

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

    @staticmethod
    def _respell(words: Words) -> Words:
        return _with_calls(with_notes(rename_words(words), IN_NOTES_OF_TURN))


class ConversationalGolden(Record, GoldenFields, frozen=True, metaclass=Spelled):
    """A scenario of several turns and how it should end. Only `scenario` is required.

    Without a check it is unchecked, as a single-turn golden is.

    `turns` up to the assistant's last one are history; the user's turns after it are sent one after the
    other, each answered by the agent. `expected_calls` apply to the whole conversation. `user_description`
    says who the user is; `persona` may say it with a name and more (`characteristics` is the same text).

    A golden without scripted turns left is played by a simulated user; `simulate: true` lets one continue
    after the scripted turns, and `false` never does. `personas` are characters to play it with, each a
    separate conversation: the name of a built-in one, or an object with a name and characteristics.
    `stopping_criteria` says when the user has got what they wanted, `max_turns` limits the user's turns,
    `user_model` chooses the model that plays them. `outcome_checked_by`, `confirm`, `judge`, `as_` and `safety` are
    those of a golden.
    """

    scenario: str
    id: str = ""
    category: Category | None = None
    expected_outcome: str | None = None
    user_description: str | None = None
    turns: Several[Turn] = ()
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
    persona: dict[str, Any] | None = None
    expectations: Expectations | None = None
    expected_labels: dict[str, str] | None = None
    custom_columns: dict[str, str] | None = None
    simulate: bool | None = None
    personas: Several[str | dict[str, Any]] = ()
    stopping_criteria: str | None = None
    max_turns: Annotated[int, msgspec.Meta(ge=1)] | None = None
    user_model: str | None = None
    outcome_checked_by: Several[str] = ()
    confirm: Several[str] = ()
    as_: Caller | None = msgspec.field(default=None, name="as")
    judge: JudgedCalls = "all"
    agents: dict[str, AgentBudget] = {}
    max_depth: Count | None = None
    max_handoffs: Count | None = None
    answered_by: AgentPattern | None = None
    safety: Safety | None = None

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

    def _without_calls(self) -> ConversationalGolden:
        return expect_no_calls(self)

    @property
    def given(self) -> tuple[Turn, ...]:
        """The turns that precede the agent's first."""
        last = max((at for at, turn in enumerate(self.turns) if turn.role == "assistant"), default=-1)
        return tuple(self.turns[: last + 1])

    @property
    def script(self) -> tuple[Turn, ...]:
        """The user's turns still to be sent."""
        return tuple(self.turns[len(self.given) :])

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
    """The fields with the calls that were made as records."""
    if fields.get("tools_called") is not None:
        fields["tools_called"] = tuple(map(as_tool_call, list_of(fields["tools_called"], "tools_called")))
    return as_tuples(fields)


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
    if isinstance(golden, ConversationalGolden):
        return any(turn.expected_calls is not None for turn in golden.turns)
    return bool(
        golden.any_of
        or golden.max_latency_ms is not None
        or (golden.category is not None and golden.extra_calls == "forbid")
    )


def _limits_agents(golden: AnyGolden) -> bool:
    return (
        bool(golden.agents)
        or golden.max_depth is not None
        or golden.max_handoffs is not None
        or golden.answered_by is not None
    )


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
    if isinstance(golden, Golden) and not golden.any_of:
        return False
    return any(call.by is not None or is_target(call.tool) for call in expectations_of(golden))


def is_target(pattern: Any) -> bool:
    """Whether a pattern names the agent that a call gives work to, not a tool."""
    return isinstance(pattern, dict) and not pattern.keys().isdisjoint(("handoff", "delegate"))


def expectations_of(golden: AnyGolden) -> Iterator[ExpectedCall]:
    """Every expected call of a golden: its own, those of alternatives and of turns."""
    yield from golden.expected_calls
    if isinstance(golden, ConversationalGolden):
        for turn in golden.turns:
            yield from turn.expected_calls or ()
    else:
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


GENERATED = re.compile(r"g-[0-9a-f]{12}(?:-\d+)?(?:@.*)?", re.DOTALL)
"""A generated id, the number of a repeated row, and the simulated user of a conversation."""


def is_generated(golden_id: str) -> bool:
    """Whether the id was derived from the content of a golden, so that it tells a reader nothing."""
    return golden_id.startswith("g-") and GENERATED.fullmatch(golden_id) is not None


PERSONA, USER = "persona:", "user:"
"""Tags that say who played the user of a conversation: the persona, and the model if there are several."""


def with_persona(
    golden: ConversationalGolden, persona: str, model: str | None = None
) -> ConversationalGolden:
    """The golden as the conversation with one simulated user; the scenario is its cluster."""
    tags = (f"{PERSONA}{persona}", *((f"{USER}{model}",) if model else ()))
    return replace(
        golden,
        id=f"{golden.id}@{persona}+{model}" if model else f"{golden.id}@{persona}",
        cluster=golden.cluster or golden.id,
        tags=(*golden.tags, *(tag for tag in tags if tag not in golden.tags)),
    )


def conversation_recorded_as(golden: AnyGolden, recorded_id: str) -> ConversationalGolden | None:
    """The conversation that was recorded under this id; None when it is not about this golden."""
    if not isinstance(golden, ConversationalGolden) or not golden.is_simulated:
        return None
    if not recorded_id.startswith(f"{golden.id}@"):
        return None
    persona, _, model = recorded_id[len(golden.id) + 1 :].partition("+")
    return with_persona(golden, persona, model or None) if persona else None
