"""What the TAB key offers for the value of an option or argument: runs, metrics, models, suites, files.

Completion must never print or fail: what cannot be read offers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

MOST_RUNS = 50
"""Runs that are offered, the newest first."""
SUITES = (".yaml", ".yml", ".json")
TYPED_WORDS = "rightcall.words"
"""Where a command keeps the words that were typed after it, for completion."""
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completer(values: str) -> Completer | None:
    """The completion of a kind of values; None for none."""
    if not values:
        return None
    if values in ("file", "suite"):
        return lambda context, parameter, incomplete: [CompletionItem(incomplete, type="file")]
    find = {"run": _runs, "metric": _metrics, "model": _models}[values]

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            names = list(find(context))
        except Exception:  # completion offers nothing where anything is wrong; the command itself says what
            names = []
        return [CompletionItem(name, help=text) for name, text in names if name.startswith(incomplete)]

    return complete


def _runs(context: click.Context) -> Iterator[tuple[str, str]]:
    from rightcall.store.address import open_store

    yield "last", "the newest run"
    url = context.params.get("store") or context.params.get("store_url")
    with open_store(url, must_exist=True) as store:
        for stored in store.runs.page(limit=MOST_RUNS):
            yield stored.id, f"{stored.run.name} {stored.verdict or ''}".strip()


def _metrics(context: click.Context) -> Iterator[tuple[str, str]]:
    from rightcall.metrics.resolve import metric_pages

    for page in metric_pages():
        yield page.name, page.summary


def _models(context: click.Context) -> Iterator[tuple[str, str]]:
    """The names of the suite's models and of the project's, then providers."""
    from rightcall.models.catalog import project_models
    from rightcall.models.provider_kinds import provider_names
    from rightcall.run.suite import load_suite

    words = context.meta.get(TYPED_WORDS, ())
    suites = [word for word in words if word.endswith(SUITES) and Path(word).is_file()]
    named = [
        name for suite in suites[:1] for name in load_suite(suite).models if not name.startswith("default_")
    ]
    for name in (*named, *project_models().endpoints):
        yield name, "a name from models"
    for provider in provider_names():
        yield f"{provider}:", "a model of this provider"
