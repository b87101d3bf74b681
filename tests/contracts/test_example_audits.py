"""The suites in examples/ notice every bug that `rightcall audit` plants, and none of their goldens is doubted.

What a weaker golden would let through, acting on another order for one, is what a reader would copy from us.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rightcall as rc

EXAMPLES = Path(__file__).parents[2] / "examples"
PLANTED = {
    "banking-conversation/suite.yaml": 8,
    "exec-program/suite.yaml": 44,
    "handoffs/suite_langgraph.yaml": 72,
    "http-service/suite.yaml": 44,
    "langgraph/suite.yaml": 63,
    "node/suite.yaml": 11,
    "openai-agents/suite.yaml": 63,
    "pull-request/suite.yaml": 600,
    "pydantic-ai/suite.yaml": 63,
    "pytest-project/goldens.jsonl": 117,
    "shop/suite.yaml": 335,
    "skills/suite.yaml": 21,
}
"""The provably wrong agents that were planted when all of them were caught: fewer would prove less."""
UNDECIDED = {"judging"}
"""A suite whose goldens only a judge decides: nothing can be planted whose score is known."""


def test_every_example_with_goldens_is_audited() -> None:
    with_goldens = {path.parent.name for path in EXAMPLES.glob("*/goldens.jsonl")}
    assert with_goldens == {name.split("/")[0] for name in PLANTED} | UNDECIDED


SLOW = ("handoffs/suite_langgraph.yaml", "langgraph/suite.yaml", "pull-request/suite.yaml")


@pytest.fixture
def fresh_modules() -> Iterator[None]:
    """Examples have modules of the same names."""
    names = {path.stem for path in EXAMPLES.glob("*/*.py")}
    before = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    yield
    for name in names & sys.modules.keys():
        del sys.modules[name]
    sys.modules.update(before)


@pytest.mark.usefixtures("fresh_modules")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.stories) if name in SLOW else name for name in PLANTED]
)
def test_an_example_catches_what_is_planted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file = name.split("/")
    shutil.copytree(EXAMPLES / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.syspath_prepend(str(tmp_path / folder))
    tools = {} if file.endswith(".yaml") else {"tools": "tools.json"}
    result = rc.audit(file, trust=True, store=tmp_path / "none.db", **tools)
    assert [survivor.sentence for survivor in result.survivors] == []
    assert [doubt.sentence for doubt in result.doubts] == []
    assert result.sure.caught >= PLANTED[name]


@pytest.mark.stories
def test_the_pull_request_example_names_the_order_that_is_acted_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a run, the right values are known, and wrong ones are provably wrong."""
    shutil.copytree(EXAMPLES / "pull-request", tmp_path / "shop")
    monkeypatch.chdir(tmp_path / "shop")
    rc.run_suite("suite.yaml", trials=1, store="runs.db")
    result = rc.audit("suite.yaml", store="runs.db")
    assert result.survivors == () and result.by_operator["other_id"].caught >= 60
