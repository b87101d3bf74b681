"""Names of models: where they are written, which come first, and what is said of those that are wrong."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.agents.agent import with_endpoint
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.kinds import agent_of_kind
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.deepeval.metrics import AnswerRelevancyMetric, GEval, TaskCompletionMetric
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.deepeval.synthesizer import Synthesizer
from rightcall.providers.base import Prompt, Settings
from rightcall.providers.catalog import ModelCatalog, bare_model, project_models, read_models
from rightcall.providers.endpoint import ModelEndpoint, overlaid
from rightcall.providers.rate_limit import RateLimit, shared_bucket
from rightcall.providers.resolver import check, endpoint_of, resolve
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from tests.support.one_server import one_server

SMALL = {"model": "openai:gpt-5-mini"}
HERE = "http://127.0.0.1:8000/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_project(folder: Path, *lines: str) -> None:
    (folder / "pyproject.toml").write_text("\n".join(["[tool.rightcall.models]", *lines]) + "\n")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"a:b": SMALL}, "models.a:b: a model's name has letters, digits, '_', '-' and '.', and no colon"),
        ({"default_juge": SMALL}, "models.default_juge: no such role; there are default_judge"),
        (
            {"small": {"model": "gpt-5-mini"}},
            "models.small: model must be provider:model, got 'gpt-5-mini'; did you",
        ),
        ({"small": {"model": "opnai:x"}}, "did you mean 'openai'?"),
        ({"small": {"model": "http:http://x"}}, "is an agent, which runs its own tools"),
        (
            {"small": {**SMALL, "base_ulr": HERE}},
            "models.small: unknown field 'base_ulr'; did you mean 'base_url'?",
        ),
        (
            {"small": {**SMALL, "base_url": "127.0.0.1"}},
            "models.small: base_url must look like http://host:port/v1",
        ),
        ({"small": {**SMALL, "key_env": "sk-12 34"}}, "key_env must be the name of an environment variable"),
        ({"small": {**SMALL, "headers": {"x\\ny": "1"}}}, "is not valid"),
        ({"small": {"model": "keyword:", "base_url": HERE}}, "keyword: does not accept base_url"),
        (
            {"small": SMALL, "default_judge": "smal"},
            "models.default_judge: unknown model 'smal'; did you mean 'small'",
        ),
        ({"default_judge": 3}, "models.default_judge"),
    ],
)
def test_a_wrong_entry_says_where_and_what(written, told):
    with pytest.raises(ConfigError) as caught:
        read_models(written, "models")
    assert told in str(caught.value)


def test_an_unknown_name_is_an_error_with_a_suggestion(folder):
    write_project(folder, 'small = "openai:gpt-5-mini"')
    for ask in (lambda: resolve("smal"), lambda: TaskCompletionMetric(model="smal")):
        with pytest.raises(ConfigError, match="unknown model 'smal'; did you mean 'small'"):
            ask()
    assert "did you mean 'openai:gpt-5'" in asyncio.run(check("gpt-5"))[0]
    assert (bare_model("gpt-4.1"), bare_model("small"), bare_model("a:b")) == (
        "openai:gpt-4.1",
        "small",
        "a:b",
    )


def test_a_file_that_changes_is_read_again_and_the_nearest_one_counts(folder):
    write_project(folder, 'small = "openai:one"')
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    assert project_models(inner).endpoint("small").model == "openai:one"
    write_project(folder, 'small = "openai:another"')
    assert project_models(inner).endpoint("small").model == "openai:another"
    write_project(inner, 'small = "openai:inner"')
    assert project_models(inner).endpoint("small").model == "openai:inner"


def test_a_suite_comes_before_the_project_and_that_before_the_environment(folder, monkeypatch):
    write_project(folder, 'small = "openai:project"', 'large = "openai:large"', 'default_judge = "small"')
    monkeypatch.setenv("RIGHTCALL_DEFAULT_JUDGE", "openai:environment")
    monkeypatch.setenv("RIGHTCALL_DEFAULT_USER", "large")
    catalog = read_models({"small": "openai:suite"}, "models", project_models())
    assert catalog.endpoint("small").model == catalog.default("judge").model == "openai:suite"
    assert (catalog.endpoint("large").model, catalog.default("user").model) == ("openai:large",) * 2
    assert catalog.default("generator") is None
    assert ModelCatalog().default("judge").model == "openai:environment"


@pytest.mark.parametrize(
    ("ask", "role"),
    [
        (AnswerRelevancyMetric, "judge"),
        (lambda: GEval("g", criteria="good"), "judge"),
        (lambda: ConversationSimulator(print), "user"),
        (lambda: Synthesizer().generate_goldens_from_contexts([["text"]]), "generator"),
        (lambda: UserSetup().bound(), "user"),
    ],
)
def test_without_any_model_the_error_has_the_line_to_add(ask, role, folder):
    with pytest.raises(ConfigError, match="requires a model") as caught:
        ask()
    line = f'default_{role} = "openai:gpt-5-mini"'
    assert line in str(caught.value) and "[tool.rightcall.models] in pyproject.toml" in str(caught.value)
    write_project(folder, line)
    assert project_models().default(role).model == "openai:gpt-5-mini"


def test_what_is_written_at_the_place_of_use_comes_before_the_entry():
    entry = ModelEndpoint(
        "openai:m",
        HERE,
        settings=Settings(temperature=0.5, top_p=0.1),
        rate=RateLimit(requests_per_minute=60),
    )
    catalog = ModelCatalog({"small": entry})
    agent = with_endpoint(
        rc.Agent("small", settings={"temperature": 1}, base_url="http://127.0.0.1:9/v1"), catalog
    )
    assert (agent.model, agent.base_url) == ("openai:m", "http://127.0.0.1:9/v1")
    assert agent.settings == Settings(temperature=1, top_p=0.1) and agent.rate == entry.rate
    user = UserSetup("small", settings={"top_p": 0.9}).bound(catalog).model
    assert user.settings == Settings(temperature=0.5, top_p=0.9) and user.base_url == HERE


def test_settings_of_an_entry_are_in_every_request_and_its_price_is_obeyed(folder):
    with one_server() as server:
        entry = {"model": "openai:m", "base_url": server.url, "prices": {"input": 1e4, "output": 0}}
        settings = {"temperature": 0.25, "extra": {"top_k": 3}}
        catalog = read_models({"small": {**entry, "settings": settings}}, "models")
        agent = rc.Agent(catalog.endpoint("small"), tools=[])
        run = rc.evaluate(agent, [rc.Golden("Hi", id="g")], progress=False)
        rc.score_cases([rc.TestCase(rc.Golden("Hi", id="g"), rc.Trajectory(output="Hi"))],
                       [AnswerRelevancyMetric(model=catalog.endpoint("small"), votes=1, cache="")])  # fmt: skip
    assert [(body["temperature"], body["top_k"]) for body in server.bodies] == [(0.25, 3)] * 2
    assert run.results[0].trajectory.usage.cost_usd == pytest.approx(1.0)


def test_overlaid_settings_keep_what_the_other_does_not_say():
    base = Settings(temperature=0.7, max_tokens=10, extra={"a": 1})
    over = Settings(temperature=0.0, extra={"b": 2})
    assert overlaid(base, over) == Settings(temperature=0.0, max_tokens=10, extra={"a": 1, "b": 2})
    assert overlaid(base, Settings()) is base


def test_an_entry_that_only_names_a_model_is_that_model():
    assert repr(ModelEndpoint("openai:m", key_env="K")) == repr("openai:m")
    plain, named = (TaskCompletionMetric(model=model) for model in ("openai:m", ModelEndpoint("openai:m")))
    assert repr(plain) == repr(named)


def test_keys_and_headers_are_shown_nowhere(monkeypatch):
    monkeypatch.setenv("GATEWAY_AUTH", "plain-looking-word-77")
    entry = ModelEndpoint("openai:m", HERE, "GATEWAY_AUTH", {"x-api-key": "written-secret-1234"})
    metric = TaskCompletionMetric(model=entry)
    shown = scrubber()(repr(metric) + " plain-looking-word-77 written-secret-1234")
    assert "plain-looking" not in shown and "written-secret" not in shown
    assert "written-secret" not in repr(entry) and "x-api-key" not in repr(entry)


def test_a_typed_model_of_another_kind_is_not_asked_at_the_suites_server(folder):
    models = {"other": {"model": "openai:o", "base_url": "http://127.0.0.1:7/v1"}}
    agent = {"model": "openai:m", "base_url": HERE, "headers": {"x": "1"}}
    (folder / "goldens.jsonl").write_text('{"input": "Hi", "id": "g"}\n')
    (folder / "suite.yaml").write_text(
        json.dumps({"dataset": "goldens.jsonl", "agent": agent, "models": models})
    )
    suite = load_suite("suite.yaml")
    plans = {
        typed: plan_suite(suite, folder, model=typed).agent
        for typed in (None, "openai:n", "other", "anthropic:c", "keyword:")
    }
    servers = {typed: agent.base_url for typed, agent in plans.items()}
    other = "http://127.0.0.1:7/v1"
    assert servers == {None: HERE, "openai:n": HERE, "other": other, "anthropic:c": None, "keyword:": None}
    assert {typed for typed, agent in plans.items() if agent.headers} == {None, "openai:n"}
    typed = plan_suite(suite, folder, model="openai:m@http://127.0.0.1:5/v1").agent
    assert (typed.base_url, dict(typed.headers)) == ("http://127.0.0.1:5/v1", {})


def test_a_rate_is_shared_by_all_roles_at_a_server():
    rate = RateLimit(requests_per_minute=600)
    entry = ModelEndpoint("openai:m", HERE, rate=rate)

    async def buckets():
        async with agent_of_kind(rc.Agent(entry, tools=[])) as session:
            return session.asker.rate, resolve(entry)._bucket(), shared_bucket("openai:other", rate)

    own, judges, other = asyncio.run(buckets())
    assert own is judges and other is not own


def test_prompts_are_encoded_once_although_settings_are_laid_over_them():
    provider = resolve(ModelEndpoint("openai:m", HERE, settings=Settings(temperature=0)))
    prompt = Prompt("s")
    assert provider._prompts.get(prompt) is provider._prompts.get(prompt)
    assert endpoint_of("openai:m", base_url=HERE).base_url == HERE
