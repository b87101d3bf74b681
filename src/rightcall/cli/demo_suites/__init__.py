"""Example suites that come with the package.

    suite.yaml, tools.json, goldens.jsonl   two dozen goldens about weather, files and accounts: `rightcall init`
    support/                                a support agent in two versions, with recorded answers: `rightcall demo`

`support/README.md` says what was recorded, and how to record it again.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where suite.yaml, tools.json and goldens.jsonl are."""
SUPPORT = FOLDER / "support"
"""Where the two versions of the support agent are."""
