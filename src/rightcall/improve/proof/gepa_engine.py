"""Descriptions by GEPA: a search that reflects on failed cases and keeps what is better (package `gepa`).

It searches on tune alone; what it finds is a proposal like any other and has to be proven. Its acceptance, a larger sum
on three cases, is a heuristic of the search, not evidence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from rightcall.core.errors import MissingExtraError
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.proposals import Proposal, ProposalTask
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.golden import AnyGolden, request_of
from rightcall.model.message import Message
from rightcall.model.run import CaseResult
from rightcall.models.base import ModelRequest, Prompt, Provider, Settings
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.resolver import resolve

TEMPLATE = """A model chooses among tools, and fills their arguments, by reading texts such as this one:
```
<curr_param>
```

These are requests, what the model did, and what was wrong with it:
```
<side_info>
```

Write a better text. Be no longer than the old one unless something is missing. Say what the tool or parameter is for
and, where it is confused with another, what it is not for. Never copy values, names or sentences from the requests. Use
no words such as always, must or best. Give the new text within ``` blocks."""
ROUNDS_PER_GOLDEN = 8
FEWEST_CALLS = 60
PATIENCE = 5
"""Rounds without an improvement after which the search ends."""
BEST = 3
LONGEST = 1_000
MOST_TOOLS = 3


class GepaEngine:
    """Proposes texts found by `gepa.optimize`; made for `ImproveOptions.rewrite`.

    `calls` bounds how often the agent is asked during the search; by default eight times for each golden of tune.
    """

    def __init__(self, model: str | ModelEndpoint, *, seed: int = 0, calls: int | None = None) -> None:
        self._model, self._seed, self._calls = model, seed, calls

    async def __call__(self, task: ProposalTask) -> list[Proposal]:
        """The best few texts of the search; none when it finds nothing better than the current ones."""
        try:
            import gepa
        except ImportError:
            raise MissingExtraError("--engine gepa", "gepa", "improve") from None
        texts = _components(task)
        if not texts or len(task.tune) < 2:
            return []
        loop = asyncio.get_running_loop()
        prompt = Prompt("", (), Settings(max_tokens=600, temperature=0.7))
        async with resolve(self._model) as provider:
            provider.prepare(prompt)
            ask = _Asker(provider, prompt, loop, self._seed)
            options = self._options(task, texts, _Adapter(task, texts, loop), ask)
            search = await asyncio.to_thread(lambda: gepa.optimize(**options))
        return _proposals(search, texts)

    def _options(
        self, task: ProposalTask, texts: Mapping[str, str], adapter: _Adapter, ask: _Asker
    ) -> dict[str, Any]:
        from gepa.utils import NoImprovementStopper, ScoreThresholdStopper

        calls = self._calls or max(FEWEST_CALLS, ROUNDS_PER_GOLDEN * len(task.tune))
        return {
            "seed_candidate": dict(texts),
            "trainset": list(task.tune[::2]),
            "valset": list(task.tune[1::2]),
            "adapter": adapter,
            "reflection_lm": ask,
            "reflection_prompt_template": TEMPLATE,
            "max_metric_calls": calls,
            "stop_callbacks": [NoImprovementStopper(PATIENCE), ScoreThresholdStopper(1.0)],
            "logger": _Silence(),
            "seed": self._seed,
            "raise_on_exception": True,
        }


def _components(task: ProposalTask) -> dict[str, str]:
    """The texts that stated findings are about: descriptions of tools, and of the parameters they name."""
    by_name = {tool.name: tool for tool in task.tools}
    stated = [(name, f.parameters) for f in task.found.stated for name in f.tools if name in by_name]
    tools = list(dict.fromkeys(name for name, _ in stated))[:MOST_TOOLS]
    texts = {name: by_name[name].description for name in tools}
    for name, parameters in stated:
        for parameter in parameters if name in tools else ():
            schema = by_name[name].parameters.get(parameter)
            if isinstance(schema, dict) and (text := str(schema.get("description", ""))):
                texts[f"{name}.{parameter}"] = text
    return texts


def _changes(texts: Mapping[str, str], candidate: Mapping[str, str]) -> tuple[ProposedChange, ...]:
    changes = []
    for name, old in texts.items():
        new = " ".join(str(candidate.get(name, old)).split())[:LONGEST]
        if new and new != old:
            tool, _, parameter = name.partition(".")
            path = ("input_schema", "properties", parameter, "description") if parameter else ("description",)
            changes.append(ProposedChange(tool, path, old, new))
    return tuple(changes)


def _proposals(search: Any, texts: Mapping[str, str]) -> list[Proposal]:
    scores = search.val_aggregate_scores
    ranked = sorted(range(1, len(search.candidates)), key=lambda at: (-scores[at], at))
    proposals: list[Proposal] = []
    for at in ranked:
        changes = _changes(texts, search.candidates[at])
        if scores[at] > scores[0] and changes and len(proposals) < BEST:
            tools = tuple(dict.fromkeys(change.tool for change in changes))
            proposals.append(
                Proposal(f"gepa {at}", "found by reflection on failed cases", changes, "model", tools)
            )
    return proposals


class _Adapter:
    """Runs the agent with GEPA's texts, and describes to GEPA what went wrong. Called from GEPA's thread."""

    propose_new_texts = None

    def __init__(self, task: ProposalTask, texts: Mapping[str, str], loop: asyncio.AbstractEventLoop) -> None:
        self._task, self._texts, self._loop = task, texts, loop

    def evaluate(
        self, batch: Sequence[AnyGolden], candidate: Mapping[str, str], capture_traces: bool = False
    ) -> Any:
        from gepa.core.adapter import EvaluationBatch

        proposal = Proposal("gepa", "", _changes(self._texts, candidate), "model")
        measuring = self._task.measure(proposal, list({golden.id: golden for golden in batch}.values()))
        results = asyncio.run_coroutine_threadsafe(measuring, self._loop).result()
        by_id = {result.golden_id: result for result in results}
        traces = [(golden, by_id[golden.id]) for golden in batch]
        scores = [result.score if result.passed else min(result.score, 0.99) for _, result in traces]
        return EvaluationBatch(traces, scores, traces if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> dict[str, list[dict[str, Any]]]:
        records = [_record(golden, result) for golden, result in eval_batch.trajectories or ()]
        return dict.fromkeys(components_to_update, records)


def _record(golden: AnyGolden, result: CaseResult) -> dict[str, Any]:
    calls = result.trajectory.calls if result.trajectory else ()
    did = [call_text(call.name, call.raw if call.arguments is None else call.arguments) for call in calls]
    wrong = [f"{failure.code} {failure.tool} {failure.parameter}".strip() for failure in result.codes] or [
        "right"
    ]
    return {
        "Inputs": {"request": request_of(golden)[:500]},
        "Generated Outputs": "; ".join(did)[:500] or "no call",
        "Feedback": "; ".join(dict.fromkeys(wrong)),
    }


class _Asker:
    """GEPA's reflection model: ours, asked from GEPA's thread."""

    def __init__(
        self, provider: Provider, prompt: Prompt, loop: asyncio.AbstractEventLoop, seed: int
    ) -> None:
        self._provider, self._prompt, self._loop, self._seed, self._asked = provider, prompt, loop, seed, 0

    def __call__(self, prompt: str | list[dict[str, Any]]) -> str:
        self._asked += 1
        request = ModelRequest(
            self._prompt, (Message("user", str(prompt)),), golden_id="gepa", trial=self._asked,
            seed=self._seed + self._asked,
        )  # fmt: skip
        reply = asyncio.run_coroutine_threadsafe(self._provider.complete(request), self._loop).result()
        return reply.message.content


class _Silence:
    """GEPA's log, which would go to stdout."""

    def log(self, message: str) -> None:
        return
