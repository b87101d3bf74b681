"""Python objects by name: `module:attribute`, as suites, metrics, mocks and commands write it.

Installed modules come first, then modules next to the suite, then those in the working folder: a `rich.py` of the user
must not replace the real one. It does not matter how RightCall was started.
"""

from __future__ import annotations

import importlib
import inspect
import socket
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from pkgutil import iter_modules
from traceback import extract_tb
from types import FrameType, ModuleType
from typing import Any

from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.event_loop import run_blocking
from rightcall.core.seam import project_folders as _added

# At the end of `sys.path`, the latest suite's first. Modules may import more at any time.

OUR_FRAMES = (__file__, importlib.__file__, "<frozen ")


def is_object_name(text: str) -> bool:
    """Whether a text is `module:attribute` and not a path such as `C:\\tools.json`."""
    module, colon, attribute = text.partition(":")
    names = [*module.split("."), *attribute.split(".")]
    return bool(colon) and all(name.isidentifier() for name in names) and not Path(text).exists()


def load_object(name: str, what: str = "") -> Any:
    """What `module:attribute` names; the attribute may be dotted. Importing runs the module.

    Raises `ConfigError`; `what` says in its text what the object is for.
    """
    module, colon, attribute = name.partition(":")
    shown = f"{what} '{name}'".lstrip()
    if not (colon and module and attribute):
        raise ConfigError(f"{shown} cannot be loaded: use the form module:attribute")
    _search()
    _forget_namesake(module)
    try:
        with import_requests():
            value: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # the user's module runs
        raise ConfigError(f"{shown} cannot be loaded: {_reason(error, module)}") from None
    for part in attribute.split("."):
        if not hasattr(value, part):
            hint = suggestion(part, [name for name in dir(value) if not name.startswith("_")])
            raise ConfigError(f"{shown} cannot be loaded: no '{part}' in {module}; {hint}".rstrip("; "))
        value = getattr(value, part)
    return value


def object_from_factory(value: Any, name: str) -> Any:
    """What a class, or a function without parameters, makes when it is called; anything else as it is.

    `name` is what it was loaded by. A class that needs arguments stays one.
    """
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return value
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:  # a class without a signature
        return value
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    required = [one for one in parameters if one.default is one.empty and one.kind not in variadic]
    if required or (parameters and inspect.isfunction(value)):
        return value
    try:
        made = value()
        return run_blocking(made) if inspect.iscoroutine(made) else made
    except (Exception, SystemExit) as error:
        raise ConfigError(f"'{name}' was called without arguments, and failed: {_reason(error)}") from None


def local_modules() -> list[str]:
    """The names of the modules in the project's folders, and in the folders directly below."""
    return [path.stem for _, place in _places() for path in place.glob("*") if _has(place, path.stem)]


def search_modules_in(folder: Path) -> None:
    """Also find modules in this folder from now on; the latest folder comes first."""
    _search(folder)


def is_module(module: str, folder: Path | None = None) -> bool:
    """Whether a module is installed, in the working folder or in `folder`, or one folder below, from where it cannot be
    imported; nothing is imported.
    """
    top = module.partition(".")[0]
    if any(_has(place, top) for place in (folder, Path()) if place is not None):
        return True
    try:
        return find_spec(top) is not None or _folder_of_module(module, folder) is not None
    except (ImportError, ValueError):
        return False


def _folder_of_module(module: str, *others: Path | None) -> tuple[Path, Path] | None:
    """A folder of the project and the one in it that has the module, as in a `src/` layout that is not installed.

    Or a folder above the working folder that has it.
    """
    top = module.partition(".")[0]
    below = ((folder, place) for folder, place in _places(*others) if place != folder)
    above = ((parent, parent) for parent in Path().resolve().parents)
    for folder, place in (*below, *above):
        modules = chain((place / top).glob("*.py"), (place / top).glob("*/*.py"))
        if _has(place, top) or any(modules):  # a package may have no __init__.py
            return folder, place
    return None


def _missing_module_text(module: str, line: str = "") -> str:
    """A module that cannot be found: where it is, or which one has nearly its name. `line` imports it for another."""
    problem = f"no module {module}{line}"
    parent = module.rpartition(".")[0]
    if parent in sys.modules:
        siblings = iter_modules(getattr(sys.modules[parent], "__path__", ()))
        hint = suggestion(module, [f"{parent}.{sibling.name}" for sibling in siblings])
    elif place := _folder_of_module(module):
        project = next((path for path in reversed(place) if (path / "pyproject.toml").is_file()), None)
        install = f"`pip install -e {shown_path(project)}` or " if project and len({*place}) > 1 else ""
        hint = f"it is in {shown_path(place[1])}/: {install}PYTHONPATH={shown_path(place[1])}"
    else:
        hint = "" if line else suggestion(module, local_modules())
    return f"{problem}; {hint or (line and 'install the package that provides it')}".rstrip("; ")


