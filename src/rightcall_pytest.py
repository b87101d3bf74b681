"""The pytest plugin of RightCall: goldens as tests.

    @pytest.mark.goldens("goldens.jsonl")            # one test per golden
    def test_agent(golden, check):
        check(agent, golden)

Loaded by pytest whenever RightCall is installed, so it imports nothing of it until a test uses it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from rightcall.api.testing.check_fixture import Checker
    from rightcall.api.testing.golden_batch import Checked, GoldenBatch
    from rightcall.api.testing.session_store import SessionStore

NOTES = pytest.StashKey[list[dict[str, Any]]]()
ATTEMPT = pytest.StashKey[list["Checked"]]()
SESSION = pytest.StashKey[str]()
KEEPER = pytest.StashKey["SessionStore"]()
FUNCTIONS = pytest.StashKey[dict[Any, list[Any]]]()
GROUPS = pytest.StashKey[dict[Any, "GoldenBatch"]]()

SHARING_MODES = ("loadscope", "loadfile", "loadgroup", "no")
"""How xdist may spread tests so that those of one function stay in one process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rightcall", "testing agents with goldens")
    group.addoption("--rightcall-trials", type=int, default=1, metavar="N",
                    help="trials per golden [default: 1]")  # fmt: skip
    group.addoption("--rightcall-min", type=float, default=None, metavar="RATE",
                    help="required pass rate, 0 to 1 [default: every golden must pass]")  # fmt: skip
    group.addoption("--rightcall-rule", choices=("point", "interval"), default="point",
                    help="decide by the observed rate, or by confidence bounds [default: point]")  # fmt: skip
    group.addoption("--rightcall-forbid", action="append", default=[], metavar="CODE",
                    help="fail if this failure code occurs, whatever the pass rate (repeatable)")  # fmt: skip
    group.addoption("--rightcall-uncalibrated", choices=("refuse", "allow"), default="refuse",
                    help="whether judges without labels may decide [default: refuse]")  # fmt: skip
    group.addoption("--rightcall-store", default=None, metavar="URL",
                    help="result store: a file or PostgreSQL URL [default: .rightcall/rightcall.db]")  # fmt: skip
    group.addoption("--rightcall-concurrency", type=int, default=32, metavar="N",
                    help="maximum concurrent cases [default: 32]")  # fmt: skip
    group.addoption("--rightcall-seed", type=int, default=0, metavar="N", help="random seed [default: 0]")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "goldens(*files, only=(), limit=None): one test per golden of the files (or goldens), "
        "given to the test as 'golden'",
    )
    config.addinivalue_line(
        "markers",
        "attacks(plan='auto', tools=[…]): also one test per attack on these tools and per benign twin, made from the "
        "goldens of the test",
    )
    least = config.getoption("--rightcall-min")
    if least is not None and not 0 < least <= 1:
        raise pytest.UsageError(f"--rightcall-min must be between 0 and 1, got {least:g}")
    if forbidden := config.getoption("--rightcall-forbid"):
        from rightcall.core.errors import RightCallError
        from rightcall.decide.config import read_gate

        try:
            read_gate({"forbid": forbidden}, "--rightcall-forbid")
        except RightCallError as error:
            raise pytest.UsageError(str(error)) from None
    for name in ("trials", "concurrency"):
        if config.getoption(f"--rightcall-{name}") < 1:
            raise pytest.UsageError(f"--rightcall-{name} must be at least 1")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Watch(config), "rightcall-watch")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marks = list(metafunc.definition.iter_markers("goldens"))
    if not marks:
        return
    where = metafunc.definition.nodeid
    if "golden" not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(
            f"{where}: marked with goldens, but it has no parameter 'golden'; write: "
            f"def {metafunc.function.__name__}(golden, check):"
        )
    from rightcall.api.testing.marks import goldens_of_mark, readable_ids, with_attacks
    from rightcall.core.errors import RightCallError

    mark = marks[0]
    folders = [
        metafunc.definition.path.parent,
        metafunc.config.rootpath,
        metafunc.config.invocation_params.dir,
    ]
    try:
        goldens = goldens_of_mark(mark.args, folders, **mark.kwargs)
        for attack in list(metafunc.definition.iter_markers("attacks"))[:1]:
            goldens = with_attacks(goldens, folders, *attack.args, **attack.kwargs)
    except RightCallError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    except TypeError as error:
        raise pytest.Collector.CollectError(f"{where}: pytest.mark: {error}") from None
    metafunc.parametrize("golden", goldens, ids=readable_ids(goldens))


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Checker:
    """`check(agent, golden)` runs an agent on a golden and fails the test when it did not do what it should.

    `metrics=[…]` must pass in addition to the golden, `measure=[…]` is only measured; `trials=N` sets the number of
    trials.
    """
    from rightcall.api.testing.check_fixture import Checker, Defaults

    item = request.node
    config = request.config
    names = ("trials", "concurrency", "seed")
    defaults = Defaults(**{name: config.getoption(f"--rightcall-{name}") for name in names})
    notes = item.stash[NOTES] = []  # a plugin may run the test again
    earlier: list[Checked] = item.stash.get(ATTEMPT, [])
    attempt: list[Checked] = []
    item.stash[ATTEMPT] = attempt
    key, test = _function_of(item)

    def note(what: dict[str, Any]) -> None:
        notes.append({**what, "test": test})

    alike = _functions(item.session)[key]
    later = alike[alike.index(item) + 1 :]
    together = _together(config, key, test, _goldens(alike))
    return Checker(together, _goldens(later), defaults, note, attempt=attempt, earlier=earlier)


