"""Write the pages of the lint rules from the rules themselves.

    python docs/lint/generate.py

Pages of rules that are gone are deleted; a test says when the pages are not what this would write.
"""

from __future__ import annotations

from pathlib import Path

from rightcall.lint.explain import as_index, as_page
from rightcall.lint.rule import all_rules

HERE = Path(__file__).parent


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    found = {HERE / "rules" / f"{rule.name}.md": as_page(rule) for rule in all_rules()}
    return {**found, HERE / "rules" / "index.md": as_index()}


def main() -> None:
    wanted = pages()
    (HERE / "rules").mkdir(exist_ok=True)
    for old in set((HERE / "rules").glob("*.md")) - set(wanted):
        old.unlink()
    for path, text in wanted.items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
