"""A damaged file of results: every command that reads it ends with results or one sentence, never with a traceback."""

from __future__ import annotations

import random
import sqlite3
import sys
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.cli.main import main
from rightcall.core.errors import StoreError
from rightcall.records import Golden
from rightcall.store.address import open_store

COMMANDS = [
    ["runs", "list"],
    ["runs", "show", "last"],
    ["runs", "report", "last", "-o", "report.html"],
    ["compare", "last~1", "last"],
    ["analyze", "last"],
    ["gate", "last"],
    ["runs", "export", "last", "-o", "rows.jsonl"],
    ["monitor", "status"],
]
PAGE = 4096


@pytest.fixture(scope="module")
def healthy(tmp_path_factory) -> bytes:
    """A store with two runs, written to one file."""
    file = tmp_path_factory.mktemp("store") / "results.db"
    for _ in range(2):
        goldens = [Golden(f"question {i}", id=f"g{i}", no_calls=True) for i in range(12)]
        rc.evaluate(lambda golden: f"hello ünter {golden.id}" * 20, dataset=goldens, store=file)
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.read_bytes()


def flipped(data: bytearray, draw: random.Random) -> None:
    for _ in range(draw.choice([1, 5, 50, 500])):
        data[draw.randrange(len(data))] = draw.randrange(256)


def truncated(data: bytearray, draw: random.Random) -> None:
    del data[draw.randrange(len(data)) :]


def emptied(data: bytearray, draw: random.Random) -> None:
    start = draw.randrange(len(data) // PAGE) * PAGE
    data[start : start + PAGE] = bytes(PAGE)


def exchanged(data: bytearray, draw: random.Random) -> None:
    first, second = (draw.randrange(len(data) // PAGE) * PAGE for _ in range(2))
    data[first : first + PAGE], data[second : second + PAGE] = (
        data[second : second + PAGE],
        data[first : first + PAGE],
    )


def ended(capsys, *words: str) -> tuple[int, str]:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as left:
        patch.setattr(sys, "argv", ["rightcall", *words, "--store", "damaged.db"])
        main()
    return int(left.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize("damage", [flipped, truncated, emptied, exchanged])
@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_file_gives_one_sentence(healthy, tmp_path, monkeypatch, capsys, damage, seed):
    monkeypatch.chdir(tmp_path)
    data = bytearray(healthy)
    damage(data, random.Random(f"{damage.__name__}-{seed}"))
    for words in (COMMANDS[seed % len(COMMANDS)], COMMANDS[(seed + 3) % len(COMMANDS)]):
        for suffix in ("-wal", "-shm"):
            Path(f"damaged.db{suffix}").unlink(missing_ok=True)
        Path("damaged.db").write_bytes(data)
        code, problem = ended(capsys, *words)
        assert code in range(5), (words, seed)
        assert "Traceback" not in problem


@pytest.mark.parametrize("value", [b"\xff\xfe not text", 7, 1.5, b"x\x9c\x00\x01"], ids=repr)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_value_that_nobody_wrote_gives_one_sentence(healthy, tmp_path, monkeypatch, capsys, words, value):
    """Every text and every record of the file at once: whichever is read first says so."""
    monkeypatch.chdir(tmp_path)
    Path("damaged.db").write_bytes(healthy)
    with sqlite3.connect("damaged.db") as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = [
                row[1]
                for row in database.execute(f'PRAGMA table_info("{table}")')
                if row[2].upper() in ("TEXT", "BLOB") and not row[5]
            ]
            for column in columns:
                if "version" not in column and "format" not in column:
                    kept = "CAST(? AS TEXT)" if isinstance(value, bytes) and column else "?"
                    database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {kept}', (value,))
    code, problem = ended(capsys, *words)
    assert code in range(5)
    assert "Traceback" not in problem


@pytest.mark.parametrize("value", [b"\xff", "abc", b""], ids=repr)
@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("results", "cost_usd"),
        ("results", "latency_ms"),
        ("results", "input_tokens"),
        ("results", "trial"),
        ("runs", "passed"),
        ("runs", "planned"),
        ("runs", "seed"),
        ("runs", "cost_usd"),
    ],
)
def test_a_number_of_another_type_gives_one_sentence(
    healthy, tmp_path, monkeypatch, capsys, table, column, value
):
    monkeypatch.chdir(tmp_path)
    Path("damaged.db").write_bytes(healthy)
    with sqlite3.connect("damaged.db") as database:
        database.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
    for words in (
        ["runs", "list"],
        ["runs", "report", "last", "-o", "report.html"],
        ["compare", "last~1", "last"],
    ):
        code, problem = ended(capsys, *words)
        assert code in range(5)
        assert "Traceback" not in problem


@pytest.mark.parametrize("version", ["", "0", "abc", "9999", "0008x"])
def test_a_store_of_an_unknown_version_is_refused(healthy, tmp_path, monkeypatch, capsys, version):
    monkeypatch.chdir(tmp_path)
    Path("damaged.db").write_bytes(healthy)
    with sqlite3.connect("damaged.db") as database:
        database.execute("UPDATE rightcall_version SET version_num = ?", (version,))
    code, problem = ended(capsys, "runs", "list")
    assert (code, "this store has version" in problem) == (2, True)


def test_a_damaged_schema_whose_text_is_in_the_message_gives_one_sentence(
    healthy, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("damaged.db").write_bytes(
        healthy.replace(b"run_key BIGINT NOT NULL", b"run_key BIGINT NOT N\x9eL\x9e", 1)
    )
    code, problem = ended(capsys, "runs", "list")
    assert (code, "damaged" in problem or "malformed" in problem) == (4, True)


@pytest.mark.parametrize("mistake", [TypeError, KeyError, ValueError, ZeroDivisionError])
def test_a_mistake_in_the_code_is_not_called_damage(healthy, tmp_path, mistake):
    file = tmp_path / "results.db"
    file.write_bytes(healthy)
    with open_store(file) as store, pytest.raises(mistake), store.read_transaction():
        raise_in_the_store(mistake)
    with open_store(file) as store, pytest.raises(StoreError, match="damaged"), store.read_transaction():
        b"\xff".decode()


def raise_in_the_store(mistake: type[Exception]) -> None:
    """As if a module of the package, other than those that read values, had a mistake."""
    exec("raise mistake", {"__name__": "rightcall.store.sql.runs", "mistake": mistake})
