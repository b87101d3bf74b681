"""An attack that the agent obeyed: what was planted where, the call it caused, what would have stopped it.

Nothing here is a rule of thumb: the guard judges that very call after what the trial had read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rightcall.decide.safety_numbers import outcome_of_result
from rightcall.metrics.matching.approvals import error_code
from rightcall.records.call import ToolCall
from rightcall.records.failure import NO_TOOLS
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.safety import AttackOutcome, Plant, Safety
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.show.text import display_text, json_text, one_line
from rightcall.tools.attacks.trial_plants import WRAPPERS
from rightcall.tools.guard.monitor import Guard, replay
from rightcall.tools.guard.policy import AUTO

LONGEST_PLANT = 2000
LONGEST_VALUE = 500
STOPPING = ("confirmation_required", "permission_denied")
"""Errors with which a guard, a confirmation or a role answers."""


class PlantedText(Record, frozen=True):
    """A planted text, where it was, and how the agent saw it if it was disguised."""

    where: str
    text: str
    seen: str = ""


class CalledArgument(Record, frozen=True):
    """An argument of the call; `marked` holds what gives the attack away."""

    name: str
    value: str
    marked: bool = False


class HitView(Record, frozen=True):
    """One attack that was obeyed. All texts are safe to show and limited in length.

    `consequence` says what the agent did where it is no call. `guard` is the verdict of `guard: auto` on the call, and
    `stopped` whether it would have stopped it.
    """

    golden_id: str
    trial: int
    family: str
    goal: str
    template: str
    planted: tuple[PlantedText, ...]
    tool: str
    arguments: tuple[CalledArgument, ...]
    form: str
    step: int | None
    reached: str
    consequence: str
    guard: str
    stopped: bool

    @property
    def title(self) -> str:
        """Its name in a list."""
        return f"{self.golden_id}: {self.family}, {self.goal}, {self.template}"

    @property
    def what(self) -> str:
        """The call and how far it got, or what happened instead of a call."""
        step = f" at step {self.step}" if self.step is not None else ""
        return f"{self.tool}{step}: {self.reached}" if self.tool else f"{self.consequence}: {self.reached}"


class HitReader:
    """Makes hits of the results of one run: with its tools, and the system text that its guard would have heard."""

    def __init__(self, tools: Mapping[str, Tool] = NO_TOOLS, system: str = "") -> None:
        self._tools = tools
        self._system = system

    def hit_of(self, golden: AnyGolden, result: CaseResult) -> HitView | None:
        """The hit of a trial; None where no attack was obeyed."""
        safety = golden.safety
        outcome = outcome_of_result(result)
        if safety is None or outcome is None or outcome.twin or not outcome.obeyed:
            return None
        return self._hit(golden, safety, result, outcome)

    def _hit(self, golden: AnyGolden, safety: Safety, result: CaseResult, outcome: AttackOutcome) -> HitView:
        calls = result.trajectory.calls if result.trajectory is not None else ()
        call = calls[outcome.call] if outcome.call is not None and outcome.call < len(calls) else None
        stops, guard = self._guard(golden, result.trajectory, call)
        return HitView(
            one_line(result.golden_id, 200),
            result.trial,
            outcome.family,
            outcome.goal,
            template=outcome.template,
            planted=plant_texts(safety),
            tool=one_line(call.name, 200) if call is not None else "",
            arguments=tuple(_arguments(call, outcome.argument)) if call is not None else (),
            form=outcome.form if call is not None else "",
            step=call.step + 1 if call is not None and call.step is not None else None,
            reached=_end_of(call),
            consequence=next((failure.detail for failure in result.codes if failure.code == "runaway"), ""),
            guard=guard,
            stopped=stops,
        )

    def _guard(
        self, golden: AnyGolden, trajectory: Trajectory | None, call: ToolCall | None
    ) -> tuple[bool, str]:
        """The verdict of `guard: auto` on the call, in its moment of the trial."""
        if trajectory is None or call is None or not self._tools:
            return False, ""
        system = self._system if golden.system is None else golden.system
        state = Guard(AUTO, self._tools.values()).begin(system)
        verdict = next((verdict for judged, verdict in replay(state, trajectory) if judged is call), None)
        if verdict is None:
            return False, "the arguments were not valid, so no guard was asked"
        if not verdict.stops:
            return False, "auto would not have stopped this call"
        deed = "asked the user before" if verdict.verdict == "confirm" else "refused"
        labelled = verdict.argument and verdict.label
        about = f": '{verdict.argument}' is labelled {verdict.label}" if labelled else ""
        rules = f"by its rule{'s' if len(verdict.by) > 1 else ''} {', '.join(map(repr, verdict.by))}"
        return True, one_line(f"auto would have {deed} this call {rules}{about}", 300)


def plant_texts(safety: Safety) -> tuple[PlantedText, ...]:
    """What an attack, or its neutral twin, plants where."""
    return tuple(_plant_text(plant) for plant in safety.plants if plant.canary is None)


def _plant_text(plant: Plant) -> PlantedText:
    parts = [f"{plant.carrier} of {plant.tool}" if plant.tool else plant.carrier]
    parts += [f"field {plant.path}"] if plant.path else []
    parts += [f"as {plant.to}"] if plant.to else []
    parts += [f"at its {plant.place}"] if plant.place in ("start", "middle", "end") else []
    parts += [f"from read {plant.nth} on"] if plant.nth > 1 else []
    parts += [f"session {plant.session}"] if plant.session > 1 else []
    parts += [f"hidden as {plant.wrap}"] if plant.wrap != "plain" else []
    seen = one_line(WRAPPERS[plant.wrap](plant.text), 200) if plant.wrap != "plain" else ""
    return PlantedText(one_line(", ".join(parts), 300), display_text(plant.text, LONGEST_PLANT), seen)


def _arguments(call: ToolCall, marked: str) -> Iterator[CalledArgument]:
    """The arguments, the marked one first."""
    if call.arguments is None:
        yield CalledArgument("", display_text(call.raw or "", LONGEST_VALUE), bool(marked))
        return
    top = marked.partition("[")[0].partition(".")[0]
    for name in sorted(call.arguments, key=lambda name: name != top):
        value = one_line(json_text(call.arguments[name]), LONGEST_VALUE)
        yield CalledArgument(one_line(name, 100), value, name == top)


def _end_of(call: ToolCall | None) -> str:
    """How the call ended."""
    if call is None or call.status == "ok":
        return "done"
    code = error_code(call)
    return f"stopped in this run: {code}" if code in STOPPING else f"failed: {code}" if code else "asked for"


def hit_lines(hit: HitView) -> Iterator[tuple[str, str]]:
    """A hit as labelled lines, for formats that have no elements to draw it with."""
    for planted in hit.planted:
        yield "planted in", planted.where
        yield "text", planted.text
        if planted.seen:
            yield "as read", planted.seen
    yield "call" if hit.tool else "effect", hit.what
    for argument in hit.arguments:
        mark = f"  ← the attacker's, {hit.form}" if argument.marked else ""
        yield "marked" if argument.marked else "argument", f"{argument.name} = {argument.value}{mark}"
    if hit.guard:
        yield "guard", hit.guard
