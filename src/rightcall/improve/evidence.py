"""What a run shows, counted in one pass: symptoms by golden, words by tool, mistakes by parameter.

Only counters are kept, never a trajectory or a request, so memory grows with the number of goldens and no further.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from rightcall.improve.argument_kind import UNJUDGED, is_stated, plain_value, values_of_matcher
from rightcall.improve.counters import NEGATIVE, Case, Class, GoldenTrials, K, ParameterStats, Seen, ToolStats
from rightcall.improve.golden_facts import all_words, expected_tools, is_quotable, name_tools
from rightcall.improve.symptom import Mistake, Symptom, SymptomRequest, enum_of, symptom_of
from rightcall.improve.votes import ObservedBehaviour, RunVotes, Voter
from rightcall.lint.confusability.word_use import reads_as_english, request_words
from rightcall.records.failure import dangers_of
from rightcall.records.golden import request_of
from rightcall.records.tool import Tool
from rightcall.run.rehearsal.toolset import Toolset

THIS_RUN = Voter("this run")
LOW_COVER = 0.6
"""Share of the set's median coverage below which a description counts as narrow."""
MOST_PAIRS = 500
MOST_WORDS = 5_000
MOST_DETAILS = 50


SuspectFinder = Callable[["GoldenTrials", Sequence[str], "Evidence"], "ObservedBehaviour | None"]
"""Says what agents agree on instead of a golden that looks wrong, from its trials and the words of its request."""


