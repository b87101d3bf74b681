"""The `@rc.tool` functions of a Python module. Finding them runs the module, so the user must opt in."""

from __future__ import annotations

from pathlib import Path

from rightcall.errors import InputError
from rightcall.model.tool import Tool


def tools_of_module(path: Path) -> list[Tool]:
    """Run a module and return its tools, in file order.

    Its output goes to stderr, because stdout is for the report.
    """
    import contextlib
    import runpy
    import sys

    from rightcall.tools.definitions import FunctionTool

    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            names = runpy.run_path(str(path), run_name="rightcall_tools")
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from None
    except SystemExit as error:
        raise InputError(
            str(path),
            f"the module called sys.exit({'' if error.code is None else repr(error.code)})",
            "move script code under: if __name__ == '__main__'",
        ) from None
    except Exception as error:
        raise InputError(str(path), f"the module failed: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(folder)
    return [value.tool for value in names.values() if isinstance(value, FunctionTool)]
