"""Lists of prompts: what a line means, and that what is written is read back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens, save_goldens
from tests.datasets.strategies import texts

LINES = {
    "a\nb\n": ["a", "b"],
    "a": ["a"],
    "\ufeffa\r\nb\r\n": ["a", "b"],
    "# a comment\n\n  \na\n": ["a"],
    "\\# of rooms?\n\\\\#\n": ["# of rooms?", "\\#"],
    "first\\\nsecond\\\n\\\n# third\n": ["first\nsecond\n\n# third"],
    "C:\\dir\\\\\n\\\\server\\share\n": ["C:\\dir\\", "\\\\server\\share"],
    " a  \n": [" a  "],
    '{"input": "a"}\n': ['{"input": "a"}'],
}


@pytest.mark.parametrize("text", LINES, ids=repr)
def test_a_line_is_a_prompt(tmp_path, text):
    (tmp_path / "p.txt").write_bytes(text.encode())
    assert [golden.input for golden in load_goldens(tmp_path / "p.txt")] == LINES[text]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "p.txt: the file is empty"),
        (b"# nothing\n\n", "p.txt: the file contains no prompts"),
        (b"a\nb\\", "p.txt:2: the last line ends with a backslash"),
        (b"a\n\xe9\n", "p.txt:2: not valid UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, problem):
    (tmp_path / "p.txt").write_bytes(text)
    with pytest.raises(InputError) as raised:
        list(load_goldens(tmp_path / "p.txt"))
    assert problem in str(raised.value)


@given(st.lists(texts | st.text("a#\\\n\r \t", max_size=8), min_size=1, max_size=4))
def test_what_is_written_is_read_back_with_the_same_ids(tmp_path_factory, inputs):
    path = tmp_path_factory.mktemp("p") / "p.txt"
    goldens = [rc.Golden(text) for text in inputs]
    try:
        save_goldens(goldens, path)
    except InputError as refused:
        assert "cannot be written as a line of text" in str(refused) and not path.exists()
        assert any(
            not text.split("\n")[0].strip() or text.endswith("\r") or text[0] == "\ufeff" or "\0" in text
            for text in inputs
        )
        return
    again = list(load_goldens(path))
    assert [golden.input for golden in again] == inputs
    save_goldens(again, path)
    assert list(load_goldens(path)) == again


def test_a_golden_that_says_more_is_not_written(tmp_path):
    with pytest.raises(InputError, match=r"prompts alone, and this golden has id, no_calls; use .jsonl"):
        save_goldens([rc.Golden("a", id="g", no_calls=True)], tmp_path / "p.txt")
