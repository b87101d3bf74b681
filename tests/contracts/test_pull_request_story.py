"""examples/pull-request: the whole story runs offline and ends as its page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from tests.support.published_schemas import problems, sarif_schema, vendor_schema

pytestmark = pytest.mark.stories

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pull-request"


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    bin_folder = tmp_path_factory.mktemp("bin")
    program = bin_folder / "rightcall"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rightcall.cli.main "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment = kept | {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "COLUMNS": "110",
        "GITHUB_ACTIONS": "",
    }
    done = subprocess.run(
        ["bash", EXAMPLE / "story.sh", folder], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    chapters = dict(part.split("\n", 1) for part in done.stdout.split("\n== ")[1:])
    return folder, {title.partition(":")[0]: text for title, text in chapters.items()}


@pytest.mark.parametrize(
    ("chapter", "word", "code"),
    [
        ("a README", "SAME  nothing that reaches the model has changed; 0 requests", 0),
        ("a good change", "changed   tool track_shipment changed", 0),
        ("a bad change", "changed   tool refund_order changed", 1),
        ("a change of the prompt", "changed   the system prompt changed", 0),
        ("a pull request from a fork", "0 live calls: the model was not tested", 3),
    ],
)
def test_each_change_ends_as_its_page_says(story, chapter, word, code):
    text = story[1][chapter]
    assert word in text
    assert text.rstrip().endswith(f"exit code {code}")


def test_a_check_costs_a_fraction_of_a_full_run(story):
    spent = [
        int(n)
        for text in story[1].values()
        for n in re.findall(r"^(\d+) of 360 requests", text, re.MULTILINE)
    ]
    assert len(spent) == 3
    assert sum(spent) < 360


def test_the_bad_change_left_everything_that_ci_needs(story):
    folder, _ = story
    assert (folder / "check.md").read_text().startswith("<!-- rightcall:check:shop -->")
    assert json.loads((folder / "check.sarif").read_text())["runs"][0]["results"]
    assert json.loads((folder / "codequality.json").read_text())
    assert "<failure" in (folder / "check.xml").read_text()


def test_recordings_are_one_file_a_golden_and_prompts_are_kept_once(story):
    folder, _ = story
    recordings = folder / "recordings" / "shop"
    assert len(list(recordings.glob("*.json"))) == 120
    assert 1 <= len(list((recordings / "prompts").glob("*.json"))) <= 5


def test_the_goldens_are_those_their_script_writes():
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, make_goldens as m; print('\\n'.join(map(json.dumps, m.goldens())))",
        ],
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert made.stdout == (EXAMPLE / "goldens.jsonl").read_text()


def test_inputs_of_the_action_reach_scripts_through_the_environment_only():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for step in action["runs"]["steps"]:
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]


class Runner:
    """Runs the steps of the action that are scripts, in a shell as GitHub's runner does, and answers `${{ … }}`.

    Steps that use other actions are left out: they restore the baseline, upload findings and keep results.
    """

    def __init__(self, folder, place, inputs, **environment):
        self.folder = folder
        self.place = place
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
        self.known = {f"inputs.{name}": value for name, value in (given | inputs).items()}
        self.steps = [step for step in action["runs"]["steps"] if "run" in step]
        for name in ("rightcall", "pip", "python"):
            program = place / name
            started = {
                "rightcall": f'"{sys.executable}" -m rightcall.cli.main "$@"',
                "python": f'"{sys.executable}" "$@"',
                "pip": f'echo "$@" >> "{place}/pip.txt"',
            }
            program.write_text(f"#!/bin/sh\n{started[name]}\n")
            program.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{place}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(place / "summary"),
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", **environment,
        }  # fmt: skip

    def value(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.known.get(found[1], ""), str(text))

    def run(self):
        """Exit code and output of every script, by the step's name."""
        done = {}
        for step in self.steps:
            out = self.place / "output"
            out.write_text("")
            environment = {name: self.value(value) for name, value in step.get("env", {}).items()}
            ended = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env=self.environment | environment | {"GITHUB_OUTPUT": str(out)},
                capture_output=True,
                text=True,
                check=False,
            )
            done[step["name"]] = (ended.returncode, ended.stdout + ended.stderr)
            for line in out.read_text().splitlines():
                name, _, value = line.partition("=")
                self.known[f"steps.{step.get('id')}.outputs.{name}"] = value
        return done


