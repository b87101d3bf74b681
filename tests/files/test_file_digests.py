"""Edits that cannot change what a program does leave its files equal, and no other edit does."""

from __future__ import annotations

import ast
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.files.file_digests import digest_of_meaning, same_content
from rightcall.files.source_use import program_use
from tests.support.edits import EDITS, random_edit, random_source, result_of
from tests.support.examples import examples

HELPER = '''"""Words of the shop."""
import json

def words(order, limit=3):
    """The words of an order."""
    found = [word for word in order if word]
    total = len(found)
    return found[:limit], total
'''
CALLED = """class Search:
    def __call__(self, query):
        'Finds.'

    def _find(self, query):
        'Finds too.'
"""
OTHER = "from helper import words\ndef agent(golden):\n    return words(golden.input)\n"


def digest_of(folder: Path, name: str, text: str, **others: str) -> str:
    folder = Path(tempfile.mkdtemp(dir=folder))  # a source is known by its file's name, size and time
    (folder / name).write_text(text, encoding="utf-8")
    for other, content in others.items():
        (folder / f"{other}.py").write_text(content, encoding="utf-8")
    code = [*{folder / f"{other}.py" for other in others}]
    return digest_of_meaning(
        folder / name, program_use([*code, *([folder / name] if name.endswith(".py") else [])])
    )


def same(folder: Path, name: str, before: str, after: str, **others: str) -> bool:
    first = digest_of(folder, name, before, **others)
    second = digest_of(folder, name, after, **others)
    return same_content(f"1~{first}" if first else "1", f"2~{second}" if second else "2")


@pytest.mark.parametrize(("name", "before", "after"), EDITS.values(), ids=EDITS)
def test_an_edit_without_meaning_leaves_a_file_equal(name, before, after, tmp_path):
    assert before != after
    assert same(tmp_path, name, before, after, agent="import json, yaml, tomllib\n")


MEANT = {
    "constant": (HELPER.replace("limit=3", "limit=4"), {}),
    "parameter, which is a keyword": (HELPER.replace("limit", "most"), {}),
    "order of statements": (HELPER.replace("    total = len(found)\n", "").replace("found[:limit], total", "found[:limit], 1"), {}),
    "docstring of a tool": (HELPER.replace("The words of an order", "Words"), {"agent": "from helper import words\nTOOLS = [words]\n"}),
    "docstring of a tool by another name": (HELPER.replace("The words", "Words"), {"agent": "from helper import words as w\nTOOLS = [w]\n"}),
    "docstring of a tool in a list of names": (HELPER.replace("The words", "Words"), {"agent": "import helper\nTOOLS = [getattr(helper, n) for n in ['words']]\n"}),
    "docstring of a module that is given away": (HELPER.replace("The words", "Words"), {"agent": "import helper, kit\nkit.tools(helper)\n"}),
    "docstring of a program that reads them": (HELPER.replace("Words of", "Text of"), {"agent": "import helper\nprint(helper.__doc__)\n"}),
    "docstring of a decorated function": (HELPER.replace("def words", "@tool\ndef words"), {}),
    "docstring of an object that is called": (CALLED.replace("Finds.", "Seeks."), {"agent": "from helper import Search\nTOOLS = [Search()]\n"}),
    "annotation of a method by a computed name": (CALLED.replace("_find(self, query)", "_find(self, query: str)"), {}),
    "annotation of a tool": (HELPER.replace("limit=3", "limit: int = 3"), {"agent": "from helper import words\nTOOLS = [words]\n"}),
    "annotation that raises": (HELPER.replace("limit=3", "limit: Lot = 3"), {}),
    "local name read by locals()": (HELPER.replace("found", "kept"), {"agent": "import helper, sys\nsys._getframe(1).f_locals\n"}),
    "line of a traceback": ("# more\n" + HELPER, {"agent": "import traceback\ntraceback.format_exc()\n"}),
    "source that does not parse": (HELPER + "def", {}),
    "how a script is started": ("#!/usr/bin/env python3.13\n" + HELPER, {}),
    "what a script needs": ("# /// script\n# dependencies = ['a']\n# ///\n" + HELPER, {}),
}  # fmt: skip


@pytest.mark.parametrize("edit", MEANT)
def test_an_edit_that_can_be_read_makes_a_file_different(edit, tmp_path):
    text, others = MEANT[edit]
    decorated = HELPER.replace("def words", "@tool\ndef words").replace("The", "All")
    before = decorated if "decorated" in edit else CALLED if "class Search" in text else HELPER
    assert not same(tmp_path, "helper.py", before, text, **{"agent": OTHER, **others})


