"""No module imports itself through others: not when it is loaded, not inside a function, not for type checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.support.source_tree import PACKAGE, source_files, syntax_tree

MODULES = {
    ".".join(("rightcall", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in source_files()
}


def imports(tree: ast.Module) -> Iterator[str]:
    """Every module of the package that is imported anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            full_names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else node.module or "" for name in full_names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


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
        name: {other for other in imports(syntax_tree(path)) if other in MODULES} - {name}
        for name, path in MODULES.items()
    }
    assert sum(map(len, graph.values())) > 3 * len(MODULES)  # the imports were found
    require_no_cycle(graph)


def test_a_cycle_is_found():
    hidden = ast.parse("def later():\n    from rightcall.model.run import Run\nimport rightcall.core.text")
    assert set(imports(hidden)) == {"rightcall.model.run", "rightcall.core.text"}
    with pytest.raises(pytest.fail.Exception, match="modules import each other"):
        require_no_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
