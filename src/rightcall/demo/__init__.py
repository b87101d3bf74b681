"""The bundled suite: two dozen goldens about weather, files and accounts, in three languages.

`rightcall demo` runs it; `rightcall init` copies it as a starting point.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where suite.yaml, tools.json and goldens.jsonl are."""
