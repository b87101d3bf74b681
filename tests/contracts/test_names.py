"""Names say what a thing is: few are `found` or `made`, and few functions begin with a participle."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.names import PackageNames, begins_with_participle, measure

import rightcall
from tests.support.source_tree import syntax_tree

MOST = {"vague_share": 0.01, "vague_parameter_share": 0.01, "participle_share": 0.03}
"""Largest allowed share of variables, of parameters and of functions."""


@pytest.fixture(scope="module")
def names() -> PackageNames:
    return measure(Path(rightcall.__file__).parent, syntax_tree)


@pytest.mark.parametrize("share", MOST)
def test_few_names_say_nothing(names, share):
    advice = "`python -m benchmarks names --list ROOM` shows them; name the thing: `matches`, `load_suite`"
    assert getattr(names, share) <= MOST[share], advice


def test_each_kind_of_name_is_counted(tmp_path):
    (tmp_path / "a.py").write_text(
        "class Row:\n    found: int\n"
        "def joined_rows(self, given, *, each=1):\n    one, said = made = given\n"
        "    with given as known: pass\n    return [told for told in one if (wanted := told)]\n"
        "def load(rows): return rows\n"
    )
    (tmp_path / "b.py").write_text("def _load(rows):\n    '''Loads.'''\n    return list(rows)\n")
    names = measure(tmp_path)
    assert (names.variables, [name for _, name in names.vague]) == (
        6,
        ["made", "one", "said", "known", "wanted"],
    )
    assert [name for _, name in names.cousins] == ["told"]
    assert (names.parameters, [name for _, name in names.vague_parameters]) == (4, ["given", "each"])
    assert names.participles == [("a.py:3", "joined_rows")]
    assert names.repeated == {"load": 2}


@pytest.mark.parametrize(
    ("function", "participle"),
    [("_told", True), ("reading", True), ("checked_rows", True), ("seed", False), ("string_of", False),
     ("nested_rows", False), ("render_joined", False), ("read_rows", False)],
)  # fmt: skip
def test_first_word_decides_whether_a_function_begins_with_a_participle(function, participle):
    assert begins_with_participle(function) is participle
