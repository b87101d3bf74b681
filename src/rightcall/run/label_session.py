"""Labels a run: which case comes next for whom, and storing an answer. The terminal and the dashboard share it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import utc_text
from rightcall.decide.label_rules import Assignment, RunLabels, plan_name, run_labels
from rightcall.records.label import BY_HAND, SETTLED, Label, LabelWord
from rightcall.records.record import Record
from rightcall.run.judged_run import CaseQuestion, JudgedRun, case_question
from rightcall.run.run_judges import LABELS
from rightcall.stats.judged_strata import level
from rightcall.stats.label_plan import label_plan, random_plan
from rightcall.store.labels import LabelFolder
from rightcall.store.sql.store import Store

LABELS_BY_DEFAULT = 48
LONGEST_NOTE = 2000
LONGEST_NAME = 100


def utc_now() -> str:
    return utc_text(datetime.datetime.now(datetime.UTC))


class LabelIndex(Record, frozen=True):
    """What the store keeps of a metric's labels: how many, by whom, and where they are."""

    file: str
    labels: int
    disputed: int
    stale: int
    labellers: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelSettings:
    """How someone labels: how many cases, whether drawn at random, and shared out with whom.

    `show_judge` shows the verdict first. `cases` were picked by hand, which is good for notes and not for a rate.
    """

    by: str
    n: int = LABELS_BY_DEFAULT
    overlap: float | None = None
    people: tuple[str, ...] = ()
    at_random: bool = False
    show_judge: bool = False
    cases: tuple[str, ...] = ()


class LabelSession:
    """One person labels the cases of a run for one metric. Files are read again for every case."""

    def __init__(
        self,
        store: Store,
        judged: JudgedRun,
        folder: LabelFolder,
        settings: LabelSettings,
        *,
        now: Callable[[], str] = utc_now,
    ) -> None:
        self.store = store
        self.judged = judged
        self.folder = folder
        by = scrub(" ".join(settings.by.split()))[:LONGEST_NAME]
        if not by:
            raise InputError("labeller", "has no name", "pass one with --by")
        if settings.people and by not in settings.people:
            raise InputError(f"labeller {by}", f"is not among {', '.join(settings.people)}")
        for case in settings.cases:
            judged.require_case(case)
        self.settings = settings
        self.by = by
        self._now = now

    def labels(self) -> RunLabels:
        """The labels of the run as they are now."""
        return labels_of(self.judged, self.folder)

    @cached_property
    def kind(self) -> Literal["random", "chosen"]:
        """How cases are drawn: as labels of this run were, else by the judge's split votes where it has any."""
        drawn = self.labels().plan_labels(self.judged.population, self.judged.judge_hash)
        kinds = {label.plan.partition("/")[0] for label in drawn.values()}
        if "chosen" in kinds:
            if self.settings.at_random:
                problem = "has labels that were chosen by the judge's answers"
                raise InputError(f"run {self.judged.run.id}", problem, "leave out --random")
            return "chosen"
        if self.settings.at_random or "random" in kinds:
            return "random"
        return "chosen" if self.splits else "random"

    @property
    def splits(self) -> int:
        """Cases on which the judge's votes differ, which are worth a look."""
        return sum(case.share is not None and 0 < case.share < 1 for case in self.judged.cases.values())

    @cached_property
    def order(self) -> list[str]:
        """The cases of the plan in the order to label them."""
        if self.settings.cases:
            return list(self.settings.cases)
        return list(self.plan_order(self.settings.n))

    def plan_order(self, n: int) -> tuple[str, ...]:
        """The first cases of the plan. Drawn at random they are the same goldens in every run, which makes pairs."""
        judgements = self.judged.judgements
        goldens = self.judged.goldens
        if self.kind == "random":
            return random_plan(judgements, n, goldens=goldens).cases
        return label_plan(judgements, n, goldens=goldens).cases

    @property
    def plan(self) -> str:
        """What a label says about how its case was drawn."""
        if self.settings.cases:
            return BY_HAND
        return plan_name(self.kind, self.judged.population, self.judged.judge_hash)

    def open_cases(self, labelling: RunLabels | None = None) -> list[str]:
        """The cases that this person still has to answer."""
        labelling = self.labels() if labelling is None else labelling
        if self.settings.cases:
            return [case for case in self.order if case not in labelling.cases_of(self.by)]
        return Assignment(self.by, self.settings.overlap, self.settings.people).open_cases(
            self.order, labelling
        )

    def question(self, case: str) -> CaseQuestion:
        return case_question(self.store, self.judged, case)

    def own_label(self, case: str, labelling: RunLabels | None = None) -> Label | None:
        """What this person last answered about a case."""
        labels = (self.labels() if labelling is None else labelling).cases.get(case)
        return next((answer for answer in labels.answers if answer.by == self.by), None) if labels else None

    def previous_answers(self, case: str) -> list[str]:
        """The cases that this person answered, in the order of their answers, without this one."""
        by_case = self.labels().by_case
        rows = sorted((row.at, name) for name in by_case for row in by_case[name] if row.by == self.by)
        return [name for _, name in rows if name != case]

    def answer(
        self,
        case: str,
        word: LabelWord,
        *,
        rule: str,
        note: str = "",
        seconds: float | None = None,
        saw_judge: bool | None = None,
    ) -> Label:
        """Store an answer; it is on disk when this returns. `rule` is the text that was on screen."""
        target = self.judged.require_case(case).target
        labelling = self.labels()  # read once: a key is stored in milliseconds
        earlier = self.own_label(case, labelling)
        label = Label(
            self.judged.cases[case].place,
            target.material,
            self.judged.metric,
            target.rule,
            label=word,
            by=self.by,
            at=self._now(),
            note=scrub(note.strip()[:LONGEST_NOTE]) or (earlier.note if earlier else ""),
            seconds=None if seconds is None else round(seconds, 1),
            saw_judge=self.settings.show_judge if saw_judge is None else saw_judge,
            plan=self._plan_of(case),
            stratum=self.stratum(case),
        )
        added = [*self._earlier_labels(case, labelling), label]
        self.folder.add(added, [rule])
        keep_index(self.store, self.judged, self.folder, [*labelling.everything, *added])
        return label

    def _plan_of(self, case: str) -> str:
        return self.plan if case in self.order else BY_HAND

    def stratum(self, case: str) -> str:
        """What the judge says of a case: pass, fail, split, or none for no verdict."""
        return level(self.judged.judgements[case])

    def _earlier_labels(self, case: str, labelling: RunLabels) -> list[Label]:
        """Labels of cases that the plan has reached and someone answered before it did: they are drawn now."""
        if self.settings.cases or case not in self.order:
            return []
        drawn = labelling.plan_labels(self.judged.population, self.judged.judge_hash)
        return [
            _adopt(label, self.judged.cases[earlier].place, self.plan, self.stratum(earlier))
            for earlier in self.order[: self.order.index(case)]
            if earlier in labelling.cases and (earlier not in drawn or drawn[earlier].plan != self.plan)
            for label in labelling.cases[earlier].answers[:1]
        ]