def _together(config: pytest.Config, key: Any, test: str, goldens: Sequence[Any]) -> GoldenBatch:
    groups = config.stash.setdefault(GROUPS, {})
    if key not in groups:
        from rightcall.api.testing.golden_batch import GoldenBatch

        mode = getattr(config, "workerinput", {}).get("rightcall_dist", "no")
        groups[key] = GoldenBatch(test, goldens, _keeper(config), may_share=mode in SHARING_MODES)
    return groups[key]


def _keeper(config: pytest.Config) -> SessionStore:
    if KEEPER not in config.stash:
        from rightcall.api.testing.session_store import SessionStore

        keeper = SessionStore(_session(config), config.getoption("--rightcall-store"))
        config.stash[KEEPER] = keeper
        config.add_cleanup(keeper.close)
    return config.stash[KEEPER]


def _session(config: pytest.Config) -> str:
    """The id that all processes of this test session share."""
    if shared := getattr(config, "workerinput", {}).get("rightcall_session"):
        return str(shared)
    if SESSION not in config.stash:
        from rightcall.run.run_record import new_run_id

        config.stash[SESSION] = new_run_id()
    return config.stash[SESSION]


def _functions(session: pytest.Session) -> dict[Any, list[Any]]:
    """The tests of each function, in the order in which they run."""
    if FUNCTIONS not in session.config.stash:
        functions = session.config.stash[FUNCTIONS] = {}
        for item in session.items:
            functions.setdefault(_function_of(item)[0], []).append(item)
    return session.config.stash[FUNCTIONS]


def _function_of(item: Any) -> tuple[Any, str]:
    """What the tests of one function have in common: a key, and the name to show."""
    name = getattr(item, "originalname", None) or item.name
    callspec = getattr(item, "callspec", None)
    indices: tuple[Any, ...] = ()
    shown = ""
    if callspec is not None:
        others = {k: v for k, v in callspec.params.items() if k != "golden"}
        indices = tuple((k, callspec.indices[k]) for k in others)
        shown = f"[{', '.join(str(value)[:40] for value in others.values())}]" if others else ""
    return (item.parent, name, indices), f"{item.parent.nodeid}::{name}{shown}"


def _goldens(items: Sequence[Any]) -> list[Any]:
    values = (item.callspec.params.get("golden") for item in items if hasattr(item, "callspec"))
    return [golden for golden in values if hasattr(golden, "expected_calls")]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist: every worker writes the same runs, and knows how tests are spread."""
    node.workerinput["rightcall_session"] = _session(node.config)
    node.workerinput["rightcall_dist"] = node.config.getoption("dist", "no")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call":
        notes = item.stash.get(NOTES, None)
        if notes:
            report.rightcall = notes  # type: ignore[attr-defined]  # travels to xdist's controller with the report
        elif notes is not None and report.passed and item.get_closest_marker("goldens"):
            report.rightcall_idle = _function_of(item)[1]  # type: ignore[attr-defined]
        if call.excinfo is not None and _is_ours(call.excinfo.value):
            _tell(report, call.excinfo)
    return report


def _is_ours(error: BaseException) -> bool:
    kind = type(error)
    return kind.__name__ in ("CheckFailed", "CheckError") and kind.__module__ == "rightcall.core.errors"


def _tell(report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Only the text of the failure: neither the user's code nor ours adds anything to it."""
    longrepr: Any = excinfo.getrepr(style="value", chain=False)
    lines = str(excinfo.value).splitlines()
    if longrepr.reprcrash is not None:
        longrepr.reprcrash.message = next((line for line in lines[1:] if line), lines[0] if lines else "")
    report.longrepr = longrepr
    report.rightcall_check = True  # type: ignore[attr-defined]
    report.rightcall_error = type(excinfo.value).__name__ == "CheckError"  # type: ignore[attr-defined]


