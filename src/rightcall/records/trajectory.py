"""What happened: the only thing metrics read about an agent's behaviour, with the ledger of its tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from rightcall.core.depth import is_too_deep
from rightcall.core.seam import load
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import NOT_HEARD, Message
from rightcall.records.record import Record, Sequenced, Several

LedgerPhase = Literal[
    "effect",  # the tool changed the world
    "late_effect",  # … after its caller had stopped waiting or lost its claim
    "unknown",  # the effect may have happened
    "replayed",  # an earlier result was returned again, nothing was done
    "refused",  # rejected before anything was done
    "key_expired_reuse",  # a key was used again after its time to live
    "fault",  # an injected fault fired
    "guard",  # the guard stopped the call before anything was done; its detail names the rules
    "attack",  # a planted text was handed to the agent, or could not be planted; a session began
    "unanswered",  # a tool that runs for real gave no answer: its effect may have happened
    "unreached",  # a tool that runs for real gave no answer, or could not be reached: nothing was changed
]


class LedgerEntry(Record, frozen=True):
    """One line of the ledger.

    `effect_id` numbers the entries of one trial; `fingerprint` is equal for two calls that mean the same
    (ignoring key and volatile fields), so two effects with one fingerprint are a double effect.
    """

    effect_id: int
    phase: LedgerPhase
    tool: str
    fingerprint: str = ""
    key: str = ""
    attempt: int = 1
    call_id: str = ""
    time: float = 0.0
    detail: str = ""
    change: Any = None


StopReason = Literal[
    "done", "truncated", "refused", "filtered", "limit", "waiting_for_approval", "rejected", "unreadable",
    "agent_error", "infra_error",
]  # fmt: skip
"""Why an agent stopped. `waiting_for_approval`: it asked a human, and nobody has answered. `filtered`: a content filter
stopped the answer, `rejected`: the model's server cannot answer its request, `unreadable`: what it returned cannot be
read. These are the agent's, as an `agent_error` is; an `infra_error` is nobody's answer."""


class Usage(Record, frozen=True):
    """Tokens and money; None where they are unknown: no price, or a model that reported no tokens.

    `cached_tokens` are the input tokens that the provider served from its cache at a lower price.
    """

    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = None
    cached_tokens: int | None = 0

    @property
    def tokens(self) -> int:
        """Input and output tokens, as far as they are known."""
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    def plus(self, other: Usage) -> Usage:
        """The sum; a part is unknown only when both are."""
        return Usage(*map(_sum_of_known, astuple(self), astuple(other)))


def _sum_of_known(left: Any, right: Any) -> Any:
    if left is None or right is None:
        return right if left is None else left
    return left + right


MOST_TOKENS = 10**12
"""Per reply: a million of them still add up to a number that every file and database can store."""


def token_count(value: Any) -> int:
    """A number of tokens as reported by a reply; 0 when it is invalid, or more than any reply can have used."""
    counts = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return value if counts else 0


UNKNOWN_USAGE = Usage(None, None, None, None)
"""What a model used that reported nothing."""

NOTHING_USED = Usage()
"""Shared by all trajectories without usage, so that adding them up can skip it."""


Ended = Literal[
    "script_end", "user_stop", "transfer", "stopped", "max_turns", "limit", "refused", "truncated",
    "waiting_for_approval", "agent_error", "user_error", "infra_error", "filtered", "rejected", "unreadable",
]  # fmt: skip
"""Why a conversation ended: the script ended, the user got what they wanted, the user was handed over
to a human, a controller or a limit stopped it, the agent waits for an approval, or one side failed.
`user_error` is the simulated user's fault."""


class Dialogue(Record, frozen=True):
    """How a conversation went: who the user was, and why it ended.

    `given` counts the messages that preceded the agent's first turn; they are not the agent's work. `user` is
    `script`, or the model and the persona that played the user, `prompt_hash` identifies that model's prompt,
    and `usage` is what it spent.
    """

    ended: Ended
    why: str = ""
    user: str = "script"
    given: int = 0
    prompt_hash: str = ""
    usage: Usage = Usage()


class AgentAnswer(Record, frozen=True, metaclass=Sequenced):
    """One answer of a model, and the agent that asked for it; `agent` and `path` as in a call.

    `step` is that of the calls in it; None when those were not recorded. `tokens` are input and output together. What
    was not measured is None.
    """

    agent: str | None = None
    path: Several[str] = ()
    step: int | None = None
    tokens: int | None = None
    latency_ms: float | None = None


def answers_after(first_step: int, answers: Sequence[AgentAnswer]) -> tuple[AgentAnswer, ...]:
    """Answers of a later turn, with their steps counted on."""
    return tuple(
        answer if answer.step is None else replace(answer, step=answer.step + first_step)
        for answer in answers
    )


