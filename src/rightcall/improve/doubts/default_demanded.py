"""A parameter that need not be passed must be passed, though the expected value is the default."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.call_difference import accepts, argument_demands, fills_defaults
from rightcall.improve.golden_edit import accept_absence
from rightcall.improve.suspect import Reason, SuspectGolden, value_text, values_of
from rightcall.metrics.matching.base import MISSING
from rightcall.run.rehearsal.call_key import is_default


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    toolset = suspect.toolset
    for path, tool, name, spec in argument_demands(suspect.golden):
        if tool not in toolset.tools or toolset.requires(tool, name) or accepts(spec, MISSING):
            continue
        default = toolset.tools[tool].defaults().get(name, MISSING)
        if default is not MISSING and fills_defaults(suspect.golden) and accepts(spec, default):
            continue  # scoring fills it in
        value = next((v for v in values_of(spec) if is_default(toolset, tool, name, v)), MISSING)
        if value is not MISSING:
            sentence = f"{tool}.{name} must be passed, though {value_text(value)} is its default"
            yield Reason("likely", sentence, change=(accept_absence(f"{path}.args.{name}", spec),))
