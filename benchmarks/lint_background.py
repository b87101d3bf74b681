"""Make `lint/confusability/background.json`: how common words are in public tool definitions.

    python benchmarks/lint_background.py tools.json

The shipped file was made from the 3,420 distinct definitions of bfcl-eval 2026.3.23 (Apache-2.0).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from rightcall.lint.confusability.similarity import tool_words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.source.read import read_file

FEWEST = 10
OUT = Path(__file__).parent.parent / "src/rightcall/lint/confusability/background.json"


def main() -> None:
    tools = [tool for each in read_file(Path(sys.argv[1])) for tool in each.tools]
    occurs: Counter[str] = Counter()
    for tool in tools:
        occurs.update(tool_words(ToolFeatures(tool)).keys())
    common = {word: count for word, count in sorted(occurs.items()) if count >= FEWEST}
    source = "words in at least 10 of the distinct definitions of bfcl-eval 2026.3.23"
    OUT.write_text(
        json.dumps({"source": source, "texts": len(tools), "words": common}, ensure_ascii=False) + "\n"
    )
    print(f"{len(tools)} definitions, {len(common)} words")


if __name__ == "__main__":
    main()
