"""Writes goldens.jsonl: sixty requests for a refund. They state no expected call: a judge decides."""

from __future__ import annotations

import json
from pathlib import Path

REASONS = ("arrived broken", "never arrived", "is the wrong colour", "was charged twice", "is too small")


def main() -> None:
    lines = []
    for number in range(1, 61):
        reason = REASONS[number % len(REASONS)]
        golden = {
            "id": f"refund-{number:02}",
            "input": f"I want my money back for order {1000 + number}, it {reason}.",
            "tags": [reason.split()[0]],
        }
        lines.append(json.dumps(golden))
    Path(__file__).with_name("goldens.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
