"""`rightcall demo` on recordings: a mistake found, shown, fixed and measured again; its picture is up to date."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rightcall.cli.demo_suites import SUPPORT

pytestmark = pytest.mark.stories

ROOT = Path(__file__).parents[2]


def rightcall(folder: Path, *words: str, blocked: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command; `blocked` names a module that cannot be imported."""
    program = f"import sys; sys.modules[{blocked!r}] = None; from rightcall.cli.main import main; main()"
    command = [sys.executable, "-c", program] if blocked else [sys.executable, "-m", "rightcall"]
    return subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The demo in a folder, without the packages of a local model."""
    folder = tmp_path_factory.mktemp("demo")
    done = rightcall(folder, "demo", blocked="xllamacpp")
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_the_story_finds_the_pair_fails_version_1_and_passes_version_2(told):
    _, text = told
    acts = [
        text.index(words) for words in ("confusable-pair", "FAIL ", "forbidden", "pause_account", "PASS ")
    ]
    assert acts[0] < acts[1] and acts[3] < acts[4]
    assert "BETTER  14 of 15 goldens pass, before 3 of 15" in text
    assert "recordings of SmolLM2-135M" in text


def test_every_command_of_the_story_can_be_repeated(told):
    folder, text = told
    commands = re.findall(r"^\$ rightcall (.*)$", text, re.MULTILINE)
    codes = {
        words.split()[0] + str(n): rightcall(folder, *words.split()).returncode
        for n, words in enumerate(commands)
    }
    assert codes == {"lint0": 1, "run1": 1, "run2": 0, "compare3": 0}


def test_the_analysis_of_version_1_names_the_confusable_pair_first(told):
    folder, text = told
    first = re.search(r"rightcall compare (\S+) \S+", text)[1]
    findings = json.loads(rightcall(folder, "analyze", first, "--json").stdout)["findings"]
    assert (findings[0]["cause"], set(findings[0]["tools"])) == (
        "confusable_pair",
        {"delete_account", "delete_user"},
    )
    assert all(finding["cause"] != "overbroad_description" for finding in findings)


def test_a_call_that_fits_the_expected_pattern_is_shown_as_equal(told):
    folder, text = told
    second = re.search(r"rightcall compare \S+ (\S+)", text)[1]
    shown = rightcall(folder, "runs", "show", second, "pause-please").stdout
    assert re.search(r"✓ +/\(delete\|pause\)_account/ += +pause_account", shown)


def test_json_has_the_verdicts_and_what_was_fixed(tmp_path):
    done = rightcall(tmp_path, "demo", "--json", "--folder", "elsewhere")
    story = json.loads(done.stdout)
    assert [version["verdict"] for version in story["versions"]] == ["FAIL", "PASS"]
    assert "pause-please" in story["comparison"]["comparison"]["fixed"]
    assert (tmp_path / "elsewhere" / "v1.yaml").is_file()


def test_another_model_is_asked_instead_of_the_recordings(tmp_path):
    done = rightcall(tmp_path, "demo", "--model", "keyword:")
    assert done.returncode == 0, done.stderr
    assert "answers: keyword:, asked now" in done.stdout
    assert "--model keyword: --record none" in done.stdout


def test_the_demo_of_the_monitor_finds_the_planted_drift(tmp_path):
    story = json.loads(rightcall(tmp_path, "demo", "--monitor", "--json").stdout)
    assert [alarm["name"] for alarm in story["alarms"]] == ["tool_errors"]
    assert (tmp_path / ".rightcall" / "monitor-demo.db").is_file()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = rightcall(tmp_path, "demo", "--folder", "taken/inside")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--folder" in done.stderr


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_there_is_one_recording_of_the_embedded_model_for_every_golden(version):
    goldens = {json.loads(line)["id"] for line in (SUPPORT / "goldens.jsonl").read_text("utf-8").splitlines()}
    files = [
        json.loads(path.read_bytes())
        for path in (SUPPORT / f"recordings-{version}" / "support").glob("*.json")
    ]
    asked = {exchange["ask"]["model"] for file in files for exchange in file["trials"]["0"]["exchanges"]}
    assert ({file["golden"] for file in files}, asked) == (goldens, {"local:smollm2"})


def test_the_pictures_show_what_the_demo_prints_today():
    spec = importlib.util.spec_from_file_location("demo_pictures", ROOT / "docs/pictures/demo.py")
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    story, cases = pictures.demo_output()
    made = {"demo.svg": pictures.cast(pictures.acts_of(story), "t"), "cases.svg": pictures.cast([cases], "t")}
    for name, picture in made.items():
        stored = (ROOT / "docs/pictures" / name).read_text("utf-8")
        assert words_in(stored) == words_in(picture), "out of date: python docs/pictures/demo.py"


def words_in(svg: str) -> list[str]:
    """Every text of a picture but its title, in order."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in texts][1:]
