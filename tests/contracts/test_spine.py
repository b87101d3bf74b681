"""The spine and the trunk know no limb: `owners.txt` says whose each file is, and how many imports break this only falls.

`core/seam.py` and the menu of `cli/main.py` name limbs, as texts; what is asked of the seam by name counts as an import.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from rightcall.core.seam import BUILT_IN
from tests.support.source_tree import PACKAGE, imports, modules, syntax_tree

CORE = ("spine", "trunk")
CEILING = 150
"""Imports of limbs by the spine and the trunk, those for type checkers only among them."""


def owner_globs() -> list[tuple[str, str]]:
    """Each glob of the table with its owner; the last that matches a file wins."""
    lines = Path(__file__).with_name("owners.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return [(owner, glob) for owner, *globs in rows for glob in globs]


def owners() -> dict[str, str]:
    """Whose each module is."""
    globs = list(reversed(owner_globs()))
    files = {name: path.relative_to(PACKAGE).as_posix() for name, path in modules().items()}
    return {
        name: next(owner for owner, glob in globs if fnmatchcase(file, glob)) for name, file in files.items()
    }


def asked_of_the_seam(tree: ast.AST) -> Iterator[str]:
    """The modules of the parts that a file asks for by kind and name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        words = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if node.func.id in ("find", "load") and len(words) == 2 and words[1] in BUILT_IN.get(words[0], {}):
            yield BUILT_IN[words[0]][words[1]].partition(":")[0]


def crossings() -> list[tuple[str, str, str]]:
    """Each import of a limb by the spine or the trunk: the module, the limb, and the module of the limb."""
    owner = owners()
    return [
        (name, owner[other], other)
        for name, path in modules().items()
        if owner[name] in CORE
        for other in {*imports(syntax_tree(path)), *asked_of_the_seam(syntax_tree(path))}
        if owner.get(other, "trunk") not in CORE
    ]


def test_the_spine_and_the_trunk_import_ever_less_of_limbs():
    places = crossings()
    lines = "\n".join(f"{name} -> {other} ({limb})" for name, limb, other in sorted(places))
    assert len(places) <= CEILING, f"{len(places)} imports of limbs, at most {CEILING}:\n{lines}"


def test_every_line_of_the_table_names_files():
    files = [path.relative_to(PACKAGE).as_posix() for path in modules().values()]
    idle = [glob for _, glob in owner_globs() if not any(fnmatchcase(file, glob) for file in files)]
    assert idle == [], "no file has such a name: correct owners.txt"
    assert Counter(owners().values())["spine"] > 20


def test_an_import_by_any_way_is_seen():
    tree = ast.parse(
        "from rightcall.records.safety import Safety\nload('services', 'workers')\nfind('x', 'y')"
    )
    assert [*imports(tree), *asked_of_the_seam(tree)] == [
        "rightcall.records.safety",
        "rightcall.limbs.ray.place",
    ]
