"""Every door × every way to name a model, on one loopback server: each role is asked there, and nothing elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

import rightcall as rc
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.cli.main import main
from rightcall.core.event_loop import run_blocking
from rightcall.deepeval.metrics import AnswerRelevancyMetric, GEval
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.deepeval.synthesizer import Synthesizer
from rightcall.deepeval.synthesizer.config import StylingConfig
from rightcall.improve.model_texts import Rewriter
from rightcall.providers.resolver import endpoint_of
from rightcall.records.dialects import read_tool
from tests.support.one_server import AGENT, JUDGE, USER, WRITER, asked, guard_sockets, one_server

TOOLS = [{"name": "get_weather", "description": "Weather of a city", "input_schema": {"type": "object"}}]
GOLDEN = rc.Golden("Weather in Hanoi?", id="g1", expected_calls=[rc.ExpectedCall("get_weather")])
TALK = rc.ConversationalGolden("Ask for the weather in Hanoi", id="t1", simulate=True)
CASE = rc.TestCase(GOLDEN, rc.Trajectory(calls=(rc.ToolCall("get_weather", {"city": "Hanoi"}),)))
ENTRIES = {"tested": AGENT, "judging": JUDGE, "playing": USER, "writing": WRITER}
DEFAULTS = {"judge": "judging", "user": "playing", "generator": "writing"}


@dataclass(frozen=True)
class Way:
    """How models are named: `names` of a file, or `provider:model` with the server written beside it or not."""

    name: str
    url: str
    written: bool = False

    def model(self, entry: str) -> str:
        return entry if self.name in ("suite", "pyproject") else f"openai:{ENTRIES[entry]}"

    def at_server(self, entry: str) -> str:
        """The model with its server in its name, where it is written beside it."""
        return f"{self.model(entry)}@{self.url}" if self.written else self.model(entry)

    def judge(self, metric: str = "answer_relevancy") -> str:
        where = f", base_url={self.url!r}" if self.written else ""
        return f"{metric}(model={self.model('judging')!r}, cache=''{where})"

    @property
    def base_url(self) -> str | None:
        return self.url if self.written else None

    @property
    def typed(self) -> list[str]:
        return ["--model", self.at_server("tested")] if self.written else []


def set_up(way: str, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Way:
    entries = {name: {"model": f"openai:{model}", "base_url": url} for name, model in ENTRIES.items()}
    roles = {f"default_{role}": name for role, name in DEFAULTS.items()}
    talking = {"model": (way in ("suite", "pyproject") and "playing") or f"openai:{USER}", "max_turns": 2}
    if way == "written":
        talking["model"] = f"openai:{USER}@{url}"
    made = Way(way, url, way == "written")
    suite = {
        "dataset": "talks.jsonl",
        "tools": TOOLS,
        "agent": {"model": made.model("tested"), "mode": "loop", "base_url": made.base_url},
        "metrics": [made.judge()],
        "user": talking,
    }
    if way == "suite":
        suite["models"] = {**entries, **roles}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    (folder / "plain.yaml").write_text(json.dumps({**suite, "dataset": "goldens.jsonl"}))
    golden = {"id": "g1", "input": GOLDEN.input, "expected_calls": [{"tool": "get_weather"}]}
    (folder / "goldens.jsonl").write_text(json.dumps(golden) + "\n")
    talk = {"id": "t1", "scenario": TALK.scenario, "simulate": True, "max_turns": 2}
    (folder / "talks.jsonl").write_text(json.dumps(talk) + "\n")
    if way == "pyproject":
        toml = "[tool.rightcall.models]\n" + "".join(f'{key} = "{name}"\n' for key, name in roles.items())
        toml += "".join(
            f'{name} = {{model = "{entry["model"]}", base_url = "{url}"}}\n'
            for name, entry in entries.items()
        )
        (folder / "pyproject.toml").write_text(toml)
    if way == "environment":
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
        for role, name in DEFAULTS.items():
            monkeypatch.setenv(f"RIGHTCALL_DEFAULT_{role.upper()}", f"openai:{ENTRIES[name]}")
    return made


def cli(*words: str) -> None:
    sys.argv = ["rightcall", *words]
    with pytest.raises(SystemExit):
        main()


def run(way: Way) -> None:
    cli("run", "suite.yaml", *way.typed)


def run_model(way: Way) -> None:
    cli("run", "suite.yaml", "--model", way.at_server("tested"))


def check(way: Way) -> None:
    cli("run", "suite.yaml", "--save-baseline", "base.json")
    cli("check", "suite.yaml", "--baseline", "base.json", "--full", "--again")


def dry_run(way: Way) -> None:
    cli("run", "suite.yaml", "--dry-run")


def perturb(way: Way) -> None:
    cli("run", "plain.yaml", "--perturb", "paraphrase")


def run_suite(way: Way) -> None:
    rc.run_suite("suite.yaml", model=way.at_server("tested") if way.written else None)


def evaluate(way: Way) -> None:
    agent = rc.Agent(way.at_server("tested"), tools=TOOLS)
    user = {"model": way.at_server("playing"), "max_turns": 2}
    rc.evaluate(agent, [GOLDEN, TALK], metrics=[way.judge()], user=user, progress=False)


def evaluate_by_default(way: Way) -> None:
    agent = rc.Agent(way.model("tested"), tools=TOOLS)
    metrics = [AnswerRelevancyMetric(cache="")]
    rc.evaluate(agent, [GOLDEN, TALK], metrics=metrics, user=UserSetup(max_turns=2), progress=False)


def score_cases(way: Way) -> None:
    rc.score_cases([CASE], [way.judge(), way.judge("task_completion")])


def assert_test(way: Way) -> None:
    rc.assert_test(CASE, [GEval("good", criteria="It is good", cache="")])


def score(way: Way) -> None:
    Path("made.jsonl").write_text(
        '{"golden_id": "g1", "calls": [{"name": "get_weather", "arguments": {}}]}\n', encoding="utf-8"
    )
    Path("one.jsonl").write_text(
        '{"id": "g1", "input": "Weather?", "expected_calls": [{"tool": "get_weather"}]}\n', encoding="utf-8"
    )
    cli("score", "one.jsonl", "made.jsonl", "--metric", way.judge())


def rescore(way: Way) -> None:
    agent = rc.Agent(way.model("tested"), tools=TOOLS, base_url=way.base_url)
    rc.evaluate(agent, [GOLDEN], progress=False)
    rc.rescore("last", [way.judge()])


def generate(way: Way) -> None:
    words = ["--from", "scratch", "--n", "1", "--scenario", "s", "--style", "short"]
    cli("generate", "goldens", *words, "--model", way.at_server("writing"), "-o", "out.jsonl")


def generate_by_default(way: Way) -> None:
    words = ["--from", "scratch", "--n", "1", "--scenario", "s", "--style", "short"]
    cli("generate", "goldens", *words, "-o", "out.jsonl")


def synthesizer(way: Way) -> None:
    styling = StylingConfig("s", "t", "short")
    Synthesizer(styling_config=styling).generate_goldens_from_scratch(1)


def rewriter(way: Way) -> None:
    finding = SimpleNamespace(tools=("get_weather",), goldens=("g1",), what="wrong", evidence=(), cause="unclear",
                              parameters=(), won_back=SimpleNamespace(cases=1))  # fmt: skip
    found = SimpleNamespace(stated=[finding])
    task = SimpleNamespace(found=found, tools=[read_tool(TOOLS[0], "tool")], tune=[GOLDEN])
    proposals = run_blocking(Rewriter(endpoint_of(way.model("writing"), base_url=way.base_url))(task))
    assert proposals[0].changes[0].after == "What is the weather in Hanoi?"


def simulator(way: Way) -> None:
    ConversationSimulator(lambda input: "Sunny.").simulate([TALK], max_turns=1)


SUITE = ("suite", "pyproject", "environment", "written")
PYTHON = ("pyproject", "environment", "written")
DEFAULTED = ("pyproject", "environment")
EVERYONE = {AGENT, JUDGE, USER}
DOORS: list[tuple[Callable[[Way], None], tuple[str, ...], set[str]]] = [
    (run, SUITE, EVERYONE),
    (run_model, SUITE, EVERYONE),
    (check, SUITE, EVERYONE),
    (dry_run, SUITE, set()),
    (perturb, ("suite", *DEFAULTED), {AGENT, JUDGE, WRITER}),
    (run_suite, SUITE, EVERYONE),
    (evaluate, PYTHON, EVERYONE),
    (evaluate_by_default, DEFAULTED, EVERYONE),
    (score_cases, PYTHON, {JUDGE}),
    (assert_test, DEFAULTED, {JUDGE}),
    (score, PYTHON, {JUDGE}),
    (rescore, PYTHON, {AGENT, JUDGE}),
    (generate, PYTHON, {WRITER}),
    (generate_by_default, DEFAULTED, {WRITER}),
    (synthesizer, DEFAULTED, {WRITER}),
    (rewriter, PYTHON, {WRITER}),
    (simulator, DEFAULTED, {USER}),
]


@pytest.mark.parametrize(
    ("door", "way", "roles"),
    [
        pytest.param(door, way, roles, id=f"{door.__name__}-{way}")
        for door, ways, roles in DOORS
        for way in ways
    ],
)
def test_every_role_is_asked_at_the_one_server_and_nothing_elsewhere(door, way, roles, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["rightcall"])
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    refused = guard_sockets(monkeypatch)
    with one_server() as server:
        door(set_up(way, server.url, tmp_path, monkeypatch))
    assert refused == []
    assert set(asked(server)) == roles


def test_the_guard_sees_what_would_go_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nowhere-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    refused = guard_sockets(monkeypatch)
    with pytest.raises(rc.errors.ConfigError, match=r"api\.openai\.com"):
        rc.evaluate(rc.Agent("openai:m", tools=TOOLS), [GOLDEN], progress=False)
    assert refused == ["api.openai.com"]
