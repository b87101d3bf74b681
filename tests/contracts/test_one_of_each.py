"""Digests, percentages and shortened texts are written in one place each."""

from __future__ import annotations

import ast
from typing import get_args

import pytest

from rightcall.records.failure import CODES, Code
from tests.support.source_tree import PACKAGE, source_files, syntax_tree

FILES = {path.relative_to(PACKAGE).as_posix(): path for path in source_files()}
OTHER_HASHES = {
    "run/watched_inputs.py": "a slow hash of secret values",
}


def imports_hashlib(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "hashlib"
    return isinstance(node, ast.Import) and any(alias.name == "hashlib" for alias in node.names)


def formats_percent(node: ast.AST) -> bool:
    """`{share:.1%}`, `{share * 100:.1f}` or "{:.1%}".format(share)."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "%}" in node.value:
        return "{:" in node.value
    if not isinstance(node, ast.FormattedValue) or not isinstance(node.format_spec, ast.JoinedStr):
        return False
    spec = node.format_spec.values
    if spec and isinstance(spec[-1], ast.Constant) and str(spec[-1].value).endswith("%"):
        return True
    return isinstance(node.value, ast.BinOp) and any(
        isinstance(side, ast.Constant) and side.value == 100 for side in (node.value.left, node.value.right)
    )


def cuts_text(node: ast.AST) -> bool:
    """`text[:59] + "…"` or f"{text[:59]}…"."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first = node.left
        second = node.right
        return _is_beginning(first) and isinstance(second, ast.Constant) and second.value == "…"
    if isinstance(node, ast.JoinedStr):
        return any(
            isinstance(first, ast.FormattedValue)
            and _is_beginning(first.value)
            and isinstance(second, ast.Constant)
            and str(second.value).startswith("…")
            for first, second in zip(node.values, node.values[1:], strict=False)
        )
    return False


def _is_beginning(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and node.slice.lower is None
        and node.slice.upper is not None
    )


LAWS = {
    "digest": (imports_hashlib, {"core/digest.py", *OTHER_HASHES}),
    "percent": (formats_percent, {"core/text.py"}),
    "shortener": (
        cuts_text,
        {
            "core/text.py",
            "files/places.py",  # an excerpt of a file that was itself cut
            "show/html.py",  # says why
        },
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_is_written_in_one_place(law):
    breaks, homes = LAWS[law]
    places = {
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, path in FILES.items()
        if name not in homes
        for node in ast.walk(syntax_tree(path))
        if breaks(node)
    }
    assert places == set()
    assert all(any(map(breaks, ast.walk(syntax_tree(FILES[home])))) for home in homes), (
        "an exception is stale"
    )


@pytest.mark.parametrize(
    "code",
    ['f"{x:.1%}"', 'f"{x:+.0%}"', 'f"{x * 100:g}"', 'f"{100 * x:.1f}"', '"{:.1%}".format(x)', 'f"{t[:9]}…"',
     't[: n - 1] + "…"', "import hashlib", "from hashlib import md5"],
)  # fmt: skip
def test_the_laws_see(code):
    assert any(breaks(node) for breaks, _ in LAWS.values() for node in ast.walk(ast.parse(code)))


def test_a_failure_code_is_one_row_and_where_it_arises():
    codes = set(get_args(Code))
    named = {
        name: {node.value for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Constant)}
        for name, path in FILES.items()
    }
    lists = {name for name, values in named.items() if len(codes & values) > len(codes) * 3 / 4}
    assert lists == {"records/failure.py"}
    assert list(CODES) == list(get_args(Code))


HAND_WRITTEN_OPTIONS = {
    "cli/dataset.py": 1,  # --from offers the importers of installed packages
    "cli/dataset_versions.py": 1,  # -o takes two files
    "cli/main.py": 2,  # the options of the program, which a command takes without listing them
    "cli/run_report.py": 1,  # --format offers the formats of installed packages
}
"""What only click can say; every other option is declared with `core/options.py`."""


def test_options_are_declared_in_one_way():
    counts = {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8").count("click.option(")
        for path in PACKAGE.rglob("*.py")
    }
    assert {path: count for path, count in counts.items() if count} == HAND_WRITTEN_OPTIONS