class Trajectory(Record, frozen=True, metaclass=Sequenced):
    """Messages, calls with their results, the final answer, usage, timing and why it ended.

    `calls` is in the order the model made them and is independent of `messages`: a trajectory known only by
    its calls has no messages. `error` says what failed when `stop_reason` is an error. `ledger` records what
    the tools really did, `state_before` and `state` how their simulated worlds looked at the start and at the
    end. Up to `lag_ms` of `latency_ms` may have been added by the measuring machine. `dialogue` describes how
    a conversation went. `served_model` is the model name in the reply, if it differs from the requested one.
    `approvals_seen` says that requests for approval would have been seen: a call without one was run without asking.
    `answers` are those of all agents in order of time, agents used as tools included; empty when no agent has a name.
    `cause` is what an agent's own failure arose from, equal for equal causes: an exception's type with its file and
    line, or the type of a result that cannot be read. `unreached` is the host that a lost connection was to, if known.
    """

    messages: Several[Message] = ()
    calls: Several[ToolCall] = ()
    output: str = ""
    usage: Usage = NOTHING_USED
    latency_ms: float | None = None
    stop_reason: StopReason = "done"
    error: str = ""
    ledger: Several[LedgerEntry] = ()
    state_before: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    lag_ms: float = 0.0
    dialogue: Dialogue | None = None
    served_model: str = ""
    approvals_seen: bool = False
    answers: Several[AgentAnswer] = ()
    cause: str = ""
    unreached: str = ""

    @classmethod
    def read(cls, messages: Any, where: str = "the messages") -> Trajectory:
        """What an agent did, from its messages in any provider's format."""
        trajectory: Trajectory = load("services", "spellings").read_trajectory(messages, where)
        return trajectory

    @property
    def own_start(self) -> int:
        """Index of the agent's first own message; earlier ones are history."""
        return self.dialogue.given if self.dialogue else 0

    @property
    def own_messages(self) -> list[Message]:
        """The agent's own messages, without those of the history."""
        return [message for message in self.messages[self.own_start :] if message.role == "assistant"]

    @property
    def requests(self) -> int:
        """How often the agent asked a model, as far as its messages say."""
        return sum(not message.note for message in self.own_messages)

    @property
    def all_said(self) -> str:
        """What the agent said in all of its turns; the output where no messages were recorded."""
        return "\n".join(message.content for message in self.own_messages if message.content) or self.output

    @property
    def unheard(self) -> bool:
        """Whether the agent was to be observed, and only what it returned is known: what it asked was not heard."""
        silent = any(message.role == "user" and message.note == NOT_HEARD for message in self.messages)
        return silent and not self.calls and not self.own_messages

    @property
    def answered(self) -> bool:
        """Whether anything of the agent arrived: a call, a word, a refusal, or tokens that it used."""
        return (
            bool(self.calls or (self.output.strip() and not self.unheard) or self.usage.output_tokens)
            or self.stop_reason in ("refused", "truncated", "filtered")
            or any(message.content.strip() or message.calls for message in self.own_messages)
        )

    @property
    def spent(self) -> Usage:
        """The cost of the case: the agent, and the model that played its user."""
        return self.usage if self.dialogue is None else self.usage.plus(self.dialogue.usage)

    @property
    def least_latency_ms(self) -> float | None:
        """A lower bound on the agent's latency; None when not measured."""
        return None if self.latency_ms is None else max(0.0, self.latency_ms - self.lag_ms)


class RecordedTrajectory(Record, frozen=True):
    """A trajectory of one trial of a golden, as stored in a trajectories file.

    `trial` is None when the file does not number its trials: they are then numbered in file order.
    """

    golden_id: str
    trajectory: Trajectory
    trial: int | None = None


R = TypeVar("R", Trajectory, Message)
P = TypeVar("P", ToolCall, ToolResult)

MOST_KEPT = 2000
"""Characters kept of a value that is too deep to be kept as a value."""


def limit_trajectory_depth(trajectory: Trajectory) -> Trajectory:
    """The same trajectory object when nothing in it is too deep, which is nearly always."""
    in_message = partial(_limit_parts, calls=limit_call_depth, results=_limit_output_depth)
    return _limit_parts(trajectory, calls=limit_call_depth, messages=in_message)


def limit_call_depth(call: ToolCall) -> ToolCall:
    if is_too_deep(call.arguments):
        call = replace(call, arguments=None, raw=_text(call.arguments))
    return _limit_output_depth(call)


def _limit_output_depth(part: P) -> P:
    return replace(part, output=_text(part.output)) if is_too_deep(part.output) else part


def _limit_parts(record: R, **limits: Callable[[Any], Any]) -> R:
    parts = {name: tuple(map(limit, getattr(record, name))) for name, limit in limits.items()}
    pairs = (zip(part, getattr(record, name), strict=True) for name, part in parts.items())
    return record if all(all(new is old for new, old in pair) for pair in pairs) else replace(record, **parts)


def _text(value: Any) -> str:
    """The beginning of the value as JSON, if it can be encoded."""
    try:
        return msgspec.json.encode(value).decode()[:MOST_KEPT]
    except (RecursionError, TypeError, ValueError):
        return "nested too deeply to write down"
