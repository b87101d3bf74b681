"""What only some systems have is used in one module, `core/operating_system.py`, and the package works without it.

Which names Windows lacks is read from the stubs of the standard library that mypy ships.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source_tree import PACKAGE, source_files, syntax_tree
from tests.support.windows_names import posix_modules, posix_names

ONLY = PACKAGE / "core" / "operating_system.py"
NAMES = posix_names(
    "os", "signal", "socket", "time", "select", "subprocess", "errno", "asyncio", "mmap", "ssl"
)
MODULES = posix_modules()
ARGUMENTS = {
    "start_new_session",
    "preexec_fn",
    "process_group",
    "pass_fds",
    "dir_fd",
    "src_dir_fd",
    "dst_dir_fd",
}
METHODS = {"add_signal_handler", "remove_signal_handler"}
QUESTIONS = {("os", "name"), ("sys", "platform"), ("platform", "system"), ("os", "uname")}
FOLDERS = ("/proc", "/dev/", "/sys/")
SUSPICIOUS = re.compile(
    rf"\b(?:{'|'.join({*NAMES, 'sys', 'platform'})})(?:\.(?:{'|'.join({'name', 'platform', 'system'}.union(*NAMES.values()))})\b|,| import )"
    rf"|\b(?:{'|'.join({*MODULES, *ARGUMENTS, *METHODS})})\b|text=True|[\"'](?:{'|'.join(FOLDERS)})"
)
"""Most files have nothing like this, and need not be parsed."""


def system_specific(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Each use of something that not every system has, with its line."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names if alias.name in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                foreign = MODULES if module in MODULES else ()
                for alias in names:
                    if foreign or alias.name in NAMES.get(module, ()) or (module, alias.name) in QUESTIONS:
                        yield node.lineno, f"{module}.{alias.name}"
            case ast.Attribute(attr=name) if name in METHODS:
                yield node.lineno, name
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if name in NAMES.get(module, ()) or (module, name) in QUESTIONS:
                    yield node.lineno, f"{module}.{name}"
            case ast.Call(
                func=ast.Name(id="hasattr" | "getattr"),
                args=[ast.Name(id=module), ast.Constant(value=name), *_],
            ):
                if name in NAMES.get(module, ()):
                    yield node.lineno, f"{module}.{name}"
            case ast.Call(keywords=keywords) if (options := {word.arg for word in keywords}) & {
                "text",
                *ARGUMENTS,
            }:
                yield from ((node.lineno, f"{name}=") for name in sorted(options & ARGUMENTS))
                if any(ast.unparse(word) == "text=True" for word in keywords) and "encoding" not in options:
                    yield node.lineno, "text=True without encoding="
            case ast.Constant(value=str(text)) if text.startswith(FOLDERS) and id(node) not in prose:
                yield node.lineno, repr(text)


def test_only_one_module_uses_what_not_every_system_has():
    uses = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path in source_files()
        if path != ONLY and SUSPICIOUS.search(path.read_text("utf-8"))
        for line, name in system_specific(syntax_tree(path))
    ]
    assert uses == [], "move it to core/operating_system.py"


@pytest.mark.parametrize(
    "line",
    [
        "import fcntl",
        "from pwd import getpwuid",
        "os.killpg(1, 2)",
        "from os import fork",
        "signal.SIGKILL",
        'hasattr(os, "O_TMPFILE")',
        "loop.add_signal_handler(2, stop)",
        "subprocess.run(command, start_new_session=True)",
        "subprocess.run(command, text=True)",
        'Path("/proc/self")',
        'sys.platform == "linux"',
        "os.name",
    ],
)
def test_such_a_use_is_recognised(line):
    assert SUSPICIOUS.search(line)
    assert list(system_specific(ast.parse(line)))


@pytest.mark.parametrize(
    "line",
    [
        "os.kill(1, signal.SIGTERM)",
        "os.open(path, os.O_RDONLY)",
        "signal.SIGINT",
        'run(command, text=True, encoding="utf-8")',
        '"""/proc"""',
    ],
)
def test_what_every_system_has_is_not(line):
    assert list(system_specific(ast.parse(line))) == []


@pytest.mark.stories
def test_the_package_works_on_a_system_without_any_of_it(tmp_path):
    """Every module is imported, then a suite is scored, run, gated and reported, as on Windows."""
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-m", "tests.support.windows_stand_in"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout + done.stderr