RENAMINGS = {
    "def f(a):\n    b = a\n    return b": ("def f(a):\n    c = a\n    return c", True),
    "def f(a):\n    b = 1\n    return c": ("def f(a):\n    c = 1\n    return c", False),
    "def f():\n    b = 1\n    return locals()": ("def f():\n    c = 1\n    return locals()", False),
    "def f():\n    b = 1\n    return f'{b=}'": ("def f():\n    c = 1\n    return f'{c=}'", False),
    "def f():\n    global b\n    b = 1": ("def f():\n    global c\n    c = 1", False),
    "def f():\n    b = 1\n    def g():\n        nonlocal b\n        b = 2\n    g()\n    return b": (
        "def f():\n    c = 1\n    def g():\n        nonlocal c\n        c = 2\n    g()\n    return c", True),
    "def f():\n    b = 1\n    class C:\n        b = b\n    return C": ("def f():\n    c = 1\n    class C:\n        c = c\n    return C", False),
    "def f():\n    b = 1\n    return lambda b: b": ("def f():\n    c = 1\n    return lambda c: c", False),
    "def f(b):\n    return [b for b in b]": ("def f(b):\n    return [c for c in b]", False),
    "def f(a):\n    return [b for b in a]": ("def f(a):\n    return [c for c in a]", True),
    "def f(a):\n    return [b for c in a for b in c]": ("def f(a):\n    return [c for c in a for c in c]", False),
    "def f(a):\n    any(b := c for c in a)\n    return b": ("def f(a):\n    any(d := c for c in a)\n    return d", True),
    "def f():\n    try:\n        pass\n    except E as b:\n        print(b)": ("def f():\n    try:\n        pass\n    except E as c:\n        print(c)", True),
    "def f():\n    import b\n    return b": ("def f():\n    import c\n    return c", False),
    "def f():\n    def b(): pass\n    return b": ("def f():\n    def c(): pass\n    return c", False),
    "b = 1": ("c = 1", False),
    "class C:\n    b = 1": ("class C:\n    c = 1", False),
    "def f(a):\n    match a:\n        case [b, *d]:\n            return b, d": ("def f(a):\n    match a:\n        case [c, *b]:\n            return c, b", True),
}  # fmt: skip


@pytest.mark.parametrize("before", RENAMINGS)
def test_local_names_are_equal_and_no_others(before, tmp_path):
    after, equal = RENAMINGS[before]
    ast.parse(after)
    assert same(tmp_path, "a.py", before, after) is equal


DATA = {
    "order of keys": ("a.json", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', {}),
    "number": ("a.json", "[1.0]", "[1.00]", {}),
    "key twice": ("a.json", '{"a": 1, "a": 1}', '{"a": 1}', {}),
    "number or text": ("a.json", "[1]", '["1"]', {}),
    "text of JSON in a prompt": (
        "a.json",
        "[1]",
        "[ 1]",
        {"agent": "import json\nprompt = path.read_text()\n"},
    ),
    "no parser": ("a.json", "[1]", "[ 1]", {"agent": ""}),
    "quoted number": ("a.yaml", "a: 1", "a: '1'", {}),
    "quoted word of YAML": ("a.yaml", "a: yes", "a: 'yes'", {}),
    "block": ("a.yaml", "a: |\n  x\n  y\n", "a: >\n  x\n  y\n", {}),
    "later document": ("a.yaml", "a: 1\n---\na: 2\n---\na: 3\n", "a: 1\n---\na: 2\n---\na: 4\n", {}),
    "broken": ("a.yaml", "a: [1", "a:  [1", {}),
    "type": ("a.toml", "a = 1", "a = '1'", {}),
    "markdown": ("a.md", "a  b", "a b", {}),
}


@pytest.mark.parametrize("edit", DATA)
def test_other_values_or_texts_make_a_data_file_different(edit, tmp_path):
    name, before, after, others = DATA[edit]
    assert not same(tmp_path, name, before, after, **{"agent": "import json, yaml, tomllib", **others})


def test_a_data_file_is_a_value_where_the_program_reads_only_other_files_as_text(tmp_path):
    agent = "import json\nPROMPT = open('prompt.md').read()\ntools = json.loads(path.read_text())\n"
    assert same(tmp_path, "a.json", "[1]", "[ 1]", agent=agent)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(3000, few=150), deadline=None)
def test_equal_digests_mean_equal_behaviour(seed, tmp_path_factory):
    """Random programs, each edited at random: where the digest is equal, so is all that the program does."""
    chance = random.Random(seed)
    folder = tmp_path_factory.getbasetemp()
    before = random_source(chance)
    after = random_edit(before, chance)
    if same(folder, "a.py", before, after):
        assert result_of(before) == result_of(after), f"{before}\n---\n{after}"
