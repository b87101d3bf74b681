"""Write the pages of the lint rules from the rules themselves.

    python docs/lint/generate.py

Pages of rules that are gone are deleted; a test says when the pages are not what this would write.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from rightcall.lint.explain import FIXES, SOURCES, example_parts, rules_by_title
from rightcall.lint.rule import FAMILIES, Rule, all_rules

HERE = Path(__file__).parent
INTRODUCTION = """# Lint rules

`rightcall lint tools.json` finds tool definitions that models misuse. Each rule has a page with the reason, an example
and its sources; `rightcall list rules CODE` shows the same in the terminal.

An **error** violates a provider's rules, the schema or safety; a **warning** is a documented cause of wrong calls; an
**info** is advice. *Safe* fixes are applied by `--fix`, *suggested* ones are shown by `--suggest`. Examples show the
relevant parts; the rest of the tool is fine, and `null` means that a part is missing.

[Evidence](../../evidence.md#lint-rules) has the precision of the rules on public tool sets, read by hand."""


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    found = {HERE / "rules" / f"{rule.name}.md": as_page(rule) for rule in all_rules()}
    return {**found, HERE / "rules" / "index.md": as_index()}


def as_page(rule: Rule) -> str:
    """A rule as a page of the documentation, in Markdown."""
    parts = [
        f"# {rule.code} {rule.name}",
        f"*{FAMILIES[rule.family]} · {rule.severity}"
        + (f" · for {', '.join(rule.targets)}" if rule.targets and rule.family == "portability" else "")
        + "*",
        f"**{rule.summary}**",
        textwrap.fill(" ".join(rule.explanation.split()), 110),
        *example_parts(rule, lambda title, code: f"## {title}\n\n```json\n{code}\n```"),
        *([f"## Fix\n\n{FIXES[rule.fix]}"] if rule.fix != "none" else []),
        "## Sources\n\n" + "\n".join(f"- {SOURCES[source]}" for source in rule.sources),
    ]
    return "\n\n".join(parts) + "\n"


def as_index() -> str:
    """The table of all rules, in Markdown."""
    parts = [INTRODUCTION]
    escaped_bar = r"\|"
    for title, rules in rules_by_title().items():
        rows = [
            f"| [{rule.code}]({rule.name}.md) | {rule.name} | {rule.severity} | {rule.fix.replace('none', '')} "
            f"| {rule.summary.replace('|', escaped_bar)} |"
            for rule in rules
        ]
        table = "\n".join(["| code | name | severity | fix | finds |", "|---|---|---|---|---|", *rows])
        parts.append(f"## {title}\n\n{table}")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    wanted = pages()
    (HERE / "rules").mkdir(exist_ok=True)
    for old in set((HERE / "rules").glob("*.md")) - set(wanted):
        old.unlink()
    for path, text in wanted.items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
