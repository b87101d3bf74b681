"""How much CPU time each test takes: `python -m tests.support.cpu_report [arguments of pytest]`.

On a shared machine a test's duration says how busy the others are. The CPU time of its process and of the programs that
it started and waited for says what the test costs. Set-up of a fixture is counted for the test that needed it first.
"""

import json
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WHERE = "tests.support.cpu_report"


def spent() -> float:
    """Seconds of CPU time of this process and of the programs it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class CpuReport:
    """A pytest plugin: workers measure, the process that reports adds up."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.phases: dict[str, dict[str, float]] = {}
        self.collections: list[float] = []
        self.start = 0.0

    def pytest_sessionstart(self) -> None:
        self.start = spent()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What a worker spent before its first test, its own start included."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["collection_cpu"] = spent()
        else:
            self.collections.append(spent())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.collections.append(getattr(node, "workeroutput", {}).get("collection_cpu", 0.0))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[Any]) -> Iterator[None]:
        report = yield
        now = spent()
        report.cpu_seconds = now - self.start
        self.start = now
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self.start = spent()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if hasattr(report, "cpu_seconds"):
            self.phases.setdefault(report.nodeid, {})[report.when] = report.cpu_seconds

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if hasattr(config, "workerinput") or not self.phases:
            return
        files: Counter[str] = Counter()
        for test, phases in self.phases.items():
            files[test.split("::")[0]] += sum(phases.values())
        write = terminalreporter.write_line
        write(
            f"CPU time: tests {sum(files.values()):.0f} s; start and collection "
            + " + ".join(f"{seconds:.0f} s" for seconds in self.collections)
        )
        for file, seconds in files.most_common(25):
            write(f"{seconds:8.1f} s  {file}")
        slowest = Counter(
            {(test, when): s for test, phases in self.phases.items() for when, s in phases.items()}
        )
        for (test, when), seconds in slowest.most_common(40):
            write(f"{seconds:8.1f} s  {when:8} {test}")
        if self.file is not None:
            self.file.write_text(
                json.dumps({"collections": self.collections, "tests": self.phases}), encoding="utf-8"
            )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cpu-file", type=Path, default=None, help="file for the CPU time of each test, as JSON"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(CpuReport(config.getoption("--cpu-file")))


if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-p", WHERE, *sys.argv[1:]]))
