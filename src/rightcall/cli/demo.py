"""`rightcall demo`: how a dangerous mistake is found, shown, fixed and measured again."""

from __future__ import annotations

import difflib
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
from rich.padding import Padding

from rightcall.api.tool_lint import lint
from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.demo_suites import SUPPORT
from rightcall.cli.output import console, print_json, store_argument, tell
from rightcall.cli.run import command_line
from rightcall.cli.run_execution import Watching, run_to_end
from rightcall.core.codec import to_plain
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.seam import load
from rightcall.core.text import pluralize
from rightcall.files.atomic import reason, refuse_existing, write_file
from rightcall.show.view.failure_kinds import failures_of_run
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.lint.report import LintReport
    from rightcall.run.decisions import RunComparison
    from rightcall.run.live_run import RunOutcome
    from rightcall.show.screen import Screen


EMBEDDED = "local:smollm2"


@click.command(cls=DeclaredCommand)
def demo(
    model: Annotated[
        str | None,
        Option(f"Ask this model instead of replaying the recorded answers; {EMBEDDED} is the one recorded"),
    ] = None,
    folder: Annotated[Path, Option("Folder for the files of the demo", metavar="DIRECTORY")] = Path(
        "rightcall-demo"
    ),
    monitor: Annotated[
        bool, Option("Instead replay an hour of live traffic with a planted drift, and show what is detected")
    ] = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a dangerous mistake an agent makes, see it happen, fix it, and measure again.

    A support agent confuses two tools: one pauses accounts, the other erases them. The answers are recordings of
    SmolLM2-135M, a real but small model, so that the demo needs no API key, no download and no network. With --model
    a model is asked instead, and may answer differently. The exit code is 0 whatever the verdicts are.
    """

    if monitor:
        load("services", "monitor_demo")(store_url, as_json=as_json)
        return
    if model == EMBEDDED:
        _get_weights()
    story = Story(folder, model, store_url, as_json=as_json)
    story.write_files()
    if as_json:
        print_json(story.document())
    else:
        story.tell(console())


def _get_weights() -> None:
    """Download the weights of the embedded model if they are missing."""
    from rightcall.providers.weights import model_path, pull_model

    if not model_path("smollm2").is_file():
        tell("downloading the weights of SmolLM2-135M (98 MB, once) …", err=True)
        pull_model("smollm2")


RECORDED = "recordings of SmolLM2-135M, a real but tiny model (--model local:smollm2 asks it)"
MOST_KINDS = 2


@dataclass(frozen=True)
class Version:
    """One version of the agent: its files, and what its run showed."""

    tools: Path
    suite: Path
    command: str
    outcome: RunOutcome
    failed: list[str]

    @property
    def run(self) -> str:
        return self.outcome.run.id


class Story:
    """The demo in `folder`: on recorded answers, or on `model`."""

    def __init__(
        self,
        folder: Path,
        model: str | None,
        store_url: str | Path | None,
        *,
        as_json: bool,
    ) -> None:
        self._folder = folder
        self._model = model
        self._store_url = store_url
        self._as_json = as_json

    def write_files(self) -> None:
        """Write the suites, tools, goldens and recordings, so that every command shown can be repeated."""
        from rightcall.run.trust import is_trusted, trust_folder

        new = not self._folder.exists()
        try:
            for source in sorted(path for path in SUPPORT.rglob("*") if path.is_file()):
                target = self._folder / source.relative_to(SUPPORT)
                data = source.read_bytes()
                if target.is_file() and target.read_bytes() != data:
                    refuse_existing(target)
                target.parent.mkdir(parents=True, exist_ok=True)
                write_file(target, data)
            if new and not is_trusted(self._folder):
                trust_folder(self._folder)
        except OSError as error:
            problem = f"cannot be written: {reason(error)}"
            raise InputError(str(self._folder), problem, "choose another with --folder") from None

    def tell(self, out: Screen) -> None:
        """Print the four acts."""
        self._introduction(out)
        self._definitions(out)
        self._version_1(out)
        self._version_2(out)
        self._your_own(out)

    def document(self) -> dict[str, Any]:
        return {
            "answers": self._model or RECORDED,
            "folder": str(self._folder),
            "lint": [to_plain(error) for error in self._lint.diagnostics if error.severity == "error"],
            "versions": [
                {
                    "suite": str(version.suite),
                    "run": version.run,
                    "verdict": version.outcome.verdict.word,
                    "sentence": version.outcome.verdict.sentence,
                    "summary": version.outcome.summary,
                    "failed": version.failed,
                }
                for version in (self._first, self._second)
            ],
            "comparison": self._comparison,
        }

    @cached_property
    def _lint(self) -> LintReport:
        return lint(self._folder / "tools-v1.json")

    @cached_property
    def _first(self) -> Version:
        return self._ran("v1")

    @cached_property
    def _second(self) -> Version:
        return self._ran("v2")

    @cached_property
    def _comparison(self) -> RunComparison:
        from rightcall.run.decisions import compare_runs

        with open_store(self._store_url, must_exist=True) as store:
            return compare_runs(store, self._first.run, [self._second.run])[0]

    def _ran(self, name: str) -> Version:
        from rightcall.run.suite import load_suite
        from rightcall.run.suite_actions import with_record_mode
        from rightcall.run.suite_plan import plan_suite

        path = self._folder / f"{name}.yaml"
        mode: Literal["none"] | None = "none" if self._model else None
        suite = with_record_mode(load_suite(path), mode)
        typed = {"--model": self._model, "--record": mode}
        command = command_line(path, {**typed, "--store": self._store_url})
        watching = Watching(as_json=False)
        plan = plan_suite(suite, self._folder, model=self._model)
        outcome = run_to_end(plan, self._store_url, None, watching, again=command)
        with open_store(self._store_url) as store:
            failed = sorted({result.golden_id for result in failures_of_run(store, outcome.run.id)})
        return Version(self._folder / f"tools-{name}.json", path, command, outcome, failed=failed)

    def _introduction(self, out: Screen) -> None:
        out.say(
            "A support agent has two tools: [bold]delete_account[/bold] only pauses an account,\n"
            "[bold]delete_user[/bold] erases everything. A customer asks for a pause.\n"
            "Does the agent make the right call?"
        )
        answers = f"{self._model}, asked now" if self._model else RECORDED
        out.say("[dim]answers: {}\nfiles:   {}[/dim]", answers, f"{self._folder}/")

    def _definitions(self, out: Screen) -> None:
        path = self._folder / "tools-v1.json"
        _act(out, 1, "The linter reads the definitions", f"rightcall lint {shlex.quote(str(path))}")
        pair = next(
            diagnostic for diagnostic in self._lint.diagnostics if diagnostic.rule == "confusable-pair"
        )
        out.say("[bold red]error[/bold red] {} {} [bold]{}[/bold]", pair.code, pair.rule, pair.tool)
        for words in (pair.message, f"fix: {pair.hint}"):
            out.print(Padding(words, (0, 0, 0, 6)))
        counts = self._lint.counts()
        rest = [pluralize(number - (name == "error"), name) for name, number in counts.items()]
        out.say("[dim]… and {}[/dim]", ", ".join(rest))

    def _version_1(self, out: Screen) -> None:
        version = self._first
        _act(out, 2, "Version 1 runs", version.command)
        self._print_run(out, version)

    def _version_2(self, out: Screen) -> None:
        from rightcall.show.comparison import print_comparison

        version = self._second
        before, after = (file.read_text("utf-8").splitlines() for file in (self._first.tools, version.tools))
        diff = f"diff -u {shlex.quote(str(self._first.tools))} {shlex.quote(str(version.tools))}"
        _act(out, 3, "Names and descriptions now say what is kept and what is lost", diff)
        for line in list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]:
            if not line.startswith("@@"):
                out.print(line, style="green" if line.startswith("+") else "red", soft_wrap=True)
        out.print()
        _command(out, version.command)
        self._print_run(out, version)
        out.print()
        _command(out, f"rightcall compare {self._first.run} {version.run}{self._where}")
        print_comparison(out, self._comparison)

    def _print_run(self, out: Screen, version: Version) -> None:
        from rightcall.show.run_screen import print_run_screen, run_screen

        with open_store(self._store_url) as store:
            run = store.runs.get(version.run).run
            print_run_screen(out, run_screen(store, run, version.outcome.summary, kinds=MOST_KINDS))

    def _your_own(self, out: Screen) -> None:
        _act(out, 4, "Your own agent (any function that takes a text)")
        steps = [
            ("rightcall init my_module:answer evals", "writes a suite and goldens into evals/"),
            ("rightcall run evals/suite.yaml", "runs it"),
            (f"rightcall runs show {self._first.run}{self._where}", "what you just saw, case by case"),
        ]
        widest = max(len(command) for command, _ in steps)
        for command, meaning in steps:
            out.say("  {}  [dim]{}[/dim]", command.ljust(widest), meaning, soft_wrap=True)

    @property
    def _where(self) -> str:
        return store_argument(self._store_url)


def _act(out: Screen, number: int, title: str, command: str = "") -> None:
    out.say("\n[bold reverse] {} [/bold reverse] [bold]{}[/bold]", number, title)
    if command:
        _command(out, command)


def _command(out: Screen, command: str) -> None:
    out.say("[dim]$[/dim] [cyan]{}[/cyan]", command, soft_wrap=True)
