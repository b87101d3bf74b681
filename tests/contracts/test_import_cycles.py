"""No module imports itself through others: not when it is loaded, not inside a function, not for type checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.support.source_tree import PACKAGE, imports, modules, source_files, syntax_tree


def require_no_cycle(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " → ".join(error.args[1])
        pytest.fail(
            f"modules import each other: {circle}; move what they share to a module that knows neither"
        )


def test_no_module_imports_itself_through_others():
    graph = {
        name: {other for other in imports(syntax_tree(path)) if other in modules()} - {name}
        for name, path in modules().items()
    }
    assert sum(map(len, graph.values())) > 3 * len(modules())  # the imports were found
    require_no_cycle(graph)


def test_a_cycle_is_found():
    hidden = ast.parse("def later():\n    from rightcall.records.run import Run\nimport rightcall.core.text")
    assert set(imports(hidden)) == {"rightcall.records.run", "rightcall.core.text"}
    with pytest.raises(pytest.fail.Exception, match="modules import each other"):
        require_no_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})


LAZY_IMPORTS = {
    "__init__.py": "importing rightcall loads nothing",
    "agents/kinds.py": "one module for each kind of agent",
    "agents/remote/kind.py": "one module for each kind of address",
    "agents/open_agent.py": "MCP servers, for suites that have one",
    "decide/verdict.py": "what would decide a rate that is undecided",
    "files/places.py": "the places of YAML files",
    "metrics/builtin/dialogue.py": "values of answers, when a suite checks them",
    "metrics/resolve.py": "judged metrics, when one is named",
    "records/case.py": "messages in place of calls",
    "run/floor.py": "what scores trivial agents when a floor is computed, and agents that are code",
    "run/conclude.py": "judged cases",
    "run/live_run.py": "early stops of gates",
    "run/preparation.py": "what a gate can never show",
    "run/rehearsal/trial.py": "replays of tools, and mocks of plans: scoring files has none",
    "run/run_judges.py": "judged metrics",
    "run/runner.py": "baselines",
    "run/suite_agent.py": "recorded MCP servers",
    "run/suite_plan.py": "a lock of tools",
    "show/view/case.py": "attacks",
    "store/address.py": "SQLAlchemy, for a store that exists",
    "tools/definitions/source.py": "MCP servers",
    "tools/worlds/base.py": "the shelf of worlds",
}
"""Files of the core that import a module of ours in a function, and what for: only some runs need it."""


def imports_in_functions(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (name for name in imports(function) if name.startswith("rightcall"))


def test_the_core_imports_in_functions_only_what_few_runs_need():
    core = {path.relative_to(PACKAGE).as_posix(): path for path in source_files()}
    lazy = {
        name
        for name, path in core.items()
        if name.partition("/")[0] not in ("api", "cli", "limbs")
        and any(imports_in_functions(syntax_tree(path)))
    }
    advice = "import at the top, or add the file to LAZY_IMPORTS with the reason why only some runs need it"
    assert lazy <= set(LAZY_IMPORTS), advice
    assert set(LAZY_IMPORTS) <= lazy, "these files import at the top now: remove them from LAZY_IMPORTS"
