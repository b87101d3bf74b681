"""Lists of prompts: what a line means."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens, save_goldens

LINES = {
    "a\nb\n": ["a", "b"],
    "a": ["a"],
    "\ufeffa\r\nb\r\n": ["a", "b"],
    "# a comment\n\n  \na\n": ["a"],
    "C:\\dir\\\n": ["C:\\dir\\"],
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
        (b"a\n\xe9\n", "p.txt:2: not valid UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, problem):
    (tmp_path / "p.txt").write_bytes(text)
    with pytest.raises(InputError) as raised:
        list(load_goldens(tmp_path / "p.txt"))
    assert problem in str(raised.value)


def test_prompts_are_not_written(tmp_path):
    with pytest.raises(InputError, match=r"read, not written; use .jsonl"):
        save_goldens([rc.Golden("a")], tmp_path / "p.txt")
    assert not (tmp_path / "p.txt").exists()
