"""Expected calls proposed from a run: what most trials of a golden did, as a draft for a person to review.

What an agent did is not what it should do, so a proposal decides nothing before it is accepted: it is marked as
unreviewed, and a run refuses it. Only goldens that state no check get one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import msgspec

from rightcall.core.redaction.clean_text import HIDDEN, scrubber
from rightcall.core.text import pluralize
from rightcall.datasets.review import PROPOSAL, UNREVIEWED, Disagreement, ExpectedDrafts
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import FATAL
from rightcall.records.golden import AnyGolden, states_check
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import Trajectory
from rightcall.store.sql.store import Store

MOST_OTHERS = 5
"""Other behaviours that a draft names."""


def draft_expectations(store: Store, run: str) -> ExpectedDrafts:
    """Drafts from a stored run, for goldens that state no check.

    More than half of a golden's trials must have made the same calls. Arguments in which they differ, and those that
    contain a secret, which a store has hidden, are left open. Trials with an error or a fatal failure do not count.
    """
    stored_run = store.runs.get(run)
    clean = scrubber()
    goldens = {golden.id: golden for golden in store.runs.goldens(stored_run.id)}
    drafts: list[AnyGolden] = []
    split: list[Disagreement] = []
    silent: list[str] = []
    checked = 0
    for golden_id, trials in groupby(
        store.runs.results(stored_run.id, trajectories=True), key=lambda r: r.golden_id
    ):
        golden = goldens.get(golden_id)
        if golden is None or states_check(golden):
            checked += 1
            continue
        call_lists = [_calls(trial.trajectory) for trial in trials if trial.trajectory and _counts(trial)]
        if not call_lists:
            silent.append(golden_id)
            continue
        draft, behaviours = _draft(golden, call_lists, stored_run.id, stored_run.run.agent, clean=clean)
        if draft is not None:
            drafts.append(draft)
        if len(behaviours) > 1:
            why = "most trials agree" if draft is not None else "no calls were made by most trials"
            split.append(Disagreement(golden_id, why, behaviours))
    return ExpectedDrafts(stored_run.id, tuple(drafts), tuple(split), checked, without_answer=tuple(silent))


def _counts(trial: CaseResult) -> bool:
    """Whether a trial shows what the agent does: it answered, and did no damage."""
    is_fatal = any(failure.code in FATAL for failure in trial.codes)
    is_done = trial.trajectory is not None and trial.trajectory.stop_reason == "done"
    return is_done and not trial.error and not is_fatal


def _calls(done: Trajectory) -> tuple[ToolCall, ...]:
    """The calls of a trial; those that failed and were repeated say nothing about what should happen."""
    return tuple(
        call
        for at, call in enumerate(done.calls)
        if call.status != "error" or all(later.name != call.name for later in done.calls[at + 1 :])
    )


def _draft(
    golden: AnyGolden,
    trials: Sequence[tuple[ToolCall, ...]],
    run: str,
    agent: str,
    clean: Callable[[str], str],
) -> tuple[AnyGolden | None, tuple[tuple[str, int], ...]]:
    """The golden with the calls of most trials, None if no behaviour has a majority; and every behaviour."""
    behaviours = Counter(clean(_words(calls)) for calls in trials).most_common()
    names, times = Counter(tuple(call.name for call in calls) for calls in trials).most_common(1)[0]
    if 2 * times <= len(trials):
        return None, tuple(behaviours)
    alike = [calls for calls in trials if tuple(call.name for call in calls) == names]
    expected = tuple(
        _majority_call([calls[at] for calls in alike], len(trials), clean) for at in range(len(names))
    )
    proposal: dict[str, Any] = {"run": run, "agent": clean(agent), "trials": len(trials), "agreeing": times}
    if others := [f"{words} ({pluralize(n, 'trial')})" for words, n in behaviours[1 : MOST_OTHERS + 1]]:
        proposal["others"] = others
    if left_open := sorted(
        set(chain.from_iterable(_open_arguments(alike, at, call) for at, call in enumerate(expected)))
    ):
        proposal["left_open"] = left_open
    metadata = {**golden.metadata, PROPOSAL: proposal, "review": UNREVIEWED}
    fields = {"expected_calls": expected, "no_calls": not expected, "metadata": metadata}
    return msgspec.structs.replace(golden, **fields), tuple(behaviours)


def _majority_call(calls: Sequence[ToolCall], trials: int, clean: Callable[[str], str]) -> ExpectedCall:
    """One call as most trials made it: with the arguments that more than half of all trials gave."""
    argument_sets = [call.arguments for call in calls if call.arguments is not None]
    if 2 * len(argument_sets) <= trials:
        return ExpectedCall(calls[0].name)
    args: dict[str, Any] = {}
    open_args = False
    for name in dict.fromkeys(chain.from_iterable(argument_sets)):
        value, times = _most_common(arguments[name] for arguments in argument_sets if name in arguments)
        text = _text({name: value})  # the name tells secrets, too
        if 2 * times > trials and HIDDEN not in text and clean(text) == text:
            args[name] = {"exact": value} if isinstance(value, dict) else value
        else:
            open_args = True
    return ExpectedCall(calls[0].name, args, extra_args="ignore" if open_args else "forbid")


def _most_common(values: Iterable[Any]) -> tuple[Any, int]:
    by_text: dict[str, list[Any]] = {}
    for value in values:
        by_text.setdefault(_text(value), []).append(value)
    largest = max(by_text.values(), key=len)
    return largest[0], len(largest)


def _open_arguments(alike: Sequence[tuple[ToolCall, ...]], at: int, expected: ExpectedCall) -> Iterator[str]:
    """Arguments that trials gave and the draft does not expect."""
    if expected.extra_args == "ignore":
        names = set(chain.from_iterable(calls[at].arguments or () for calls in alike))
        yield from (f"{expected.tool}.{name}" for name in names - set(expected.args or ()))


def _words(calls: Sequence[ToolCall]) -> str:
    return ", ".join(f"{call.name}({_text(call.arguments)})" for call in calls) or "no calls"


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)
