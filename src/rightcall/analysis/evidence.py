"""What a run shows, counted in one pass: symptoms by golden, words by tool, mistakes by parameter.

Only counters are kept, never a trajectory or a request, so memory grows with the number of goldens and no further.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rightcall.analysis.argument_kind import UNJUDGED, is_held, plain_value
from rightcall.analysis.suspicion import ObservedBehaviour, behaviour_of, words_side_with
from rightcall.analysis.symptom import Mistake, Symptom, SymptomRequest, enum_of, symptom_of
from rightcall.lint import Wording, request_words
from rightcall.model.call import ToolCall
from rightcall.model.failure import Failure
from rightcall.model.golden import AnyGolden, ExpectedCall, Golden
from rightcall.model.tool import Tool

NEGATIVE = "\0negative"
"""The class of goldens that expect no call."""
MOST_PAIRS = 500
MOST_WORDS = 5_000
MOST_DETAILS = 50
MOST_ALIKE = 0.34

Class = str | tuple[str, str]
"""What a golden is exposed to: a tool or a parameter it expects, or `NEGATIVE`."""


class FailedTrial(NamedTuple):
    """What analysis reads of a failed trial."""

    trial: int
    codes: Sequence[Failure]
    calls: Sequence[ToolCall] = ()


class GoldenTrials(NamedTuple):
    """One golden of a run: its scored trials, how many passed, and those that failed."""

    golden: AnyGolden
    judged: int
    passed: int
    failed: Sequence[FailedTrial]


class Case(NamedTuple):
    """Counters of a golden: the symptoms of its trials, and how often each occurred."""

    id: str
    cluster: str
    trials: int
    classes: frozenset[Class]
    cells: tuple[tuple[int, int], ...]
    suspect: bool = False

    @property
    def failed(self) -> int:
        return sum(count for _, count in self.cells)


@dataclass
class Seen:
    """A symptom and how often it was seen."""

    symptom: Symptom
    trials: int = 0
    share: float = 0.0
    goldens: int = 0
    suspect: bool = False
    negative: bool = False


@dataclass
class ParameterStats:
    """How one parameter was filled: trials that expected it, by whether the request contains its value."""

    expected: int = 0
    held_trials: int = 0
    held_wrong: int = 0
    lacking_trials: int = 0
    lacking_wrong: int = 0
    goldens: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    raw: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)


@dataclass
class ToolStats:
    """Requests for one tool: goldens, trials, their words, and how well descriptions cover them."""

    goldens: int = 0
    trials: int = 0
    missed: int = 0
    cover: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    words: Counter[str] = field(default_factory=Counter)
    missed_words: Counter[str] = field(default_factory=Counter)
    right_words: Counter[str] = field(default_factory=Counter)


class Evidence:
    """All evidence for the causes. Filled by `add`, one golden at a time."""

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        system: str = "",
        lint_codes: Mapping[tuple[str, str], frozenset[str]] | None = None,
        others: Sequence[Mapping[str, ObservedBehaviour]] = (),
    ) -> None:
        self.tools = list(tools)
        self.by_name = {tool.name: tool for tool in reversed(self.tools)}
        self.place = {tool.name: at for at, tool in reversed(list(enumerate(self.tools)))}
        self.by_name_in_order = list(dict.fromkeys(tool.name for tool in self.tools))
        self.system = system
        self.wording = Wording(self.tools)
        self.lint_codes = lint_codes or {}
        self.others = others
        self.cases: list[Case] = []
        self.seen: list[Seen] = []
        self.tool_stats: defaultdict[str, ToolStats] = defaultdict(ToolStats)
        self.parameters: defaultdict[tuple[str, str], ParameterStats] = defaultdict(ParameterStats)
        self.surplus_cover: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        self.surplus_words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.negative_words: Counter[str] = Counter()
        self.by_category: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.by_language: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.by_turn: Counter[int] = Counter()
        self.codes: Counter[str] = Counter()
        self.suspects: dict[str, ObservedBehaviour] = {}
        self._numbers: dict[tuple[Symptom, bool, bool], int] = {}
        self._details: defaultdict[str, set[str]] = defaultdict(set)

    @classmethod
    def behaviours(
        cls, tools: Sequence[Tool], trials: Iterable[GoldenTrials]
    ) -> dict[str, ObservedBehaviour]:
        """What a run does instead of what its goldens expect; "" as the called tool where it agrees."""
        by_name = {tool.name: tool for tool in tools}
        found: dict[str, ObservedBehaviour] = {}
        for one in trials:
            request = SymptomRequest(_all_words(one.golden, ""), expected_calls(one.golden))
            seen: Counter[ObservedBehaviour] = Counter()
            for trial in one.failed:
                symptom, _ = symptom_of(trial.codes, trial.calls, request, by_name)
                if (behaviour := behaviour_of(symptom, trial)) is not None:
                    seen[behaviour] += 1
            best = min(seen.items(), key=lambda item: (-item[1], repr(item[0])), default=None)
            steady = best is not None and best[1] >= 2 / 3 * one.judged
            found[one.golden.id] = best[0] if best and steady else ObservedBehaviour("", "")
        return found

    # ------------------------------------------------------------------ filling

    def add(self, one: GoldenTrials) -> None:
        """Add one golden with its trials."""
        if not one.judged:
            return
        golden = one.golden
        expected = expected_calls(golden)
        request = SymptomRequest(_all_words(golden, self.system), expected)
        wanted = list(dict.fromkeys(tool for tool, _ in expected if tool in self.by_name))
        classes: set[Class] = set(wanted) if expected else {NEGATIVE}
        values = [_value_text(value) for _, args in expected for value in args.values()]
        said = request_words(_input(golden), values)
        self._count_request(wanted, said, one)
        self._count_parameters(expected, request, classes, one)
        found: Counter[Symptom] = Counter()
        failed_words: set[str] = set()
        behaviours: Counter[ObservedBehaviour] = Counter()
        for trial in one.failed:
            symptom, mistakes = symptom_of(trial.codes, trial.calls, request, self.by_name)
            symptom = self._bounded(symptom)
            found[symptom] += 1
            self.codes.update({failure.code for failure in trial.codes})
            self._count_mistakes(mistakes)
            self._count_symptom(symptom, said, failed_words)
            if (behaviour := behaviour_of(symptom, trial)) is not None:
                behaviours[behaviour] += 1
            if symptom.turn is not None:
                self.by_turn[symptom.turn] += 1
        self._count_groups(golden, one, failed_words, said)
        self._note_behaviour(one, behaviours, said, request)
        suspect = golden.id in self.suspects
        negative = NEGATIVE in classes
        cells = tuple((self._number(symptom, suspect, negative), count) for symptom, count in found.items())
        for number, count in cells:
            seen = self.seen[number]
            seen.trials += count
            seen.share += count / one.judged
            seen.goldens += 1
        cluster = golden.cluster or golden.id
        self.cases.append(Case(golden.id, cluster, one.judged, frozenset(classes), cells, suspect))

    def _number(self, symptom: Symptom, suspect: bool, negative: bool) -> int:
        key = symptom, suspect, negative
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.seen)
            self.seen.append(Seen(symptom, suspect=suspect, negative=negative))
        return number

    def _bounded(self, symptom: Symptom) -> Symptom:
        """The symptom with one of a few error messages: messages with ids would be as many as trials."""
        if not symptom.detail:
            return symptom
        known = self._details[symptom.tool]
        if symptom.detail in known or len(known) < MOST_DETAILS:
            known.add(symptom.detail)
            return symptom
        return symptom._replace(detail=min(known))

    def _count_request(self, wanted: Sequence[str], said: Sequence[str], one: GoldenTrials) -> None:
        for tool in wanted:
            stats = self.tool_stats[tool]
            stats.goldens += 1
            stats.trials += one.judged
            _add_words(stats.words, said)
            for other in self.by_name:
                stats.cover[other] += self.wording.cover(said, other)
        if not wanted:
            _add_words(self.negative_words, said)

    def _count_parameters(
        self,
        expected: Sequence[tuple[str, Mapping[str, Any]]],
        request: SymptomRequest,
        classes: set[Class],
        one: GoldenTrials,
    ) -> None:
        for tool, args in expected:
            for name, value in args.items():
                classes.add((tool, name))
                plain = plain_value(value)
                stats = self.parameters[tool, name]
                stats.goldens += 1
                stats.expected += one.judged
                if plain is not UNJUDGED and len(stats.values) < MOST_PAIRS:
                    stats.values[_value_text(plain)] += 1
                if enum_of(self.by_name.get(tool), name) or is_held(plain, request.words):
                    stats.held_trials += one.judged
                    stats.held_wrong += _wrongly_filled(one, tool, name)
                else:
                    stats.lacking_trials += one.judged
                    stats.lacking_wrong += _wrongly_filled(one, tool, name)

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

    def _count_symptom(self, symptom: Symptom, said: Sequence[str], failed_words: set[str]) -> None:
        if symptom.group == "miss":
            self.tool_stats[symptom.tool].missed += 1
            failed_words.add(symptom.tool)
        into = symptom.called if symptom.group == "miss" else symptom.tool if symptom.group == "extra" else ""
        if into:
            sums = self.surplus_cover[into]
            sums[0] += 1
            sums[1] += self.wording.cover(said, into)
            sums[2] += self.wording.cover(said, symptom.tool) if symptom.group == "miss" else 0.0
            _add_words(self.surplus_words[into], said)

    def _count_groups(
        self, golden: AnyGolden, one: GoldenTrials, failed_words: set[str], said: Sequence[str]
    ) -> None:
        for tool in failed_words:
            _add_words(self.tool_stats[tool].missed_words, said)
        failed = len(one.failed)
        language = golden.metadata.get("language") if isinstance(golden.metadata, dict) else None
        keys: list[tuple[defaultdict[str, list[int]], str]] = [(self.by_category, golden.category)]
        keys += [(self.by_language, language)] if isinstance(language, str) else []
        for counts, key in keys:
            counts[key][0] += failed
            counts[key][1] += one.judged

    def _note_behaviour(
        self,
        one: GoldenTrials,
        behaviours: Counter[ObservedBehaviour],
        said: Sequence[str],
        request: SymptomRequest,
    ) -> None:
        """Remember a golden with the same wrong call in all its trials, in every given run."""
        if not behaviours:
            return
        golden_id, judged = one.golden.id, one.judged
        behaviour, times = min(behaviours.items(), key=lambda item: (-item[1], repr(item[0])))
        agreeing = sum(other.get(golden_id) == behaviour for other in self.others)
        known = sum(golden_id in other for other in self.others)
        observations = times + agreeing
        if (
            times >= 2 / 3 * judged
            and agreeing >= 2 / 3 * (known + 1) - 1
            and (agreeing or not known)
            and observations >= 2
            and words_side_with(behaviour, one.failed, said, request, self)
        ):
            self.suspects[golden_id] = behaviour

    def settle(self) -> None:
        """Drop suspects that are not exceptional: a third of their tool's other goldens fail in the same way."""
        alike = Counter(behaviour[:2] + _names(behaviour) for behaviour in self.suspects.values())
        failing: Counter[tuple[Any, ...]] = Counter()
        for case in self.cases:
            kinds = {self._kind_of(number) for number, _ in case.cells}
            failing.update(kind for kind in kinds if kind is not None)
        dropped = set()
        for golden_id, behaviour in self.suspects.items():
            kind = behaviour[:2] + _names(behaviour)
            of_tool = self.tool_stats[behaviour.wanted].goldens
            others = failing[kind] - alike[kind]
            if (
                others / max(1, of_tool - alike[kind]) >= MOST_ALIKE
                or alike[kind] > of_tool / 2
                or any(self._mostly_unsaid(behaviour.wanted, name) for name, _, _ in behaviour.values)
            ):
                dropped.add(golden_id)
        for golden_id in dropped:
            del self.suspects[golden_id]
        for at, case in enumerate(self.cases):
            if case.suspect and case.id in dropped:
                self.cases[at] = self._unsuspected(case)

    def _mostly_unsaid(self, tool: str, parameter: str) -> bool:
        """Whether most requests do not contain the value of a parameter: then none of its goldens is exceptional."""
        known = self.parameters[tool, parameter]
        return 2 * known.lacking_trials >= known.expected

    def _kind_of(self, number: int) -> tuple[Any, ...] | None:
        symptom = self.seen[number].symptom
        if symptom.group == "miss":
            return symptom.tool, symptom.called, ()
        if symptom.group == "arguments":
            return symptom.tool, symptom.tool, tuple(bad.parameter for bad in symptom.arguments)
        return None

    def _unsuspected(self, case: Case) -> Case:
        cells = []
        for number, count in case.cells:
            old = self.seen[number]
            fresh = self.seen[new := self._number(old.symptom, False, old.negative)]
            for seen, sign in ((old, -1), (fresh, 1)):
                seen.trials += sign * count
                seen.share += sign * count / case.trials
                seen.goldens += sign
            cells.append((new, count))
        return case._replace(cells=tuple(cells), suspect=False)

    # ------------------------------------------------------------------ reading

    def where(self, **wanted: Any) -> list[int]:
        """Numbers of the symptoms whose fields have these values."""
        return [
            number
            for number, seen in enumerate(self.seen)
            if all(getattr(seen.symptom, name) == value for name, value in wanted.items())
        ]

    def on_negatives(self, number: int) -> bool:
        """Whether a symptom was seen on goldens that expect no call."""
        return self.seen[number].negative

    def trials_of(self, numbers: Iterable[int]) -> int:
        """Failed trials with these symptoms."""
        return sum(self.seen[number].trials for number in numbers)

    def cover(self, of: str, by: str) -> float:
        """How well one tool's description covers requests for another, on average."""
        stats = self.tool_stats.get(of)
        return stats.cover[by] / stats.goldens if stats and stats.goldens else 0.0

    def lint_on(self, tool: str, parameter: str = "") -> frozenset[str]:
        """Codes of the lint rules that fire on a tool, or on one of its parameters."""
        return self.lint_codes.get((tool, parameter), frozenset())

    def schema(self, tool: str, parameter: str) -> Mapping[str, Any]:
        """The schema of a parameter; empty when unknown."""
        known = self.by_name.get(tool)
        found = known.parameters.get(parameter) if known else None
        return found if isinstance(found, dict) else {}

    def goldens_with(self, numbers: Iterable[int]) -> Iterator[Case]:
        """The goldens with one of these symptoms."""
        wanted = frozenset(numbers)
        return (case for case in self.cases if any(number in wanted for number, _ in case.cells))


