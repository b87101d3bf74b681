"""The bundled suite: about two dozen goldens on weather, files and accounts, in three languages.

`rightcall demo` runs it; `rightcall init` copies it as a beginning for one's own.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where suite.yaml, tools.json and goldens.jsonl are."""
