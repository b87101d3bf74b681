"""A definition that changed after it was approved."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.baseline import definition_hash, lock_key
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    if tools.locked is None:
        return
    for tool in tools.tools:
        locked_hashes = tools.locked.get(lock_key(tool.source))
        if locked_hashes is None:
            yield tool, Finding((), "is not in the lockfile", "review it, then run with --update-lock")
        elif definition_hash(tool.source) not in locked_hashes:
            yield (
                tool,
                Finding(
                    (),
                    "has changed since it was locked",
                    "compare it with what you approved, then run with --update-lock",
                ),
            )


RULE = Rule(
    code="TD809",
    name="drift",
    severity="error",
    summary="The definition differs from the hash in the lockfile, or is not in it.",
    explanation="""A server may offer a harmless tool until it is approved and change it afterwards (a “rug pull”).
    The lockfile contains a SHA-256 of each definition as it was read; a tool that is not in it was never
    approved. `--update-lock` accepts the current state.""",
    bad={},
    good={},
    sources=("SNYK",),
    check_set=check_set,
    settings={"locked": {"get_forecast": frozenset(("0" * 64,))}},
)
