"""An edit that cannot change what the agent does costs nothing, and the check names the file."""

from __future__ import annotations

import pytest

from tests.support.changed_agents import GOOD, OWN, ChangedAgent, Shop, run_commands
from tests.support.edits import EDITS

pytestmark = pytest.mark.stories

AGENT = f"""
import json
from pathlib import Path
import tomllib
import yaml
from NAME_helper import cost_of
HERE = Path(__file__).parent

def agent(golden):
    file = HERE / "PLACE"
    if file.suffix == ".json":
        json.loads(file.read_text(encoding="utf-8"))
    if file.suffix in (".yaml", ".yml"):
        yaml.safe_load(file.open(encoding="utf-8"))
    if file.suffix == ".toml":
        tomllib.load(file.open("rb"))
    cost_of([{{"price": 1}}])
    return ["{GOOD}"]
"""


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """The check after each edit, and after one that can be read."""
    before = EDITS["comment"][1]
    edits = {**EDITS, "meant": ("helper.py", before, before.replace("total = 0", "total = 1"))}
    shops = {}
    for number, (edit, (name, text, _)) in enumerate(edits.items()):
        place = f"NAME_{name}"
        files = {"NAME.py": AGENT.replace("PLACE", place), "NAME_helper.py": before, place: text}
        folder = tmp_path_factory.mktemp("edit") / "shop"
        shops[edit] = Shop(folder, ChangedAgent(OWN, files, place), f"edit_{number}").write()
    run_commands([shop.command("run", "suite.yaml") for shop in shops.values()])
    for edit, (name, _, after) in edits.items():
        (shops[edit].folder / f"{shops[edit].name}_{name}").write_text(after, encoding="utf-8")
    return dict(zip(shops, run_commands([shop.check() for shop in shops.values()]), strict=True))


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_without_meaning_costs_nothing_and_the_file_is_named(edit, checks):
    result = checks[edit]["check"]
    assert (result["verdict"], result["calls"]["spent"], result["changes"]) == ("SAME", 0, [])
    assert f"_{EDITS[edit][0]} changed, but not in meaning" in result["reason"]


def test_an_edit_that_can_be_read_is_tried(checks):
    result = checks["meant"]["check"]
    assert result["calls"]["spent"] > 0 and result["changes"][0]["name"].endswith("_helper.py")
