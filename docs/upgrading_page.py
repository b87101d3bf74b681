"""The page of what was renamed, from the tables in `rightcall/core/deprecation.py`."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.core.deprecation import FORMS, KEYWORDS, NAMES, REMOVED_IN, RENAMED_IN, RESULT_NAMES

GATES_ON_JUDGES = (
    "**Gates on judged metrics.** A suite whose deciding metrics include a judge (`rubric`, `task_completion`,"
    " …, or one of your own that has a `model`) was decided by the judge's own verdicts, by its gate or, without"
    " one, by whether every case passed. It is now INCONCLUSIVE (exit code 3) until 24 cases of the "
    "run are labelled: `rightcall judge label RUN "
    "--metric NAME`. To keep the old rule, write `judges: {uncalibrated: allow}` in the suite; the verdict "
    'then says "judge not calibrated". `stop:` with a judged metric needs the same. In `monitor.yaml`, '
    "remove `calibration:`. Runs of earlier versions did not store what their judges were asked and are "
    "decided as before. [Judging](judging.md#gates) has the rules."
)


def upgrading_page() -> str:
    """The policy, and every old name with the new one."""
    functions = {
        f"{old}= of {name}": f"{new}=" for name, words in KEYWORDS.items() for old, new in words.items()
    }
    forms = {f"rightcall.evaluate({word}=…)": f"{module}.evaluate" for word, module in FORMS.items()}
    results = {f"rightcall.RunResult.{name}": new for name, new in RESULT_NAMES.items()}
    parts = [
        "# Upgrading",
        "What is public: the names of `import rightcall as rc` ([Library](library.md)), `rightcall.deepeval` and "
        "`rightcall.laminar`, the [commands](commands.md) and their options, the [suite keys](suite.md), the formats "
        "of files that RightCall writes, and the schema of the store.",
        "A public name, keyword, option or key that is renamed keeps working for one minor version after the one that "
        "renamed it. A Python name then gives a `DeprecationWarning` that says what to write instead; run your tests "
        "with `python -W error::DeprecationWarning` to find every use. Files and stores of an earlier version are "
        "always read. Everything else, and every module that is not named above, may change in any version.",
        f"## {RENAMED_IN}",
        GATES_ON_JUDGES,
        f"`import rightcall` has 50 names, each with one meaning. The old ones work until {REMOVED_IN}. Type checkers "
        "know only the new ones. Errors are in `rc.errors`; what DeepEval and Laminar have is in their modules.",
        _table({f"rightcall.{old}": new for old, new in NAMES.items()}),
        "Keywords and attributes:",
        _table(functions | forms | results),
        "In a suite write `metrics: [{measure: NAME}]` for `{observe: NAME}`, on the command line `--measure` for "
        "`--observe`; both spellings are read.",
    ]
    return "\n\n".join(parts) + "\n"


def _table(renamed: Mapping[str, str]) -> str:
    rows = [f"| `{old}` | `{new}` |" for old, new in renamed.items()]
    return "\n".join(["| before | now |", "|---|---|", *rows])
