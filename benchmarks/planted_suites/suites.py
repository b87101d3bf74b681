"""A clean suite of a domain: tools, goldens, and what each golden means."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.planted_suites.domains import Domain, Parameter, ToolText
from benchmarks.planted_suites.reader import Meant, Reader, stemmed
from rightcall.metrics.case_result import result_of
from rightcall.records import CaseResult, ExpectedCall, Golden, Tool
from rightcall.records.run import CaseResult as Result

GUIDANCE = "If nothing fits the request, call no tool and answer in words."


@dataclass(frozen=True)
class PlantedSuite:
    """A suite with at most one defect; `truth` says which, and where."""

    domain: Domain
    tools: list[Tool]
    system: str
    goldens: list[Golden]
    meant: dict[str, Meant]
    error_hint: bool = True

    def run(self, seed: str, *, trials: int, reads: float = 0.8, noise: float = 0.03) -> list[CaseResult]:
        """Every trial of every golden, scored."""
        reader = Reader(self.tools, self.system, self.error_hint)
        offered = {tool.name: tool for tool in self.tools}
        results: list[Result] = []
        for golden in self.goldens:
            for trial in range(trials):
                rng = random.Random(f"{seed}/{golden.id}/{trial}")
                trajectory = reader.act(self.meant[golden.id], rng, reads=reads, noise=noise)
                result = result_of(golden, trial, trajectory, offered)
                results.append(_with(result, trajectory))
        return results

    def misread(self, seed: str) -> set[str]:
        """Goldens that whoever reads the definitions gets wrong, without noise."""
        return {r.golden_id for r in self.run(seed, trials=1, reads=1.0, noise=0.0) if not r.passed}


def _with(result: CaseResult, trajectory: Any) -> CaseResult:
    import msgspec

    return msgspec.structs.replace(result, trajectory=trajectory)


def clean_suite(domain: Domain, seed: str, goldens: int = 7) -> PlantedSuite:
    """The domain's tools as they should be, so many goldens a tool, and eight negatives."""
    rng = random.Random(f"clean/{domain.name}/{seed}")
    made: list[Golden] = []
    meant: dict[str, Meant] = {}
    for tool in domain.tools:
        for number in range(goldens):
            golden, meaning = _golden(tool, number, rng)
            made.append(golden)
            meant[golden.id] = meaning
    for number, text in enumerate(domain.negatives):
        golden = Golden(text, f"negative-{number + 1}", category="negative", no_calls=True)
        made.append(golden)
        meant[golden.id] = Meant(tuple(stemmed(text)), "", {}, {})
    system = f"You are an assistant for {domain.name}. {GUIDANCE}"
    return PlantedSuite(domain, [definition(tool) for tool in domain.tools], system, made, meant)


def definition(tool: ToolText) -> Tool:
    """The tool as it is sent."""
    apart = f" Not for {tool.apart}: {tool.pair} does that." if tool.pair else ""
    properties = {parameter.name: _schema(parameter) for parameter in tool.parameters}
    schema = {"type": "object", "properties": properties, "required": [p.name for p in tool.parameters]}
    return Tool(tool.name, tool.text + apart, schema)


def _schema(parameter: Parameter) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "integer" if parameter.kind == "unit" else "string"}
    made["description"] = parameter.text
    if parameter.kind == "enum":
        meanings = "; ".join(f"{value}: {said}" for value, said in parameter.values)
        made |= {
            "description": f"{parameter.text} ({meanings})",
            "enum": [value for value, _ in parameter.values],
        }
    elif parameter.kind == "unit":
        made["description"] = f"{parameter.text}, in {parameter.unit}"
    elif parameter.kind == "date":
        made |= {"description": f"{parameter.text} (as YYYY-MM-DD)", "format": "date"}
    return made


def _golden(tool: ToolText, number: int, rng: random.Random) -> tuple[Golden, Meant]:
    template = tool.wants[number % len(tool.wants)]
    chosen = {p.name: rng.choice(p.values) for p in tool.parameters}
    text = template.format(**{name: said for name, (_, said) in chosen.items()})
    kinds = {p.name: p.kind for p in tool.parameters}
    forms = frozenset(name for name, kind in kinds.items() if kind == "form")
    golden = Golden(
        text,
        f"{tool.name}-{number + 1}",
        expected_calls=(ExpectedCall(tool.name, {name: value for name, (value, _) in chosen.items()}),),
        count_failed="final" if forms else "all",
    )
    meaning = Meant(
        tuple(stemmed(re.sub(r"\{\w+\}", " ", template))),
        tool.name,
        {name: (value, said, kinds[name]) for name, (value, said) in chosen.items()},
        {p.text: p.name for p in tool.parameters},
        forms,
    )
    return golden, meaning


def with_tool(suite: PlantedSuite, name: str, made: Tool) -> PlantedSuite:
    """The suite with one definition replaced."""
    return replace(suite, tools=[made if tool.name == name else tool for tool in suite.tools])
