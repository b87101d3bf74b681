"""What an audit found: how many bugs the suite would notice, which it would not, and how far trivial agents get."""

from __future__ import annotations

from rightcall.improve.doubt import Doubt
from rightcall.improve.past_evidence import Electorate
from rightcall.model.floor import Floor
from rightcall.model.record import Record
from rightcall.wings.audit.survivor import Survivor


class Catch(Record, frozen=True):
    """Mutants that were scored: caught by the suite, or not."""

    caught: int = 0
    survived: int = 0

    @property
    def rate(self) -> float:
        """The share that was caught; 0 without any."""
        total = self.caught + self.survived
        return self.caught / total if total else 0.0

    def plus(self, caught: bool) -> Catch:
        return Catch(self.caught + caught, self.survived + (not caught))


class NotAudited(Record, frozen=True):
    """A golden without known good behaviour, and why."""

    golden_id: str
    why: str


class AuditResult(Record, frozen=True, tag="rightcall/audit/1", tag_field="format"):
    """An audit. `sure` decides: bugs that are wrong by construction and that tools would accept.

    `invalid` are calls that a runtime would refuse, `maybe` changes that may be right; neither is in the rate.
    `matrix` has the catches of each operator by tool ("" where no single call was changed). `maybe_survivors` are
    listed when they are asked for. `in_dataset` counts the goldens of which a sample was audited, 0 when all were.
    `not_judged` counts sure mutants whose scoring is an error or needs a judge, by reason.
    `doubts` are goldens that may be wrong, the most certain first, of the `examined` ones; `electorate` are the agents
    whose behaviour speaks for or against goldens. `floor` is what trivial agents pass.
    """

    goldens: int
    audited: int
    sure: Catch
    rate: float
    low: float
    high: float
    invalid: Catch = Catch()
    maybe: Catch = Catch()
    not_judged: dict[str, int] = {}
    by_operator: dict[str, Catch] = {}
    by_tool: dict[str, Catch] = {}
    by_harm: dict[str, Catch] = {}
    matrix: dict[str, dict[str, Catch]] = {}
    survivors: tuple[Survivor, ...] = ()
    maybe_survivors: tuple[Survivor, ...] = ()
    not_audited: tuple[NotAudited, ...] = ()
    cannot_be_met: tuple[NotAudited, ...] = ()
    equivalent: int = 0
    doubts: tuple[Doubt, ...] = ()
    examined: int = 0
    electorate: Electorate = Electorate()
    floor: Floor | None = None
    without_tools: bool = False
    in_dataset: int = 0
    seed: str = ""
