"""The record of a run holds no secrets, whatever it was started with."""

from __future__ import annotations

from rightcall.run.run_record import new_run


def test_settings_are_kept_without_secrets(monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "correct horse battery")
    settings = {"model": "m", "n": 3, "client": {"auth": ["x correct horse battery"]}}
    run = new_run("shop", "agent", fingerprints={}, settings=settings)
    assert run.settings == {"model": "m", "n": 3, "client": {"auth": ["x [secret]"]}}
