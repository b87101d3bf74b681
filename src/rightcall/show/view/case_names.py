"""How a case is named in every output: by its id, and where the id was generated also by its request and description.

g-3f0c9a1b2d4e "Read README.md" (A direct request)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rightcall.model.golden import AnyGolden, request_of
from rightcall.model.golden_id import is_generated
from rightcall.show.text import one_line

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

LONGEST_REQUEST = 60
LONGEST_DESCRIPTION = 80

CaseName = Callable[[str], str]
"""From the id of a golden to its name."""


def case_title(golden_id: str, golden: AnyGolden | None) -> str:
    """The request, shortened, and the description; empty for an id that somebody chose, which says enough."""
    if golden is None or not is_generated(golden_id):
        return ""
    description = golden.metadata.get("description") or golden.name
    quoted = f'"{one_line(request_of(golden), LONGEST_REQUEST)}"'
    if not isinstance(description, str) or not description.strip():
        return quoted
    return f"{quoted} ({one_line(description, LONGEST_DESCRIPTION)})"


def case_name(golden_id: str, golden: AnyGolden | None) -> str:
    """The id, and the title of a case whose id was generated."""
    return f"{golden_id} {case_title(golden_id, golden)}".rstrip()


def case_names(store: Store, run: str) -> CaseName:
    """The names of the cases of a run; a golden is read only if its id was generated."""

    def name(golden_id: str) -> str:
        golden = next(store.runs.goldens(run, [golden_id]), None) if is_generated(golden_id) else None
        return case_name(golden_id, golden)

    return name


def names_of(goldens: Callable[[], Iterable[AnyGolden]], golden_ids: Iterable[str]) -> CaseName:
    """The names of these cases by their dataset, which is read only if one of the ids was generated."""
    missing = {golden_id for golden_id in golden_ids if is_generated(golden_id)}
    names: dict[str, str] = {}
    for golden in goldens() if missing else ():
        if golden.id in missing:
            names[golden.id] = case_name(golden.id, golden)
            missing.discard(golden.id)
        if not missing:
            break
    return lambda golden_id: names.get(golden_id, golden_id)
