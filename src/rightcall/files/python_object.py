"""Python objects by name: `module:attribute`, as suites, metrics, mocks and commands write it.

Installed modules come first, then modules next to the suite, then those in the working folder: a `rich.py` of the user
must not replace the real one. It does not matter how RightCall was started.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.seam import project_folders as _added

# At the end of `sys.path`, the latest suite's first. Modules may import more at any time.


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
        value: Any = importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(f"{shown} cannot be loaded: {error}") from None
    except SystemExit as error:
        why = f"the module called sys.exit({'' if error.code is None else repr(error.code)})"
        raise ConfigError(
            f"{shown} cannot be loaded: {why}; move script code under: if __name__ == '__main__'"
        ) from None
    except Exception as error:  # the user's module runs: a missing key, a file that is not there
        raise ConfigError(f"{shown} cannot be loaded: {type(error).__name__}: {error}") from None
    for part in attribute.split("."):
        if not hasattr(value, part):
            hint = suggestion(part, [name for name in dir(value) if not name.startswith("_")])
            raise ConfigError(f"{shown} cannot be loaded: no '{part}' in {module}; {hint}".rstrip("; "))
        value = getattr(value, part)
    return value


def search_modules_in(folder: Path) -> None:
    """Also find modules in this folder from now on; the latest folder comes first."""
    _search(folder)


def module_exists(module: str, folder: Path | None = None) -> bool:
    """Whether a module can be found, installed, in the working folder or in `folder`; nothing is imported."""
    top = module.partition(".")[0]
    if any(_has(place, top) for place in (folder, Path()) if place is not None):
        return True
    try:
        return find_spec(top) is not None
    except (ImportError, ValueError):
        return False


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


def _has(folder: Path, top: str) -> bool:
    return (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file()
