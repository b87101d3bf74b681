"""The options of `rightcall lint` and `rightcall.lint`, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from rightcall.core.options import CI, SELECTION, JsonOption, Option


@dataclass(frozen=True, kw_only=True)
class LintEvidenceOptions:
    """What definitions are compared with."""

    allow_import: Annotated[
        bool,
        Option(
            "Import Python modules to find @rc.tool functions; this runs them",
            flags=("--import",),
            group=SELECTION,
        ),
    ] = False
    together: Annotated[
        bool,
        Option(
            "Compare the tools of all sources with each other, as if one client used them all",
            group=SELECTION,
        ),
    ] = False
    lock: Annotated[
        str | Path | None,
        Option("Lockfile of approved definitions; changes are errors", group=CI, metavar="PATH"),
    ] = None
    baseline: Annotated[
        str | Path | None,
        Option("Report only findings missing from this baseline", group=CI, metavar="PATH"),
    ] = None
    goldens: Annotated[
        str | Path | None,
        Option(
            "Goldens whose requests show which tools are easily confused", group=SELECTION, metavar="PATH"
        ),
    ] = None


@dataclass(frozen=True)
class LintCall(LintEvidenceOptions):
    """The parameters of `rightcall.lint`."""

    sources: Annotated[
        Any,
        Option(
            "Paths of files, folders and suites, `mcp:COMMAND`, or tools: functions decorated with `@rc.tool`, "
            "`rc.Tool`, or definitions in any provider's spelling"
        ),
    ]
    _: KW_ONLY
    config: Annotated[Any, Option("Rules and targets: a `LintConfig`")] = None
    unreadable: Annotated[
        list[Any] | None, Option("A list to which files in a folder that cannot be read are added")
    ] = None


@dataclass(frozen=True, kw_only=True)
class LintOptions(LintEvidenceOptions):
    """The options of `rightcall lint`."""

    discover: Annotated[
        bool,
        Option(
            "Also check the skills in .claude/skills, .agents/skills, .github/skills, .cursor/skills",
            group=SELECTION,
        ),
    ] = False
    select: Annotated[
        Sequence[str],
        Option(
            "Check only these rules: a code (TD301), prefix (TD3), name or family (repeatable, or comma-separated)",
            group=SELECTION,
        ),
    ] = ()
    ignore: Annotated[
        Sequence[str], Option("Skip these rules (repeatable, or comma-separated)", group=SELECTION)
    ] = ()
    target: Annotated[
        Sequence[str],
        Option(
            "Target provider: anthropic, openai or openai-responses, each also with -strict; gemini, bedrock or mcp"
            " (repeatable)",
            default="inferred from each definition",
        ),
    ] = ()
    form: Annotated[
        Literal["text", "json", "sarif", "github"] | None,
        Option("Report format", flags=("--format",), default="text"),
    ] = None
    as_json: JsonOption = False
    output: Annotated[
        Path | None,
        Option("Output file", flags=("-o", "--output"), default="stdout", writes="report"),
    ] = None
    show: Annotated[Literal["error", "warning", "info"], Option("Lowest severity to print as text")] = (
        "warning"
    )
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"] | None,
        Option("Lowest severity that gives exit code 1", group=CI, default="error"),
    ] = None
    do_fix: Annotated[bool, Option("Apply safe fixes to the files", flags=("--fix",))] = False
    suggest: Annotated[bool, Option("Show patches that need review; change nothing")] = False
    write_baseline: Annotated[
        Path | None, Option("Write current findings to a baseline", group=CI, writes="report")
    ] = None
    update_lock: Annotated[bool, Option("Write current definitions to the lockfile", group=CI)] = False