def labels_of(judged: JudgedRun, folder: LabelFolder) -> RunLabels:
    """The labels of a run's metric, as they are now."""
    return run_labels(judged.targets, (row.label for row in folder.labels(judged.metric).rows))


def keep_index(
    store: Store, judged: JudgedRun, folder: LabelFolder, labels: Sequence[Label] | None = None
) -> None:
    """Store how many labels the run has, for those who see the store and not the files."""
    fingerprint = judged.run.run.fingerprints.get(LABELS, "")
    if not fingerprint:
        return
    labelling = labels_of(judged, folder) if labels is None else run_labels(judged.targets, labels)
    index = label_index(store, judged.run.run.fingerprints)
    index[judged.metric] = LabelIndex(
        str(folder.file(judged.metric)),
        len(labelling.cases),
        len(labelling.with_word("disputed")),
        len(labelling.stale),
        labellers=tuple(labelling.labellers),
    )
    store.runs.set_document(judged.run.id, LABELS, codec.encode(index))


def label_index(store: Store, fingerprints: dict[str, str]) -> dict[str, LabelIndex]:
    """What the store knows of a run's labels, by metric."""
    name = fingerprints.get(LABELS, "")
    content = store.runs.document(LABELS, name) if name else None
    return codec.decode(content, dict[str, LabelIndex], "index of labels") if content else {}


def settle(
    store: Store,
    judged: JudgedRun,
    folder: LabelFolder,
    case: str,
    word: LabelWord,
    *,
    by: str,
) -> Label:
    """Settle a dispute: this label replaces what people answered."""
    target = judged.require_case(case).target
    labels = labels_of(judged, folder).cases.get(case)
    if labels is None:
        raise InputError(f"case {case}", "has no label to settle", "label it: `rightcall judge label`")
    label = Label(
        judged.cases[case].place,
        target.material,
        judged.metric,
        target.rule,
        label=word,
        by=by,
        at=utc_now(),
        plan=SETTLED,
    )
    folder.add([label])
    keep_index(store, judged, folder)
    return label


def _adopt(label: Label, place: object, plan: str, stratum: str) -> Label:
    from msgspec.structs import replace

    return replace(label, case=place, plan=plan, stratum=stratum)
