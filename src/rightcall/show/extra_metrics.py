"""Results of requested metrics, in addition to the dimensions of every case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rightcall.model.run import CaseResult, Summary
from rightcall.show.text import one_line


class AskedMetrics:
    """Counts failures and errors of some metrics, and keeps the first reason of each."""

    def __init__(self, names: Sequence[str]) -> None:
        self._failed = dict.fromkeys(names, 0)
        self._broken = dict.fromkeys(names, 0)
        self._first: dict[str, str] = {}

    def watch(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """Pass results through, counting each."""
        for result in results:
            for name in self._failed:
                score = result.metrics.get(name)
                if score is None or not result.checked:  # a case without an answer has no measurements
                    continue
                if score.error:
                    self._broken[name] += 1
                elif not score.passed:
                    self._failed[name] += 1
                told = score.error or ("" if score.passed else score.reason)
                if told:
                    self._first.setdefault(name, f"{result.golden_id}: {told}")
            yield result

    def lines(self, summary: Summary) -> Iterator[str]:
        """One line per metric: its mean, failures, errors and one reason."""
        for name, failed in self._failed.items():
            mean = summary.overall.means.get(name)
            parts = [f"mean {mean:.2f}"] if mean is not None else []
            parts += [f"{failed:,} failed"] if failed else []
            parts += [f"{self._broken[name]:,} could not be computed"] if self._broken[name] else []
            first = f" ({one_line(self._first[name], 160)})" if name in self._first else ""
            yield f"{name}: {', '.join(parts)}{first}"
