"""The goldens of `@pytest.mark.goldens(…)`, each with a readable id."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, takewhile
from pathlib import Path
from typing import Any

from rightcall.core.errors import ConfigError
from rightcall.core.seam import load
from rightcall.datasets.goldens import load_goldens
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, request_of, with_id
from rightcall.records.golden_id import is_generated
from rightcall.run.plan import Selection
from rightcall.tools.definitions.source import load_tools

LONGEST_ID = 48


def goldens_of_mark(
    sources: Sequence[Any], folders: Sequence[Path], *, only: Sequence[str] = (), limit: int | None = None
) -> list[AnyGolden]:
    """The goldens of files and lists; a path is resolved against each of the folders.

    `only` and `limit` choose among them as `rightcall run` does.
    """
    if not sources:
        raise ConfigError(
            'pytest.mark.goldens requires a file or goldens: @pytest.mark.goldens("goldens.jsonl")'
        )
    candidates = list(chain.from_iterable(_goldens_of(source, folders) for source in sources))
    goldens = list(Selection(tuple(only), limit).choose(candidates))
    if not goldens:  # pytest would skip the test, and the session would be green
        raise ConfigError(
            f"pytest.mark.goldens chooses none of {len(candidates)} goldens; check the files, only and limit"
        )
    return goldens


def with_attacks(
    goldens: Sequence[AnyGolden], folders: Sequence[Path], plan: Any = "auto", *, tools: Any = ()
) -> list[AnyGolden]:
    """The goldens, attacks on an agent with these tools while it does their tasks, and benign twins."""
    if not tools:
        raise ConfigError('pytest.mark.attacks requires the tools of the agent: attacks("auto", tools=[…])')
    entries = load_tools(_locate(Path(tools), folders)) if isinstance(tools, str | Path) else list(tools)
    source = plan if plan == "auto" or not isinstance(plan, str | Path) else _locate(Path(plan), folders)
    return [*goldens, *load("services", "attacks")(entries, goldens, source)]


def readable_ids(goldens: Sequence[AnyGolden]) -> list[str]:
    """An id for each test: the golden's id, or the first words of its input without one."""
    return [_slug(golden) if is_generated(golden.id) else golden.id for golden in goldens]


def _goldens_of(source: Any, folders: Sequence[Path]) -> Iterable[AnyGolden]:
    if isinstance(source, str | Path):
        return load_goldens(_locate(Path(source), folders))
    try:
        items = list(getattr(source, "goldens", source))
    except TypeError:
        items = [source]
    for item in items:
        if not isinstance(item, Golden | ConversationalGolden):
            kind = type(item).__name__
            raise ConfigError(f"pytest.mark.goldens expects files or goldens, got {kind}")
    return map(with_id, items)


def _locate(path: Path, folders: Sequence[Path]) -> Path:
    """The path in the first folder that has the file; in the first folder when none has."""
    places = [path] if path.is_absolute() else [folder / path for folder in folders]
    return next((place for place in places if place.exists()), places[0])


def _slug(golden: AnyGolden) -> str:
    text = golden.name or request_of(golden)
    plain = unicodedata.normalize("NFKD", text.replace("đ", "d").replace("Đ", "D"))
    words = re.findall(r"[a-z0-9]+", plain.encode("ascii", "ignore").decode().lower())
    slugs = accumulate(words, lambda slug, word: f"{slug}-{word}")
    return max(takewhile(lambda slug: len(slug) <= LONGEST_ID, slugs), key=len, default=golden.id)