def _names(behaviour: ObservedBehaviour) -> tuple[Any, ...]:
    return (tuple(sorted(name for name, _, _ in behaviour.values)),)


def expected_calls(golden: AnyGolden) -> list[tuple[str, Mapping[str, Any]]]:
    """Every expected call of a golden: the first accepted tool, and its arguments."""
    turns = () if isinstance(golden, Golden) else golden.turns
    calls: list[ExpectedCall] = [*golden.expected_calls]
    if isinstance(golden, Golden) and not calls and golden.any_of:
        calls += golden.any_of[0]
    calls += [call for turn in turns for call in turn.expected_calls or ()]
    return [(_tool_name(call), call.args or {}) for call in calls]


def _tool_name(call: ExpectedCall) -> str:
    if isinstance(call.tool, str):
        return call.tool
    if isinstance(call.tool, dict):
        return str(call.tool.get("regex", ""))
    return call.tool[0] if call.tool else ""


def _input(golden: AnyGolden) -> str:
    return golden.input if isinstance(golden, Golden) else golden.scenario


def _all_words(golden: AnyGolden, system: str) -> str:
    turns = () if isinstance(golden, Golden) else golden.turns
    parts = [_input(golden), golden.system or system, *(golden.context or ())]
    return "\n".join([*parts, *(turn.content for turn in turns)])


def _wrongly_filled(one: GoldenTrials, tool: str, parameter: str) -> int:
    return sum(any(f.tool == tool and f.parameter == parameter for f in trial.codes) for trial in one.failed)


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return value[:120]
    if isinstance(value, dict):
        plain = plain_value(value)
        if plain is UNJUDGED or plain is value:
            return ""
        return _value_text(plain)
    return repr(value)[:120]


def _add_words(counter: Counter[str], said: Sequence[str]) -> None:
    for word in said:
        if word in counter or len(counter) < MOST_WORDS:
            counter[word] += 1
