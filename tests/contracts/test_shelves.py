"""One more of a kind is one more file; where a list has to name it too, the list is complete and says what to add."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import isclass, isfunction, signature
from pkgutil import iter_modules
from types import ModuleType
from typing import get_args

from rightcall.agents.observed.catalog import ADAPTERS
from rightcall.improve.hypothesis import Cause
from rightcall.limbs.traces.dialects import DIALECTS, EXPORTS
from rightcall.metrics.base import Metric
from rightcall.metrics.resolve import JUDGED
from rightcall.providers.provider_kinds import AGENTS, SHELVES
from rightcall.providers.remote import RemoteProvider
from rightcall.providers.resolver import CLASSES
from rightcall.records.dialects import SPELLINGS
from rightcall.show.formats import FORMATS


def modules(room: str) -> Iterator[ModuleType]:
    for module in iter_modules(import_module(f"rightcall.{room}").__path__):
        yield import_module(f"rightcall.{room}.{module.name}")


def files_with(room: str, *names: str) -> set[str]:
    """The files of a room that define all of these names."""
    return {
        module.__name__.rpartition(".")[2]
        for module in modules(room)
        if all(hasattr(module, name) for name in names)
    }


def same(listed: Iterable[str], files: set[str], how: str) -> None:
    missing = sorted(files - set(listed))
    gone = sorted(set(listed) - files)
    assert (missing, gone) == ([], []), f"{how}; missing there: {missing}, without a file: {gone}"


ONE_FILE = {
    "metrics/builtin": """
from dataclasses import dataclass
from rightcall.metrics.base import Metric
@dataclass(frozen=True)
class NewOne(Metric):
    "A new metric."
""",
    "metrics/matching/matchers": """
from rightcall.metrics.matching.base import Kind
KINDS = {"new_one": Kind(lambda spec, options, scope: None)}
""",
    "lint/rules": """
from rightcall.lint.rule import tool_rule
@tool_rule("TD199", "info", sources=())
def new_one(tool):
    "A new rule."
""",
    "tools/worlds": """
from rightcall.tools.worlds.base import World
class NewOne(World):
    "A new world."
    name = "new_one"
""",
    "limbs/dashboard/pages": "routes = ['new_one']",
}
LISTED = """
import json, sys
from importlib import import_module
for room, folder in json.loads(sys.argv[1]).items():
    import_module("rightcall." + room.replace("/", ".")).__path__.append(folder)
from rightcall.lint.rule import all_rules
from rightcall.metrics.matching.compile import KINDS
from rightcall.metrics.resolve import metric_names
from rightcall.tools.worlds.base import worlds
from rightcall.limbs.dashboard.pages import all_routes
print(json.dumps([
    "new_one" in metric_names(), "new_one" in KINDS, "TD199" in [rule.code for rule in all_rules()],
    "new_one" in worlds(), "new_one" in all_routes(),
]))
"""


def test_a_metric_matcher_rule_world_and_page_are_one_file_each(tmp_path):
    folders = {}
    for room, text in ONE_FILE.items():
        folder = tmp_path / room
        folder.mkdir(parents=True)
        (folder / "new_one.py").write_text(text, "utf-8")
        folders[room] = str(folder)
    words = [sys.executable, "-c", LISTED, json.dumps(folders)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert dict(zip(ONE_FILE, json.loads(done.stdout), strict=True)) == dict.fromkeys(ONE_FILE, True)


def test_every_file_of_a_provider_is_on_its_shelf():
    """Each has its class in `CLASSES`; and no class with a prefix is left out."""
    listed = {shelf.prefix for shelf in SHELVES} - set(AGENTS)
    classes = {
        value.prefix: f"{module.__name__.rpartition('.')[2]}:{value.__name__}"
        for module in modules("providers")
        for value in vars(module).values()
        if isclass(value) and issubclass(value, RemoteProvider) and value.__module__ == module.__name__
        if value is not RemoteProvider
    }
    assert classes.items() <= CLASSES.items(), "add its class to CLASSES in providers/resolver.py"
    for place in CLASSES.values():
        file, _, kind = place.partition(":")
        assert callable(getattr(import_module(f"rightcall.providers.{file}"), kind).of), place
    same(listed, set(CLASSES), "add its Shelf to SHELVES in providers/provider_kinds.py")


def test_every_file_of_an_adapter_is_in_the_catalog():
    listed = {info.name for info in ADAPTERS}
    same(
        listed,
        files_with("limbs.adapters", "ADAPTER"),
        "add its AdapterInfo to ADAPTERS in agents/observed/catalog.py",
    )


def test_every_cause_has_its_place_in_the_order():
    functions = {
        name
        for module in modules("improve.causes")
        for name, value in vars(module).items()
        if isfunction(value) and value.__annotations__.get("return") == "Iterator[Hypothesis]"
    }
    assert len(functions) > 20
    missing = sorted(functions - {*get_args(Cause), "by_code"})
    assert missing == [], f"add it to Cause in improve/hypothesis.py, whose order breaks ties: {missing}"


def test_every_file_of_a_trace_dialect_or_export_has_its_place_in_the_order():
    dialects = files_with("limbs.traces.dialects", "claims", "observe")
    same(
        DIALECTS,
        dialects,
        "add it to DIALECTS in limbs/traces/dialects/__init__.py, before those it resembles",
    )
    exports = files_with("limbs.traces.dialects", "claims_record", "spans")
    same(EXPORTS, exports, "add it to EXPORTS in limbs/traces/dialects/__init__.py")


def test_every_format_of_tools_and_reports_is_listed():
    same(SPELLINGS, files_with("records.dialects", "read_tool", "write_tool"), "add it to SPELLINGS")
    written = {
        name
        for module in modules("show")
        if (write := getattr(module, f"write_{(name := module.__name__.rpartition('.')[2])}", None))
        if next(iter(signature(write).parameters)) == "store"
    }
    same(FORMATS, written, "add its suffixes to SUFFIXES in show/formats.py")


def test_every_judged_metric_has_a_name():
    defined = {
        f"{module.__name__.rpartition('.')[2]}:{value.__name__}"
        for module in modules("metrics.judged")
        for value in vars(module).values()
        if isclass(value) and issubclass(value, Metric) and value.__module__ == module.__name__
        if not value.__subclasses__()
    }
    assert sorted(defined - set(JUDGED.values())) == [], "add its name to JUDGED in metrics/resolve.py"
