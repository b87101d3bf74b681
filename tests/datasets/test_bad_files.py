"""Whatever is wrong with a file, the user reads one sentence with the place, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.trajectories import load_trajectories
from rightcall.files.checked_read import MAX_LINE_BYTES
from rightcall.tools.definitions.source import load_tools
from tests.support.examples import examples

LINE = '{"input": "a", "id": "1"}'
BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(9)
)


def sentence(path: Path, load=load_goldens) -> str:
    with pytest.raises(InputError) as caught:
        list(load(path))
    text = str(caught.value)
    assert text.startswith(str(path)) and "\n" not in text
    return text.removeprefix(str(path))


def refused(folder: Path, name: str, content: str | bytes, load=load_goldens) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return sentence(path, load)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("g.jsonl", LINE + '\n{"input": "b', ":2: not valid JSON: unexpected end of input; "),
        ("g.jsonl", f"[{LINE}]", ":1: expected one object per line, got a JSON list; rename the file to .json"),
        ("g.jsonl", '{\n"input": "a"\n}', ":1: expected one object per line, got an object over several lines; "),
        ("g.jsonl", LINE + "\n" + LINE + LINE, ":2: not valid JSON at character"),
        ("g.jsonl", '"text"', ":1: the value must be an object, got a string; was it JSON-encoded twice?"),
        ("g.jsonl", LINE + "\n7", ":2: the value must be an object, got a whole number"),
        ("g.jsonl", '{"input": 7}', ":1: input must be a string, got a whole number"),
        ("g.jsonl", '{"input": "a", "expected_cals": []}', ":1: unknown field 'expected_cals'; did you mean 'expected_calls'?"),
        ("g.jsonl", '{"id": "a"}', ":1: missing required field 'input'"),
        ("g.jsonl", '{"scenario": "s", "turns": [{"user": "hi"}]}', ':1: unknown field \'user\' in turns[0]; write {"role": "user", "content": "…"}'),
        ("g.jsonl", '{"input": "a", "expected_calls": [{"tool": "f", "args": "{}"}]}', ":1: expected_calls[0].args must be an object, got a string; was it JSON-encoded twice?"),
        ("g.jsonl", '{"input": "a", "metadata": {"x": NaN}}', ":1: not valid JSON: NaN is not a JSON number; "),
        ("g.jsonl", '{"input": "\\ud83d"}', ":1: not valid JSON: unpaired surrogate in a string; "),
        ("g.jsonl", b'{"input": "\xff"}', ":1: not valid UTF-8; "),
        ("g.jsonl", LINE + "\n" + '{"scenario": "s"}', ":2: this golden is conversational (it has 'scenario'), the one on line 1 is single-turn; "),
        ("g.jsonl", '\n{"scenario": "s"}\n' + LINE, ":3: this golden is single-turn (it has 'input'), the one on line 2 is conversational; "),
        ("g.jsonl", '{"format": "rightcall/goldens/2"}\n' + LINE, ":1: the file has the format 'rightcall/goldens/2'"),
        ("g.jsonl", '{"format": "rightcall/runs/1"}\n', ":1: expected a goldens file ('rightcall/goldens/1'), got a runs file"),
        ("g.jsonl", '{"input": "a", "tools": ["f", {"name": "g", "inputshema": {}}]}', ":1: tools[1]: unknown field 'inputshema'"),
        ("g.jsonl", '{"input": "a", "metadata": ' + "[" * 5000 + "}", ":1: JSON is nested too deeply; "),
        ("g.json", f"{LINE}\n{LINE}\n", ":2: a second JSON value after the first; if it has one object per line, use the suffix .jsonl"),
        ("g.json", LINE, ":1: expected a list of goldens, got an object; "),
        ("g.json", f"[\n{LINE},\n\n  {{\"inptu\": 1}}]", ":4: unknown field 'inptu'; did you mean 'input'?"),
        ("g.json", f'{{"goldens": [\n{LINE},\n{{}}]}}', ":3: missing required field 'input'"),
        ("g.json", f"[\n{LINE},\n", ":2: not valid JSON: unexpected end of input; "),
        ("g.json", f"[\n{LINE},\n  oops]", ":3: not valid JSON at character 3: "),
        ("g.json", b'[\n{"input":\n"\xff"}]', ":2: not valid UTF-8; "),
        ("g.json", '"text"', ": the value must be an object, got a string"),
        ("g.json", '{"format": "rightcall/goldens/9", "goldens": []}', ": the file has the format 'rightcall/goldens/9'"),
        ("g.json", '{"format": 1, "goldens": []}', ": format must be 'rightcall/goldens/1', got 1"),
        ("g.json", '{"golden": []}', ":1: expected a list of goldens"),
        ("g.json", '{"goldens": [], "owner": 1}', ": unknown field 'owner' next to 'goldens'"),
        ("g.json", '{"goldens": {}}', ":1: goldens: the value must be a list, got an object"),
        ("g.yaml", "- input: a\n- input: [b\n", ":3: not valid YAML: "),
        ("g.yaml", "- input: a\n\n- inptu: b\n", ":3: unknown field 'inptu'; did you mean 'input'?"),
        ("g.yaml", "goldens:\n- input: a\n- input: 5\n", ":3: input must be a string, got a whole number"),
        ("g.yaml", "- input: a\n  input: b\n", ":2: the key 'input' occurs twice"),
        ("g.yaml", "- input: a\n- text\n", ":2: the value must be an object, got a string"),
        ("g.yaml", "- input: a\n\ttabs: 1\n", ":2: not valid YAML: "),
        ("g.yaml", "- input: !!python/object/apply:os.system [ls]\n", ":1: the tag tag:yaml.org,2002:python/object/apply:os.system cannot be read; "),
        ("g.yaml", "- input: a\n  metadata: {x: 1e999}\n", ":2: the number 1e999 is out of range; "),
        ("g.yaml", "- input: a\n---\n- input: b\n", ": contains several YAML documents; "),
        ("g.yaml", "- &a {input: a, metadata: {x: *a}}\n", ":1: the alias *a has no finished anchor before it"),
        ("g.yaml", f"- input: a\n  metadata:\n    {BOMB.replace(chr(10), chr(10) + '    ')}", "aliases repeat more than 100,000 values; "),
        ("g.yaml", "- input: a\n  metadata: " + "[" * 100_000, ":2: nested more than 100 levels deep"),
        ("g.yaml", b"- input: \xff\n", ": not valid YAML: "),
        ("g.yaml", "# nothing\n", ": the file is empty; "),
        ("g.csv", "inptu\na\n", ":1: unknown column 'inptu'; did you mean 'input'?"),
        ("g.csv", "input;id\na;b\n", ":1: unknown column 'input;id'; separate the columns by commas"),
        ("g.csv", "input,\na,b\n", ":1: column 2 has no name"),
        ("g.csv", "input,input\na,b\n", ":1: duplicate column 'input'"),
        ("g.csv", 'input,id\n"a\nb",1\nc,2,3\n', ":4: the row has 3 cells, the header has 2 columns; "),
        ("g.csv", 'input,id\na,1\n"b,2\nc,3\n', ":3: a quoted cell starts in this row and is never closed; "),
        ("g.csv", "input,tags\na,x;y\n", ":2: column tags: not valid JSON at character 1: invalid character, found 'x;y'; this column contains JSON"),
        ("g.csv", "input,max_calls\na,007\n", ":2: column max_calls: not valid JSON"),
        ("g.csv", 'input,max_calls\na,"""5"""\n', ":2: max_calls must be a whole number, got a string"),
        ("g.csv", "id,input\n1,\n", ":2: missing required field 'input'"),
        ("g.csv", 'input\n"a"b\n', ":2: not valid CSV: "),
        ("g.csv", "input\rb\r", ":1: a lone carriage return outside quotes; "),
        ("g.csv", b"input\na\n\xe9t\xe9\n", ":3: not valid UTF-8; "),
    ],
)  # fmt: skip
def test_bad_content_is_refused_with_its_line(tmp_path: Path, name: str, content: str | bytes, expected: str):
    assert expected in refused(tmp_path, name, content)


@pytest.mark.parametrize("load", [load_goldens, load_trajectories, load_tools])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ": the file is empty; was it written completely?"),
        (b" \n\r\n", ": the file is empty; was it written completely?"),
        (b"\xef\xbb\xbf", ": the file is empty; was it written completely?"),
        ('[{"input": "a"}]'.encode("utf-16"), ": the text is in UTF-16; save the file as UTF-8"),
        ('[{"input": "a"}]'.encode("utf-16-le"), ": the text is in UTF-16; save the file as UTF-8"),
        (b"PK\x03\x04\x00\x00", ": is a zip or Office file, not a text file; "),
        (b"\x00\x01\x02\x03", ": is a binary file, not UTF-8 text"),
    ],
)
def test_what_is_not_text_is_refused_by_every_loader(tmp_path: Path, load, content: bytes, expected: str):
    assert refused(tmp_path, "file.json", content, load).startswith(expected)


@pytest.mark.parametrize("load", [load_goldens, load_trajectories, load_tools])
def test_missing_files_folders_and_unknown_suffixes_are_refused_by_every_loader(tmp_path: Path, load):
    (tmp_path / "weather.json").write_text("[]", "utf-8")
    (tmp_path / "notes.docx").write_text("x", "utf-8")
    assert sentence(tmp_path / "wether.json", load) == ": no such file; did you mean 'weather.json'?"
    assert (
        sentence(tmp_path / "a" / "x.json", load)
        == f": no such file; the folder '{tmp_path / 'a'}' does not exist"
    )
    assert (
        sentence(tmp_path, load) == ": is a folder, not a file; the folder contains notes.docx, weather.json"
    )
    assert sentence(tmp_path / "notes.docx", load).startswith(
        ": cannot infer the format from the suffix '.docx'; use one of"
    )
    assert "cannot be opened" in sentence(tmp_path / ("x" * 5000), load)


@pytest.mark.parametrize("name", ["g.jsonl", "g.csv"])
def test_a_line_of_ten_megabytes_is_refused_without_reading_on(tmp_path: Path, name: str):
    text = refused(tmp_path, name, "input\n" * (name == "g.csv") + '{"input": "' + "x" * (MAX_LINE_BYTES + 1))
    assert "the line is longer than 8 MiB; " in text


def test_a_cell_over_many_lines_may_be_large_but_not_endless(tmp_path: Path):
    large = "x" * 1_000_000 + "\n" + "y" * 1_000_000
    (tmp_path / "g.csv").write_text(f'input\n"{large}"\n', "utf-8", newline="")
    assert [golden.input for golden in load_goldens(tmp_path / "g.csv")] == [large]
    assert ":2: a cell is longer than 8 MiB; " in refused(
        tmp_path, "h.csv", 'input\n"' + "xyz\n" * (MAX_LINE_BYTES // 3)
    )


def test_ten_megabytes_in_one_line_of_a_json_document_are_fine(tmp_path: Path):
    (tmp_path / "g.json").write_text(json.dumps([{"input": "x" * 10_000_000}]), "utf-8")
    assert [len(golden.input) for golden in load_goldens(tmp_path / "g.json")] == [10_000_000]


fragments = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b":",
        b",",
        b"\n",
        b"input",
        b"- ",
        b"&a ",
        b"*a",
        b"!!x ",
        b"\xff",
        b"\x00",
        b"1",
        b"\r",
        b"|",
        b"goldens",
    ]
)


@pytest.mark.parametrize("name", ["f.jsonl", "f.json", "f.yaml", "f.csv"])
@settings(max_examples=examples(120))
@given(parts=st.lists(fragments, max_size=12) | st.binary(max_size=20).map(lambda b: [b]))
def test_no_bytes_whatever_make_a_loader_crash(tmp_path_factory, name: str, parts: list[bytes]):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(b"".join(parts))
    try:
        list(load_goldens(path))
    except InputError as error:
        assert str(error).startswith(str(path))
