"""`rightcall dataset push|pull|list|diff|split` through their commands."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rightcall.cli.dataset import dataset
from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens


@pytest.fixture
def said(tmp_path):
    def run(*words, code=0):
        store = () if words[0] == "split" else ("--store", str(tmp_path / "s.db"))
        result = CliRunner().invoke(dataset, [*map(str, words), *store], catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result.output

    return run


@pytest.fixture
def file(tmp_path):
    def written(*ids):
        path = tmp_path / "goldens.jsonl"
        path.write_text("".join(json.dumps({"id": i, "input": f"about {i}"}) + "\n" for i in ids))
        return path

    return written


def test_push_list_diff_pull(said, file, tmp_path):
    assert "2 goldens stored as version 1 of shop" in said("push", file("a", "b"), "shop", "--author", "an")
    said("push", file("b", "c"), "shop", "--draft")
    (first, draft) = json.loads(said("list", "shop", "--json"))
    assert (first["author"], first["finalized"], draft["version"]) == ("an", True, 2)
    assert said("diff", "shop", 1, 2) == "+ c\n- a\n1 added, 1 removed, 0 changed\n"
    said("pull", "shop", "-o", tmp_path / "out.yaml")
    assert [golden.id for golden in load_goldens(tmp_path / "out.yaml")] == ["a", "b"]


def test_a_draft_is_pulled_only_when_said(said, file, tmp_path):
    said("push", file("a"), "shop", "--draft")
    with pytest.raises(InputError, match="draft"):
        said("pull", "shop", "-o", tmp_path / "out.jsonl")
    with pytest.raises(InputError, match="pass --draft"):
        said("pull", "shop", "--version", 1, "-o", tmp_path / "out.jsonl")
    assert "1 golden of shop version 1" in said("pull", "shop", "--draft", "-o", tmp_path / "out.jsonl")


def test_split_writes_both_parts(said, file, tmp_path):
    names = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert "8 goldens" in said("split", file(*"abcdefghij"), "--share", 0.8, "-o", *names)
    assert sum(len(list(load_goldens(name))) for name in names) == 10
