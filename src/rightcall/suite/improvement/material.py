"""What `improve` works with: the agent, its goldens in two parts, and what they did in the run it starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.analysis import Proposal, Tried, applied, is_exposed, refusal, tokens_of
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.providers import cost
from rightcall.suite.improvement.arms import Arms
from rightcall.suite.improvement.options import ImproveOptions


@dataclass(frozen=True)
class Material:
    """`results` are those of tune; `aside` are goldens that may be wrong themselves, which are in neither part."""

    run: str
    agent: str
    system: str
    arms: Arms
    tune: Sequence[AnyGolden]
    proof: Sequence[AnyGolden]
    results: Sequence[CaseResult]
    aside: tuple[str, ...]
    options: ImproveOptions

    @property
    def tools(self) -> list[Tool]:
        """The definitions as they are."""
        return self.arms.tools

    def exposed(self, one: Proposal, goldens: Sequence[AnyGolden]) -> list[AnyGolden]:
        """Those of the goldens that a proposal is meant for."""
        exposure = one.exposure([tool.name for tool in self.tools])
        return [golden for golden in goldens if is_exposed(golden, exposure)]

    def rates(self, goldens: Sequence[AnyGolden]) -> list[float]:
        """What goldens of tune did in the run that `improve` starts from."""
        passes: dict[str, list[bool]] = {golden.id: [] for golden in goldens}
        for result in self.results:
            if result.golden_id in passes and not result.error:
                passes[result.golden_id].append(result.passed)
        return [sum(some) / len(some) for some in passes.values() if some]

    def tokens(self, one: Proposal | None = None) -> int:
        """What definitions and system prompt cost in a request, with a proposal made or as they are."""
        return tokens_of(*applied(one.changes if one else (), self.tools, self.system))

    def first_look(self, one: Proposal) -> Tried:
        """A proposal before anything is run: refused or not, whom it is meant for, what it costs."""
        more = self.tokens(one) - self.tokens()
        price = cost(self.agent, Usage(input_tokens=1000 * abs(more)))
        return Tried(
            one.name,
            one.why,
            refusal(one, self.tools, self.system, self.tune),
            exposed=len(self.exposed(one, self.proof)),
            tokens=more,
            cost_per_1000=-price if price is not None and more < 0 else price,
        )
