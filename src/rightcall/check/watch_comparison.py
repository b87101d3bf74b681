"""The files and variables of an agent that is code, in the baseline and now.

The files that the baseline's agent read are hashed again in the working copy. Equal ones mean equal behaviour only if
everything that the code reads could be watched, in the baseline and now.
"""

from __future__ import annotations

from typing import NamedTuple

from rightcall.decide.check_result import ComparedInputs
from rightcall.decide.input_change import InputChange
from rightcall.files.project_files import ABSENT
from rightcall.run.agent_sources import AgentSources
from rightcall.run.baseline_file import BaselineHeader
from rightcall.run.inputs import Inputs, digest
from rightcall.run.watched_inputs import UNSET, variables_of_modules

NOT_WATCHED = "the baseline does not say which files its agent read; run the suite on the main branch again"


class WatchComparison(NamedTuple):
    """What was compared and what of it changed, besides the inputs that the suite states.

    `unknown` says why equal files do not mean equal behaviour; every golden is then in reach of a change. `state` is a
    hash of the files as they are now, "" without any.
    """

    changes: tuple[InputChange, ...] = ()
    compared: ComparedInputs = ComparedInputs()
    unknown: str = ""
    state: str = ""


def compare_watched(sources: AgentSources, header: BaselineHeader, inputs: Inputs) -> WatchComparison:
    """Compare the working copy with what the agent of a baseline read."""
    before = header.watched
    if sources.ownership == "owned" and before is None:
        return WatchComparison(compared=ComparedInputs(files=tuple(sorted(inputs.code))))
    files = {} if before is None or sources.stated else before.files
    counted = {
        name: content for name, content in files.items() if sources.counts(name) and name not in inputs.code
    }
    now = {name: sources.project.hash(name) for name in counted}
    changes = tuple(
        InputChange("code", name, "new" if counted[name] == ABSENT else "gone" if now[name] == ABSENT else "")
        for name in counted
        if counted[name] != now[name]
    )
    variables = {} if before is None or sources.stated else variables_of_modules(before, sources.project)
    moved = {n: content for n, content in variables.items() if n not in inputs.variables}
    old = {} if before is None else before.variables
    changes += tuple(
        InputChange("variable", n) for n, content in moved.items() if old.get(n, UNSET) != content
    )
    present = (name for name in counted if not counted[name] == now[name] == ABSENT)
    compared = ComparedInputs(
        tuple(sorted({*inputs.code, *present})), tuple(sorted({*inputs.variables, *moved}))
    )
    unknown = sources.unknown
    if not unknown and before is None and not sources.stated:
        unknown = NOT_WATCHED
    if not unknown and before is not None and before.unseen and not sources.stated:
        unknown = before.unseen[0]
    if not unknown and not compared.files:
        unknown = "no file of the agent could be found"
    return WatchComparison(changes, compared, unknown, digest([now, moved]) if now else "")