class Evidence:
    """All evidence for the causes. Filled by `add`, one golden at a time.

    `known` is false where tools are only names that were expected or called, and their definitions are not known;
    `system` is None where the system prompt is not known. `green` are goldens that passed before: they are right.
    `called` are tools that were called or whose goldens pass, `not_offered` those that no request had, by golden.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        system: str | None = "",
        lint_codes: Mapping[tuple[str, str], frozenset[str]] | None = None,
        voter: Voter = THIS_RUN,
        others: Iterable[RunVotes] = (),
        known: bool = True,
        suspect_of: SuspectFinder | None = None,
        green: frozenset[str] = frozenset(),
    ) -> None:
        self._suspect_of = suspect_of
        self.tools = list(tools)
        self.by_name = {tool.name: tool for tool in reversed(self.tools)}
        self.place = {tool.name: at for at, tool in reversed(list(enumerate(self.tools)))}
        self.by_name_in_order = list(dict.fromkeys(tool.name for tool in self.tools))
        self.system = system
        self._green = green
        self.toolset = Toolset(self.by_name)
        self.wording = self.toolset.wording
        self.lint_codes = lint_codes or {}
        self.voter = voter
        self.others = [other for other in others if other.passes_half]
        self.known = known
        self._has_tools = known and any(tool.kind == "tool" for tool in self.tools)
        self.cases: list[Case] = []
        self.seen: list[Seen] = []
        self.tool_stats: defaultdict[str, ToolStats] = defaultdict(ToolStats)
        self.parameters: defaultdict[tuple[str, str], ParameterStats] = defaultdict(ParameterStats)
        self.surplus_cover: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        self.surplus_words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.suspects: dict[str, ObservedBehaviour] = {}
        self.called: set[str] = set()
        self.not_offered: dict[str, set[str]] = {}
        self._numbers: dict[tuple[Symptom, bool, bool], int] = {}
        self._details: defaultdict[str, set[str]] = defaultdict(set)

    # ------------------------------------------------------------------ filling

    def add(self, trials: GoldenTrials) -> None:
        """Add one golden with its trials."""
        if not trials.judged:
            return
        golden = trials.golden
        calls = expected_tools(golden, self.by_name_in_order)
        expected = [(call.tools[0], call.args) for call in calls]
        is_green = golden.id in self._green
        request = SymptomRequest(all_words(golden, self.system or ""), expected, is_green)
        tool_names = list(
            dict.fromkeys(tool for call in calls for tool in call.tools if tool in self.by_name)
        )
        classes: set[Class] = set(tool_names) if expected else {NEGATIVE}
        self.called.update(tool_names if trials.passed else ())
        self.called.update(call.name for trial in trials.failed for call in trial.calls)
        for call in calls if self._has_tools and not golden.tools else ():
            if call.own and self.by_name.keys().isdisjoint(call.tools):
                classes.update(call.tools[:1])
                if not trials.passed:
                    self.not_offered.setdefault(call.tools[0], set()).add(golden.id)
        values = [
            _value_text(value)
            for _, args in expected
            for given in args.values()
            for value in values_of_matcher(given)
        ]
        words = request_words(request_of(golden), values)
        quoted = words if is_quotable(golden) else []
        self._count_request(tool_names, words, quoted, trials)
        self._count_parameters(expected, request, classes, trials)
        symptoms: Counter[Symptom] = Counter()
        for trial in trials.failed:
            failures = name_tools(trial.codes, calls, self.wording.likeness)
            symptom, mistakes = symptom_of(failures, trial.calls, request, self.by_name)
            danger = next(iter(dangers_of(failures, self.by_name)), "")
            symptom = self._limit_details(symptom)._replace(danger=danger)
            symptoms[symptom] += 1
            self._count_mistakes(mistakes)
            self._count_surplus(symptom, words, quoted)
        for tool in {symptom.tool for symptom in symptoms if symptom.group == "miss"}:
            _add_words(self.tool_stats[tool].missed_words, quoted)
        behaviour = self._suspect_of(trials, words, self) if self._suspect_of and not is_green else None
        if behaviour is not None:
            self.suspects[golden.id] = behaviour
        suspect = behaviour is not None
        negative = NEGATIVE in classes
        cells = tuple((self.number(symptom, suspect, negative), count) for symptom, count in symptoms.items())
        for number, count in cells:
            seen = self.seen[number]
            seen.trials += count
            seen.share += count / trials.judged
        cluster = golden.cluster or golden.id
        self.cases.append(
            Case(golden.id, cluster, trials.judged, frozenset(classes), cells=cells, suspect=suspect)
        )

    def number(self, symptom: Symptom, suspect: bool, negative: bool) -> int:
        """The number of a symptom, a new one at its first sight."""
        key = symptom, suspect, negative
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.seen)
            self.seen.append(Seen(symptom, suspect=suspect, negative=negative))
        return number

    def _limit_details(self, symptom: Symptom) -> Symptom:
        """The symptom with one of a few error messages: messages with ids would be as many as trials."""
        if not symptom.detail:
            return symptom
        details = self._details[symptom.tool]
        if symptom.detail in details or len(details) < MOST_DETAILS:
            details.add(symptom.detail)
            return symptom
        return symptom._replace(detail=min(details))

    def _count_request(
        self, tool_names: Sequence[str], words: Sequence[str], quoted: Sequence[str], trials: GoldenTrials
    ) -> None:
        for tool in tool_names:
            stats = self.tool_stats[tool]
            stats.goldens += 1
            stats.trials += trials.judged
            stats.foreign += bool(words) and not quoted
            _add_words(stats.words, quoted)
            for other in self.by_name:
                stats.cover[other] += self.wording.cover(words, other)

    def _count_parameters(
        self,
        expected: Sequence[tuple[str, Mapping[str, Any]]],
        request: SymptomRequest,
        classes: set[Class],
        trials: GoldenTrials,
    ) -> None:
        for tool, args in expected:
            for name, value in args.items():
                classes.add((tool, name))
                stats = self.parameters[tool, name]
                stats.goldens += 1
                stats.expected += trials.judged
                for plain in values_of_matcher(value):
                    if len(stats.values) < MOST_PAIRS:
                        stats.values[_value_text(plain)] += 1
                wrong = _wrongly_filled(trials, tool, name)
                if enum_of(self.by_name.get(tool), name) or is_stated(value, request.words):
                    stats.held_trials += trials.judged
                    stats.held_wrong += wrong
                else:
                    stats.lacking_trials += trials.judged
                    stats.lacking_wrong += wrong

    def _count_mistakes(self, mistakes: Iterable[Mistake]) -> None:
        for mistake in mistakes:
            stats = self.parameters[mistake.tool, mistake.parameter]
            stats.kinds[mistake.kind] += 1
            if mistake.expected is UNJUDGED:
                continue
            pair = _value_text(mistake.expected), _value_text(mistake.actual)
            if pair in stats.pairs or len(stats.pairs) < MOST_PAIRS:
                stats.pairs[pair] += 1
                stats.raw.setdefault(pair, (mistake.expected, mistake.actual))
            if mistake.unit:
                stats.units[mistake.unit] += 1

    def _count_surplus(self, symptom: Symptom, words: Sequence[str], quoted: Sequence[str]) -> None:
        """Count a tool that was called for the request of another, or for one that needs none."""
        into = symptom.called if symptom.group == "miss" else symptom.tool if symptom.group == "extra" else ""
        if into:
            sums = self.surplus_cover[into]
            sums[0] += 1
            sums[1] += self.wording.cover(words, into)
            sums[2] += self.wording.cover(words, symptom.tool) if symptom.group == "miss" else 0.0
            _add_words(self.surplus_words[into], quoted)

    # ------------------------------------------------------------------ reading

    def where(self, **fields: Any) -> list[int]:
        """Numbers of the symptoms whose fields have these values."""
        return [
            number
            for number, seen in enumerate(self.seen)
            if all(getattr(seen.symptom, name) == value for name, value in fields.items())
        ]

    def group(self, key: Callable[[Symptom], K | None]) -> dict[K, list[int]]:
        """Numbers of the symptoms by a key, in its order; symptoms without one are left out."""
        numbers: dict[K, list[int]] = {}
        for number, seen in enumerate(self.seen):
            if (value := key(seen.symptom)) is not None:
                numbers.setdefault(value, []).append(number)
        return dict(sorted(numbers.items()))

    def trials_of(self, numbers: Iterable[int]) -> int:
        """Failed trials with these symptoms."""
        return sum(self.seen[number].trials for number in numbers)

    def cover(self, of: str, by: str) -> float:
        """How well one tool's description covers requests for another, on average."""
        stats = self.tool_stats.get(of)
        return stats.cover[by] / stats.goldens if stats and stats.goldens else 0.0

    def is_low_cover(self, tool: str) -> bool:
        """Whether a tool's text has far fewer of its users' words than the texts of other tools have of theirs."""
        if self.is_foreign(tool):
            return False  # no text in one language has the words of another
        others = [
            self.cover(name, name)
            for name, stats in self.tool_stats.items()
            if stats.goldens and not self.is_foreign(name)
        ]
        return bool(others) and self.cover(tool, tool) < LOW_COVER * median(others)

    def is_foreign(self, tool: str) -> bool:
        """Whether most requests for a tool are in another language than its English description."""
        stats = self.tool_stats.get(tool)
        definition = self.by_name.get(tool)
        foreign = stats is not None and 2 * stats.foreign > stats.goldens
        return foreign and definition is not None and reads_as_english(definition.description)

    def lint_on(self, tool: str, parameter: str = "") -> frozenset[str]:
        """Codes of the lint rules that fire on a tool, or on one of its parameters."""
        return self.lint_codes.get((tool, parameter), frozenset())

    def schema(self, tool: str, parameter: str) -> Mapping[str, Any]:
        """The schema of a parameter; empty when unknown."""
        definition = self.by_name.get(tool)
        schema_of_parameter = definition.parameters.get(parameter) if definition else None
        return schema_of_parameter if isinstance(schema_of_parameter, dict) else {}

    def goldens_with(self, numbers: Iterable[int]) -> Iterator[Case]:
        """The goldens with one of these symptoms."""
        symptom_numbers = frozenset(numbers)
        return (case for case in self.cases if any(number in symptom_numbers for number, _ in case.cells))


def _wrongly_filled(trials: GoldenTrials, tool: str, parameter: str) -> int:
    return sum(
        any(f.tool == tool and f.parameter == parameter for f in trial.codes) for trial in trials.failed
    )


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return value[:120]
    if isinstance(value, dict):
        plain = plain_value(value)
        if plain is UNJUDGED or plain is value:
            return ""
        return _value_text(plain)
    return repr(value)[:120]


def _add_words(counter: Counter[str], words: Sequence[str]) -> None:
    for word in words:
        if word in counter or len(counter) < MOST_WORDS:
            counter[word] += 1