@pytest.fixture
def comments():
    """The comments of a pull request, on loopback."""
    kept = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self, value):
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            self.answer(
                [{"id": i, "body": body} for i, body in enumerate(kept)] if "page=1" in self.path else []
            )

        def body(self):
            return json.loads(self.rfile.read(int(self.headers["content-length"])))["body"]

        def do_POST(self):
            kept.append(self.body())
            self.answer({"html_url": "made"})

        def do_PATCH(self):
            kept[int(self.path.rpartition("/")[2])] = self.body()
            self.answer({"html_url": "replaced"})

        def log_message(self, *args):
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", kept
    server.shutdown()
    server.server_close()


def test_the_actions_scripts_report_a_planted_regression_and_end_with_its_exit_code(
    story, comments, tmp_path
):
    folder, _ = story
    url, kept = comments
    subprocess.run(["git", "switch", "-q", "-f", "bad"], cwd=folder, check=True)
    inputs = {
        "suite": "suite.yaml", "baseline": ".rightcall/main.baseline.jsonl.gz", "args": "--again",
        "record": "none", "version": "1.2.3", "token": "t",
    }  # fmt: skip
    pull_request = {"GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": url, "GITHUB_REF": "refs/pull/7/merge"}
    for _ in range(2):  # a second push replaces the comment
        done = Runner(folder, tmp_path, inputs, **pull_request).run()
    assert {name: code for name, (code, _) in done.items()} == {
        "Install": 0, "Name the baseline": 0, "Check": 0, "Verdict": 1,
    }  # fmt: skip
    assert (tmp_path / "pip.txt").read_text().splitlines()[0] == "install rightcall==1.2.3"
    assert re.search(r"::error file=goldens.jsonl,line=\d+,title=golden-broken", done["Check"][1])
    assert "WORSE" in (tmp_path / "summary").read_text()
    assert [body.partition("\n")[0] for body in kept] == ["<!-- rightcall:check:shop -->"]
    assert problems(json.loads((folder / "check.sarif").read_text()), sarif_schema()) == []


def test_the_action_without_a_baseline_says_what_to_do_and_fails(story, tmp_path):
    folder, _ = story
    done = Runner(folder, tmp_path, {"suite": "suite.yaml", "comment": "false"}).run()
    assert done["Verdict"][0] == 2
    assert "no such file; save one on the main branch: rightcall run" in done["Check"][1]


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        ("action.yml", "github-actions"),
        ("examples/pull-request/.github/workflows/agent.yml", "github-workflows"),
        ("docs/ci/gitlab.yml", "gitlab-ci"),
        ("docs/ci/azure-pipelines.yml", "azure-pipelines"),
        ("docs/ci/circleci.yml", "circle-ci"),
    ],
)
def test_the_templates_are_valid_by_the_schemas_of_their_servers(file, schema):
    read = yaml.safe_load((ROOT / file).read_text())
    read = {
        ("on" if name is True else name): value for name, value in read.items()
    }  # YAML 1.1 reads on: as true
    assert problems(read, vendor_schema(schema)) == []


def test_the_templates_are_valid_yaml():
    gitlab = yaml.safe_load((ROOT / "docs" / "ci" / "gitlab.yml").read_text())
    assert gitlab["rightcall-check"]["artifacts"]["reports"] == {
        "junit": "check.xml",
        "codequality": "codequality.json",
    }
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], "agent/tools.json")
