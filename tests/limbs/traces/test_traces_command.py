"""`rightcall traces` through its commands: import, review, promote, export; hostile text on the terminal."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.review import needs_review, review_of
from rightcall.store.address import open_store
from tests.limbs.traces.samples import FOLDER
from tests.store.builders import a_result, a_run

SAMPLE = str(FOLDER / "otlp_genai_pydantic_ai.json")


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "store.db")


def said(*words: str, code: int = 0, typed: str = "") -> str:
    result = CliRunner().invoke(cli, [str(word) for word in words], input=typed, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def test_import_into_the_store_and_promote_what_is_queued(url, tmp_path):
    assert "2 traces, 6 calls" in said("traces", "import", SAMPLE, "--store", url)
    target = tmp_path / "goldens.jsonl"
    assert f"rightcall generate review {target}" in said("traces", "promote", "--to", target, "--store", url)
    assert all(golden.metadata["review"] == {"state": "pending"} for golden in load_goldens(target))
    assert "0 goldens added" in said("traces", "promote", "--to", target, "--store", url)


def candidates(tmp_path: Path, url: str) -> Path:
    said("traces", "import", SAMPLE, "--store", url)
    said("traces", "promote", "--to", tmp_path / "candidates.jsonl", "--store", url)
    return tmp_path / "candidates.jsonl"


def test_what_is_accepted_is_finalized(url, tmp_path):
    """What a trace's golden asks and what a generated draft asks are reviewed by one command."""
    file = candidates(tmp_path, url)
    target = tmp_path / "goldens.jsonl"
    said("generate", "review", file, typed="a\nq\n")
    said("generate", "review", file, "--finish", "-o", target)
    (golden,) = load_goldens(target)
    assert not needs_review(golden)


def test_a_list_without_traces_says_so(url):
    open_store(url).close()
    assert "rightcall traces import" in said("traces", "list", "--store", url)
    assert "no trace matches" in said("traces", "list", "--failed", "--store", url)
    assert said("traces", "list", "--store", url, "--json") == ""


def test_promote_makes_an_unreviewed_golden_unless_accepted(url, tmp_path):
    said("traces", "import", SAMPLE, "--store", url)
    name = json.loads(said("traces", "list", "--store", url, "--json").splitlines()[0])["trace_id"]
    target = tmp_path / "g.jsonl"
    for options, state in (((), "pending"), (("--accept",), "accepted")):
        said("traces", "promote", name[:12], "--to", target, "--store", url, *options)
        (golden,) = load_goldens(target)
        assert review_of(golden).state == state


def test_unreviewed_goldens_are_refused_by_run(url, tmp_path):
    file = candidates(tmp_path, url)
    (tmp_path / "suite.yaml").write_text(f"dataset: {file}\nagent: {{model: 'keyword:'}}\n")
    with pytest.raises(rc.errors.RightCallError, match="generate review"):
        said("run", tmp_path / "suite.yaml", "--store", url)


@pytest.fixture
def collector():
    """An OTLP endpoint that keeps what it is sent."""
    sent: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", sent
    server.shutdown()
    server.server_close()
    thread.join()


def test_export_sends_every_score_and_the_official_package_reads_it(url, collector):
    address, sent = collector
    with open_store(url) as store:
        store.runs.begin(a_run("r-1"), planned=2).add([a_result("hue"), a_result("hanoi", passed=False)])
    assert "scores sent" in said("traces", "export", "r-1", "--events-to", address, "--store", url)
    logs = [Parse(body, ExportLogsServiceRequest()) for path, body in sent if path == "/v1/logs"]
    records = [
        r for log in logs for group in log.resource_logs for s in group.scope_logs for r in s.log_records
    ]
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}


def test_export_to_an_unreachable_endpoint_is_an_error_that_names_it(url):
    with open_store(url) as store:
        store.runs.begin(a_run("r-1"), planned=1).add([a_result("hue")])
    with pytest.raises(rc.errors.RightCallError, match=r"127\.0\.0\.1:1"):
        said("traces", "export", "r-1", "--events-to", "http://127.0.0.1:1", "--store", url)


HOSTILE = (
    "\x1b]52;c;ZXZpbA==\x07::error::pwned\n::set-output name=x::y <script>alert(1)</script> [red]x[/red]"
)


def hostile_file(tmp_path: Path) -> Path:
    """The sample with hostile words wherever a trace has words."""
    text = (FOLDER / "otlp_genai_pydantic_ai.json").read_text()
    for word in ("get_weather", "demo", "Hanoi"):
        text = text.replace(word, json.dumps(json.dumps(HOSTILE)[1:-1])[1:-1] + word)
    document = json.loads(text)
    for group in document["resourceSpans"]:
        for scoped in group["scopeSpans"]:
            for span in scoped["spans"]:
                span["name"] = HOSTILE + span["name"]
                for held in span["attributes"]:
                    if held["key"] in (
                        "gen_ai.tool.name",
                        "gen_ai.agent.name",
                        "gen_ai.request.model",
                        "model_name",
                    ):
                        held["value"] = {"stringValue": HOSTILE}
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(document))
    return file


@pytest.mark.parametrize(
    "command",
    [
        ("traces", "import", "FILE", "--store", "URL"),
        ("traces", "show", "FILE"),
        ("traces", "list", "--store", "URL"),
        ("monitor", "check", "FILE"),
        ("monitor", "status", "--store", "URL"),
        ("traces", "promote", "--to", "OUT", "--store", "URL"),
    ],
)
def test_no_words_of_a_trace_steer_a_terminal_or_a_ci_log(command, url, tmp_path):
    file = hostile_file(tmp_path)
    said("traces", "import", file, "--store", url)
    words = [
        {"FILE": str(file), "URL": url, "OUT": str(tmp_path / "out.jsonl")}.get(word, word)
        for word in command
    ]
    shown = said(*words, typed="skip\n" * 5)
    assert "\x1b" not in shown and "\x07" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())


def test_a_check_of_files_without_traces_is_no_success(tmp_path):
    (tmp_path / "none.json").write_text('{"resourceSpans": []}')
    shown = said("monitor", "check", tmp_path / "none.json", code=3)
    assert "no traces in these files; nothing was checked" in shown
