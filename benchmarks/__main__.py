"""`python -m benchmarks`: those of scoring and start-up. `--list` shows all, `NAME …` runs one with its options."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

BY_DEFAULT = ("scoring", "score_files", "startup")
"""What `make bench` runs: a minute together, no server, no network."""


def main() -> None:
    names = sys.argv[1:]
    if names == ["--list"]:
        for name, summary in sorted(benchmarks().items()):
            print(f"{name:<20} {summary}")
        return
    if not names:
        for name in BY_DEFAULT:
            run(name, [])
        print("\nmore: python -m benchmarks --list")
        return
    if names[0] not in benchmarks():
        sys.exit(f"there is no benchmark '{names[0]}'; python -m benchmarks --list shows them")
    run(names[0], names[1:])


def benchmarks() -> dict[str, str]:
    """Every file or folder here with a `main()`, and the first line of its docstring."""
    found = {}
    here = Path(__file__).parent
    for path in [*here.glob("*.py"), *here.glob("*/__init__.py")]:
        tree = ast.parse(path.read_text("utf-8"))
        name = path.stem if path.parent == here else path.parent.name
        if name != "__main__" and any(getattr(node, "name", "") == "main" for node in tree.body):
            found[name] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def run(name: str, options: list[str]) -> None:
    print(f"\n== {name}: {benchmarks()[name]}", flush=True)
    sys.argv = [f"benchmarks.{name}", *options]
    import_module(f"benchmarks.{name}").main()


main()