def _reason(error: BaseException, module: str = "") -> str:
    """Why a module, or what it has, failed: what is missing, and the line that needs it."""
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    if missing and f"{module}.".startswith(f"{missing}."):
        return _missing_module_text(missing)
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(OUR_FRAMES)]
    place = f" ({shown_path(Path(frames[-1].filename))}:{frames[-1].lineno})" if frames else ""
    if isinstance(error, SystemExit):
        code = "" if error.code is None else repr(error.code)
        return f"the module called sys.exit({code}){place}; move script code under: if __name__ == '__main__'"
    if missing:
        return _missing_module_text(missing, place)
    kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
    return f"{kind}{error}{place}"


def _places(*others: Path | None) -> Iterator[tuple[Path, Path]]:
    """Each folder in which modules of the project are looked for, with itself and with each folder in it."""
    with suppress(OSError):  # the working folder was deleted
        others = (Path.cwd(), *others)
    for folder in dict.fromkeys(
        [*(path.resolve() for path in others if path is not None), *map(Path, _added)]
    ):
        yield folder, folder
        yield from ((folder, path) for path in sorted(folder.glob("[!.]*")) if path.is_dir())


def _search(*folders: Path) -> None:
    search_path = [str(folder.resolve()) for folder in folders]
    with suppress(OSError):  # the working folder was deleted
        search_path.append(str(Path.cwd()))
    others = [place for place in sys.path if place not in _added]
    _added[:] = [place for place in dict.fromkeys([*search_path, *_added]) if place not in others]
    sys.path[:] = [*others, *_added]
    importlib.invalidate_caches()  # a module may be younger than the last look at its folder


def _forget_namesake(module: str) -> None:
    """Forget a module of another suite that has the same name: each suite has its own `agent.py`."""
    top = module.partition(".")[0]
    home = _home(sys.modules.get(top))
    if home not in _added:
        return
    nearest = next((place for place in sys.path if _has(Path(place), top)), home)
    if nearest != home:
        for name in [name for name in sys.modules if name == top or name.startswith(f"{top}.")]:
            del sys.modules[name]


def _home(module: ModuleType | None) -> str:
    """The folder in which a top-level module or package was found."""
    file = getattr(module, "__file__", None)
    if not file:
        return ""
    path = Path(file)
    return str(path.parent.parent if path.name == "__init__.py" else path.parent)


def failure_place(function: Any, error: BaseException) -> tuple[str, bool]:
    """Where a function failed, as ` (bank.py:12)`, and whether its own file raised, and not what it called.

    A function that could not be called failed in its own file, on its first line.
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return "", False
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if frame.filename == code.co_filename]
    is_own = not lines or frames[-1].filename == code.co_filename
    line = lines[-1] if lines else code.co_firstlineno
    return f" ({shown_path(Path(code.co_filename))}:{line})", is_own


def shown_path(path: Path) -> str:
    """The path as seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _has(folder: Path, top: str) -> bool:
    return (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file()


INSTALLED = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib"))


class ImportRequestWarning(UserWarning):
    """A module of the user connects to a server while it is imported."""


@contextmanager
def import_requests() -> Iterator[None]:
    """Warn of each line of a module that connects to a server inside the block; installed packages may."""
    places: dict[str, str] = {}
    own = "connect" in vars(socket.socket)
    original = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> Any:
        frame = _importing_frame(sys._getframe(1))
        if frame is not None and isinstance(address, tuple):
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            places.setdefault(place, f"{address[0]}:{address[1]}")
        return original(self, address)

    socket.socket.connect = connect  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        if own:
            socket.socket.connect = original  # type: ignore[method-assign]
        else:
            del socket.socket.connect
        for place, server in places.items():
            problem = (
                f"{place} connects to {server} while it is imported, which is in no trial and not counted"
            )
            remedy = "move script code under: if __name__ == '__main__'"
            warnings.warn(f"{problem}; {remedy}", ImportRequestWarning, stacklevel=2)


def _importing_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost module that is being imported, unless it is an installed one."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return None if frame is None or frame.f_code.co_filename.startswith(INSTALLED) else frame
