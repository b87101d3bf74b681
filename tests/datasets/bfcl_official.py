"""The official BFCL checker and its data, out of the `bfcl-eval` wheel; nothing of it is installed.

The wheel is downloaded once into the user's cache. Two modules that the checker imports are replaced: the table
of models, which drags in the clients of twenty providers and serves only to know which models write `_` for `.`
in names (here: none), and `filelock`, which guards files that are not written here.
"""

from __future__ import annotations

import contextlib
import json
import sys
import types
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.support.downloads import pinned_file

VERSION = "2026.3.23"
WHEEL = f"bfcl_eval-{VERSION}-py3-none-any.whl"
SHA256 = "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a"

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Item:
    """One question with its answers as BFCL's files have them."""

    id: str
    category: str
    functions: list[dict[str, Any]]
    truth: list[dict[str, dict[str, list[Any]]]]


def the_wheel() -> Path:
    """The wheel in the cache."""
    return pinned_file(f"bfcl-eval=={VERSION}", WHEEL, SHA256)


def unpacked(wheel: Path, folder: Path) -> Path:
    """The wheel's content in a folder."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def files_of(folder: Path, category: str) -> tuple[Path, Path | None]:
    """Questions and, if the category has them, answers."""
    data = folder / "bfcl_eval" / "data"
    name = f"BFCL_v4_{category}.json"
    answers = data / "possible_answer" / name
    return data / name, answers if answers.exists() else None


def items_of(folder: Path, category: str) -> list[Item]:
    """Read with the standard library's JSON, independently of the importer; paired by line as officially."""
    questions, answers = files_of(folder, category)
    asked = [json.loads(line) for line in questions.read_text("utf-8").splitlines()]
    known = [json.loads(line) for line in answers.read_text("utf-8").splitlines()] if answers else []
    truths = [answer["ground_truth"] for answer in known] or [[]] * len(asked)
    return [Item(q["id"], category, q["function"], t) for q, t in zip(asked, truths, strict=True)]


class OfficialChecker:
    """The verdicts of the wheel's own code."""

    def __init__(self, ast_checker: ModuleType, utils: ModuleType, python: Any) -> None:
        self._ast = ast_checker
        self._utils = utils
        self._python = python

    def verdict(self, item: Item, calls: Sequence[Call]) -> bool | None:
        """Valid or not; None where the checker itself raises, as it does for some values of a wrong type."""
        output = [{name: arguments} for name, arguments in calls]
        if "relevance" in item.category:
            called = not self._utils.is_empty_output(output)
            return not called if "irrelevance" in item.category else called
        category = item.category
        check = self._ast.ast_checker
        return _valid(lambda: check(item.functions, output, item.truth, self._python, category, "any"))

    def accepts_call(self, item: Item, at: int, call: Call) -> bool:
        """One call against one answer."""
        (name,) = item.truth[at]
        function = self._ast.find_description(item.functions, name)
        check = self._ast.simple_function_checker
        output = {call[0]: call[1]}
        return bool(_valid(lambda: check(function, output, item.truth[at], self._python, "any")))

    def accepts_in_some_order(self, item: Item, calls: Sequence[Call]) -> bool:
        """Whether each answer can be matched to a different call, by the official check of one call: augmenting paths."""
        fits = [[self.accepts_call(item, at, call) for call in calls] for at in range(len(item.truth))]
        owner: dict[int, int] = {}

        def placed(at: int, tried: set[int]) -> bool:
            for call, fit in enumerate(fits[at]):
                if fit and call not in tried:
                    tried.add(call)
                    if call not in owner or placed(owner[call], tried):
                        owner[call] = at
                        return True
            return False

        return len(calls) == len(item.truth) and all(placed(at, set()) for at in range(len(item.truth)))


@contextlib.contextmanager
def official_checker(folder: Path) -> Iterator[OfficialChecker]:
    """Import the checker from the unpacked wheel, and forget its modules afterwards."""
    no_renaming = types.SimpleNamespace(underscore_to_dot=False)
    table = defaultdict(lambda: no_renaming)
    _replace("bfcl_eval.constants.model_config", MODEL_CONFIG_MAPPING=table)
    filelock = sys.modules.get("filelock")
    stub = _replace("filelock", FileLock=None)
    sys.path.insert(0, str(folder))
    try:
        from bfcl_eval import utils
        from bfcl_eval.constants.enums import Language
        from bfcl_eval.eval_checker.ast_eval import ast_checker

        _put_back("filelock", filelock)  # others in this process need the real one
        yield OfficialChecker(ast_checker, utils, Language.PYTHON)
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "bfcl_eval"]:
            del sys.modules[name]
        if sys.modules.get("filelock") is stub:
            _put_back("filelock", filelock)


def _replace(module: str, **content: Any) -> ModuleType:
    made = ModuleType(module)
    vars(made).update(content)
    sys.modules[module] = made
    return made


def _put_back(module: str, real: ModuleType | None) -> None:
    del sys.modules[module]
    if real is not None:
        sys.modules[module] = real


def _valid(check: Callable[[], dict[str, Any]]) -> bool | None:
    try:
        return bool(check()["valid"])
    except (AttributeError, KeyError, OverflowError, TypeError):
        return None
