"""Whether a Python program in another process, which nobody can watch, may read files that its sources do not name.

Its sources are all there is to go by, so whatever is not known to be harmless counts: a call that reads a file by a
computed name, or a package that may open files by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from rightcall.files.python_sources import source_facts

READING_MODULES = frozenset(
    ("bz2", "code", "codeop", "configparser", "ctypes", "dbm", "filecmp", "fileinput", "gettext", "gzip", "imp",
     "linecache", "lzma", "mailbox", "mimetypes", "mmap", "netrc", "pkgutil", "posix", "runpy", "shelve", "shutil",
     "site", "tarfile", "wave", "zipapp", "zipfile", "zipimport")
)  # fmt: skip
"""Modules of the standard library whose functions open files, and are not among `READERS`."""
QUIET_PACKAGES = frozenset(
    ("openai", "anthropic", "httpx", "httpx2", "requests", "aiohttp", "urllib3", "mcp", "fastmcp", "pydantic",
     "msgspec", "orjson", "yaml", "numpy", "anyio", "typing_extensions", "rightcall")
)  # fmt: skip
"""Packages that open no file of a project unless their caller names or opens it."""


def possible_reads(closure: Mapping[str, Path]) -> str:
    """Where a program may read a file that cannot be seen, in words; "" when its sources name all of them."""
    own = {part for name in closure for part in name.removesuffix(".py").split("/")}
    quiet = (sys.stdlib_module_names - READING_MODULES) | QUIET_PACKAGES | own
    for name, path in closure.items():
        facts = source_facts(path)
        if facts.unclear:
            return f"{name}:{facts.unclear[0]} may read a file that cannot be seen"
        tops = (module.partition(".")[0] for level, module, _ in facts.modules if not level)
        if reading := next((top for top in tops if top not in quiet), ""):
            return f"{name} uses {reading}, which may read a file that cannot be seen"
    return ""