def pytest_report_teststatus(report: Any, config: pytest.Config) -> tuple[str, str, str] | None:
    """A model that did not answer, or a check that broke, is an error and not a failure of the agent."""
    if getattr(report, "rightcall_error", False) and report.failed:  # not one that is run again
        return "error", "E", "ERROR"
    return None


def _count_as_error(config: pytest.Config, report: Any) -> None:
    """In pytest's own JUnit file, which calls everything that a test raises a failure."""
    try:
        from _pytest.junitxml import xml_key

        xml: Any = config.stash.get(xml_key, None)
        failures = [node for node in xml.node_reporter(report).nodes if node.tag == "failure"] if xml else []
    except (ImportError, AttributeError):  # another version of pytest: the file then says failure
        return
    for node in failures:
        node.tag = "error"
        xml.stats["failure"] -= 1
        xml.stats["error"] += 1


def _finish_runs(keeper: SessionStore, groups: Sequence[Any], stopped: bool) -> list[str]:
    """Write how each run ended; returns a line for each that has not ended."""
    from rightcall.core.errors import InfrastructureError

    if stopped:
        return [f"run {group.run_id} is unfinished: not every test was run" for group in groups]
    problems = []
    for group in groups:
        try:
            keeper.finish(group.run_id, group.word, group.trials)
        except InfrastructureError as error:
            problems.append(f"ERROR: {error}")
    return problems


class Watch:
    """Receives every report, including those of workers; ends the runs, decides the gate, shows the summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._notes: dict[str, list[dict[str, Any]]] = {}
        """Of each test, those of its last attempt."""
        self._idle: set[str] = set()
        """Functions with a test that passed without a call of `check`."""
        self._other_failures = self._judged_tests = 0
        self._lines: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if getattr(report, "rightcall_error", False) and report.failed:
            _count_as_error(self._config, report)
        if notes := getattr(report, "rightcall", ()):
            self._notes[report.nodeid] = notes
        if idle := getattr(report, "rightcall_idle", ""):
            self._idle.add(idle)
        self._judged_tests += report.when == "call" and not report.skipped
        if report.failed and (not hasattr(report, "rightcall_check") or report.rightcall_error):
            self._other_failures += 1

    def pytest_collectreport(self, report: Any) -> None:
        self._other_failures += report.failed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._refuse_idle(session)
        if not self._notes:
            return
        from rightcall.api.testing.summary import gate_verdict, group_notes, summary_lines
        from rightcall.run.golden_check import ForbiddenCodes

        notes = list(chain.from_iterable(self._notes.values()))
        names = ("min", "rule", "forbid", "uncalibrated")
        least, rule, forbid, uncalibrated = (self._config.getoption(f"--rightcall-{name}") for name in names)
        groups = group_notes(notes, uncalibrated)
        codes = ForbiddenCodes(forbid or ())
        codes.see(list(chain.from_iterable(note["can_show"] for note in notes)))
        required = forbid or least is not None
        verdict = gate_verdict(groups, least, rule, forbid, uncalibrated=uncalibrated) if required else None
        keeper = _keeper(self._config)
        ended_well = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        stopped = bool(session.shouldstop or session.shouldfail) or not ended_well
        problems = [
            *_finish_runs(keeper, groups, stopped),
            *(f"ERROR: {problem}" for problem in codes.problems()),
        ]
        self._lines += summary_lines(groups, None if problems else verdict, keeper.display_address) + problems
        unproven = verdict is None and any(group.unproven for group in groups)
        unknown = unproven or any(group.untouched or not group.answered for group in groups)
        if (problems or unknown) and not stopped:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            ended_well = False
        if session.exitstatus == pytest.ExitCode.OK and not self._judged_tests and not any(
            group.has_checks for group in groups
        ):  # fmt: skip
            # nothing was checked
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
            ended_well = False
        if verdict is not None and ended_well and not stopped:  # goldens that were not run have no rate
            good = verdict.word == "PASS" and not self._other_failures
            good = good and (least is not None or session.exitstatus == pytest.ExitCode.OK)
            session.exitstatus = pytest.ExitCode.OK if good else pytest.ExitCode.TESTS_FAILED

    def _refuse_idle(self, session: pytest.Session) -> None:
        """A function of goldens none of whose tests calls `check` has checked nothing, and does not pass."""
        called = {note["test"] for note in chain.from_iterable(self._notes.values())}
        idle = sorted(self._idle - called)
        self._lines = [f"{test}: check(agent, golden) was never called; nothing was checked" for test in idle]
        if idle and session.exitstatus == pytest.ExitCode.OK:
            code = pytest.ExitCode.TESTS_FAILED if called else pytest.ExitCode.NO_TESTS_COLLECTED
            session.exitstatus = code
            self._other_failures += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._lines:
            terminalreporter.section("rightcall")
            for line in self._lines:
                terminalreporter.write_line(line)
