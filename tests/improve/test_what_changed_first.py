"""`analyze` names first what changed since failing goldens passed; where nothing did, only what it can know."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

import rightcall as rc
from rightcall.improve.changes import lines_by_function
from rightcall.improve.run_analysis import analyze_results, analyze_run
from rightcall.metrics.case_result import result_of
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.store.address import open_store
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

CITY = {"type": "object", "properties": {"city": {"type": "string", "description": "Name of the city"}}}
TOOLS = [Tool(name, f"{name} of a city.", CITY) for name in ("weather", "traffic", "news")]
GOLDENS = [
    Golden(f"{tool.name} of {city}", f"{tool.name}-{city}", expected_calls=(ExpectedCall(tool.name, {"city": city}),))
    for tool in TOOLS
    for city in ("Rome", "Oslo", "Lima")
]  # fmt: skip


def analysed(answer, *, system: str | None = "", trials: int = 1, tools=TOOLS, others=()):
    """The analysis of what `answer` makes of each golden, `answer(golden)` being its calls."""
    offered = {tool.name: tool for tool in tools}
    results = []
    for golden in GOLDENS:
        for trial in range(trials):
            trajectory = Trajectory(calls=tuple(answer(golden)))
            result = result_of(golden, trial, trajectory, offered)
            results.append(msgspec.structs.replace(result, trajectory=trajectory))
    same = dict.fromkeys(others, results)
    return analyze_results(tools, GOLDENS, results, system=system, others=same)


def right(golden: Golden) -> list[ToolCall]:
    call = golden.expected_calls[0]
    return [ToolCall(call.tool, call.args, status="ok", output="fine")]


def test_tools_that_are_silent_together_are_the_prompt_which_is_quoted():
    finding = analysed(lambda golden: [], system="Be kind. Answer from memory, never use tools.").findings[0]
    assert finding.cause == "tools_silent" and "never use tools" in finding.advice
    assert "instructions and at the setting" in analysed(lambda golden: [], system=None).findings[0].advice


def test_a_tool_that_fails_for_the_right_arguments_is_broken():
    def fails(golden: Golden) -> list[ToolCall]:
        (call,) = right(golden)
        broken = msgspec.structs.replace(call, output="Error: no route to host")
        return [broken, ToolCall("news", {"city": "x"})] if call.name == "traffic" else [call]

    finding = analysed(fails).findings[0]
    assert (finding.cause, finding.tools, finding.stated) == ("tool_breaks", ("traffic",), True)


def test_a_tool_that_refuses_what_the_goldens_lack_is_not_called_broken():
    schema = CITY | {"required": ["city", "day"]}
    tools = [msgspec.structs.replace(tool, input_schema=schema) for tool in TOOLS]

    def refused(golden: Golden) -> list[ToolCall]:
        return [
            msgspec.structs.replace(call, status="error", output="day is missing") for call in right(golden)
        ]

    findings = analysed(refused, tools=tools).findings
    assert not {finding.cause for finding in findings} & {"tool_breaks", "error_without_hint"}


def test_a_renamed_parameter_is_one_finding():
    def renamed(golden: Golden) -> list[ToolCall]:
        (call,) = right(golden)
        return (
            [ToolCall("weather", {"location": call.arguments["city"]})] if call.name == "weather" else [call]
        )

    findings = analysed(renamed).findings
    assert [finding.cause for finding in findings] == ["parameter_renamed"] and findings[0].trials == 3


@pytest.mark.parametrize("trials", [1, 3])
@pytest.mark.parametrize("others", [(), ("gpt-5", "claude")])
@pytest.mark.parametrize("instead", [0, 1, 2])
@pytest.mark.parametrize("cut", [("weather",), ("traffic", "news"), ("city",), ("news", "city")])
def test_no_golden_is_blamed_for_what_several_lack_in_common(cut, instead, others, trials):
    """What was never offered is the set-up; the agent does nothing instead, one call for all, or another for each."""
    schema = {"type": "object", "properties": {}} if "city" in cut else CITY
    tools = [msgspec.structs.replace(tool, input_schema=schema) for tool in TOOLS if tool.name not in cut]

    def answer(golden: Golden) -> list[ToolCall]:
        (call,) = right(golden)
        if "city" in cut:
            call = msgspec.structs.replace(call, arguments={})
        if call.name not in cut:
            return [call]
        place = GOLDENS.index(golden) if instead == 2 else 0
        return [msgspec.structs.replace(call, name=tools[place % len(tools)].name)] if instead else []

    findings = analysed(answer, tools=tools, trials=trials, others=others).findings
    assert "golden_looks_wrong" not in [finding.cause for finding in findings]
    assert findings[0].cause == "not_offered" and findings[0].stated
    named = {*findings[0].tools, *findings[0].parameters}
    assert named & set(cut)


def test_a_description_that_says_not_to_use_its_tool_is_quoted():
    tools = [msgspec.structs.replace(TOOLS[0], description="Deprecated, do not use."), *TOOLS[1:]]
    finding = analysed(lambda golden: [] if "weather" in golden.id else right(golden), tools=tools).findings[
        0
    ]
    assert (finding.cause, finding.stated) == ("use_forbidden", True)
    assert "Strike “Deprecated, do not use.”" in finding.advice


def test_one_misspelt_tool_is_the_golden():
    tools = [
        msgspec.structs.replace(tool, name="weathers" if tool.name == "weather" else tool.name)
        for tool in TOOLS
    ]
    goldens = [golden for golden in GOLDENS if golden.id.startswith("news")] + GOLDENS[:1]
    results = [
        msgspec.structs.replace(result_of(golden, 0, trajectory, {tool.name: tool for tool in tools}), trajectory=trajectory)
        for golden in goldens
        for trajectory in [Trajectory(calls=(ToolCall("weathers" if golden is GOLDENS[0] else "news", golden.expected_calls[0].args),))]
    ]  # fmt: skip
    assert analyze_results(tools, goldens, results).findings[0].cause == "golden_looks_wrong"


def test_two_failing_goldens_are_a_symptom_and_no_cause():
    def silent_twice(golden: Golden) -> list[ToolCall]:
        return [] if golden.id in ("news-Rome", "news-Oslo") else right(golden)

    analysis = analysed(silent_twice, trials=3)
    assert analysis.stated == () and analysis.findings[0].what == "news is not called"


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "s.db") as store:
        yield store


def evaluated(store, calls, **more):
    return rc.evaluate(calls, GOLDENS, name="city", store=store.name, **more)


@pytest.mark.stories
def test_a_change_since_the_goldens_passed_comes_before_causes_in_definitions(store, tmp_path):
    source = (
        "import rightcall as rc\nfrom rightcall import ToolCall\n\ndef answer(golden):\n"
        "    call = golden.expected_calls[0]\n    {}\n"
    )
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "suite.yaml").write_text(
        "name: city\ndataset: goldens.jsonl\nagent: {model: 'agent:answer'}\n"
    )
    lines = (msgspec.json.encode(golden).decode() for golden in GOLDENS)
    (tmp_path / "goldens.jsonl").write_text("\n".join(lines))
    for line in ("return [ToolCall(call.tool, call.args)]", "return []"):
        (tmp_path / "agent.py").write_text(source.format(line))
        command = [sys.executable, "-m", "rightcall", "run", "suite.yaml", "--store", str(store.file)]
        subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
    finding = analyze_run(store).findings[0]
    assert finding.cause == "changed" and finding.stated and finding.count == len(GOLDENS)
    assert "return [ToolCall" in finding.changed[0].before and finding.changed[0].after == "    return []"


def test_goldens_that_passed_before_anything_that_can_be_read_are_blamed_on_nothing(store):
    silent: set[str] = set()

    def answer(golden: Golden) -> list[ToolCall]:
        return [] if golden.id in silent else right(golden)

    before = evaluated(store, answer)
    silent.add("news-Rome")
    evaluated(store, answer)
    (finding,) = analyze_run(store).findings
    assert finding.since == before.id and not finding.stated and not finding.changed
    assert "Nothing that can be read has changed" in finding.advice


def test_lines_are_shown_by_the_function_that_they_are_in():
    before = "X = 1\n\n@tool\ndef find(name):\n    return ROWS[name]\n"
    after = "X = 1\n\n@tool\ndef find(name):\n    return ROWS[name.lower()]\n"
    assert lines_by_function(before, after) == {
        "find": ("    return ROWS[name]", "    return ROWS[name.lower()]")
    }


@pytest.mark.stories
def test_what_requests_say_of_an_agent_that_is_code_is_kept_with_its_run(store):
    from rightcall.improve.run_setup import run_record
    from tests.limbs.adapters.kits.asking_agents import SYSTEM, openai_agent

    with model_server(Journal()) as address:
        golden = Golden(
            "weather Hanoi", "g", expected_calls=(ExpectedCall("get_weather", {"city": "Hanoi"}),)
        )
        run = rc.evaluate(rc.observe(openai_agent(address, []), via="openai"), [golden], store=store.name)
    record = run_record(store, store.runs.get(run.id))
    assert record.system == SYSTEM and [tool.name for tool in record.tools] == ["get_weather"]
    assert not record.owned
