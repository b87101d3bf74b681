"""Fingerprints of stored runs, recordings and generated ids are these digits and no others."""

from __future__ import annotations

import hashlib

from hypothesis import given, strategies as st

from rightcall.core.digest import digest_of_parts, file_digest, hex_digest, json_digest

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
PAIRS = hashlib.sha256(b'{"a":[1,null],"b":"\xc3\xa9"}').hexdigest()


def test_is_sha_256(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert hex_digest("abc") == hex_digest(b"abc") == file_digest(tmp_path / "abc") == ABC
    assert digest_of_parts(iter((b"a", b"", b"bc"))) == ABC
    assert (
        hex_digest("abc", 12)
        == digest_of_parts([b"abc"], 12)
        == file_digest(tmp_path / "abc", 12)
        == ABC[:12]
    )


def test_json_does_not_depend_on_the_order_of_keys():
    assert json_digest({"b": "é", "a": [1, None]}) == json_digest({"a": [1, None], "b": "é"}) == PAIRS
    assert json_digest({"b": {3}, "a": 1j}, 8, enc_hook=repr) == json_digest({"a": "1j", "b": [3]}, 8)


@given(st.text())
def test_text_is_utf_8(text):
    plain = text.encode("utf-8", "surrogatepass")
    assert hex_digest(text) == hashlib.sha256(plain).hexdigest()


def test_unpaired_surrogates_differ():
    assert hex_digest("\ud800") != hex_digest("\ud801") != hex_digest("?")
