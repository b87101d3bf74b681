"""The spine and the capabilities, as tables in architecture.md, from the code itself.

    python docs/make_architecture.py [FILE]

The owner of each file is in tests/contracts/owners.txt. Lines are rounded to hundreds, so that a small change does not
change the page.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from fnmatch import fnmatchcase
from pathlib import Path

from rightcall.core.seam import BUILT_IN

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rightcall"
SPINE = (
    "records/golden.py", "run/plan.py", "run/preparation.py", "run/trials.py", "agents/open_agent.py",
    "agents/agent_loop.py", "tools/runtime/pipeline.py", "metrics/score_case.py", "run/sink.py", "run/live_run.py",
    "run/conclude.py", "decide/verdict.py",
)  # fmt: skip
"""What carries a golden to a verdict, in the order in which it is passed."""
SEAMS = ("commands", "limbs", "layers", "evidence", "stored_evidence", "rules", "receivers")
CORE = ("spine", "trunk")


def owner_of(file: str) -> str:
    """Whose a file is: the last glob that matches wins."""
    owner = ""
    for line in (ROOT / "tests" / "contracts" / "owners.txt").read_text("utf-8").splitlines():
        name, *globs = line.split() or [""]
        if name and not name.startswith("#") and any(fnmatchcase(file, glob) for glob in globs):
            owner = name
    return owner


def spine_table() -> str:
    """Each module of the spine with the first sentence about it."""
    rows = []
    for file in SPINE:
        docstring = ast.get_docstring(ast.parse((SOURCE / file).read_text("utf-8"))) or ""
        sentence = re.split(r"(?<=[.])\s", docstring)[0].replace("\n", " ").removesuffix(".")
        rows.append(f"| `{file}` | {sentence} |")
    return "\n".join(["| module | what it does |", "|---|---|", *rows])


def capability_table() -> str:
    """Each capability with its weight, and where it enters."""
    lines: dict[str, int] = defaultdict(int)
    owners = {}
    for path in SOURCE.rglob("*.py"):
        file = path.relative_to(SOURCE).as_posix()
        owners[file] = owner_of(file)
        lines[owners[file]] += len(path.read_text("utf-8").splitlines())
    entries: dict[str, list[str]] = defaultdict(list)
    for kind in SEAMS:
        for name, target in BUILT_IN[kind].items():
            module = target.partition(":")[0].removeprefix("rightcall.").replace(".", "/")
            file = f"{module}.py" if f"{module}.py" in owners else f"{module}/__init__.py"
            what = "suite key" if kind == "limbs" else kind.removesuffix("s").replace("_", " ")
            entries[owners[file]].append(f"{what} `{name}`")
    rows = [
        f"| {owner} | {round(count, -2):,} | {', '.join(entries[owner])} |"
        for owner, count in sorted(lines.items())
        if owner not in CORE
    ]
    return "\n".join(["| capability | lines | enters as |", "|---|---|---|", *rows])


def with_tables(page: str) -> str:
    """The page with each table between its marks."""
    for name, table in (("spine", spine_table()), ("capabilities", capability_table())):
        page = re.sub(
            rf"(<!-- {name} -->\n\n).*?(\n\n<!-- /{name} -->)", rf"\g<1>{table}\g<2>", page, flags=re.DOTALL
        )
    return page


if __name__ == "__main__":
    page = ROOT / "docs" / "architecture.md"
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else page
    out.write_text(with_tables(page.read_text("utf-8")), "utf-8")
