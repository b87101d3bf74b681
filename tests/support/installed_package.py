"""Install built distributions into clean environments and try them: `python -m tests.support.installed_package FILE…`.

Not a test: it needs a package index. `make smoke` and CI call it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
OUTSIDE = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def main() -> None:
    """Try each file named on the command line."""
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            installed = Installed(Path(name).resolve(), Path(folder))
            installed.try_commands()
            installed.try_plugin()
            installed.try_dashboard()
        print(f"{Path(name).name}: installed and works")


class Installed:
    """A distribution in an environment that has nothing else."""

    def __init__(self, file: Path, folder: Path) -> None:
        venv.create(folder / "venv", with_pip=True)
        self._bin = folder / "venv" / "bin"
        self._folder = folder / "project"
        self._folder.mkdir()
        install = [str(self._bin / "python"), "-m", "pip", "install", "--quiet", f"{file}[web]"]
        subprocess.run(install, check=True, env=OUTSIDE, cwd=self._folder)

    def run(self, *words: str, code: int = 0) -> str:
        """The output of a command; a failure is an error that quotes it."""
        command = [str(self._bin / "rightcall"), *words]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=OUTSIDE, cwd=self._folder
        )
        if done.returncode != code:
            said = done.stdout + done.stderr
            raise SystemExit(f"rightcall {' '.join(words)}: exit code {done.returncode}, not {code}\n{said}")
        return done.stdout

    def try_commands(self) -> None:
        """The first steps of a new user: the example suite is run on keyword matching, which does not pass."""
        assert "rightcall, version " in self.run("--version")
        story = json.loads(self.run("demo", "--json"))
        assert [version["verdict"] for version in story["versions"]] == ["FAIL", "PASS"]
        self.run("init", "suite")
        self.run("run", "suite/suite.yaml", code=1)
        self.run("lint", "suite/tools.json", code=1)  # delete_user and delete_account are badly described
        self.run("runs", "report", "last", "-o", "report.html")
        assert b"</html>" in (self._folder / "report.html").read_bytes()

    def try_plugin(self) -> None:
        """The example of a plugin: installed by pip, each of its parts is used."""
        install = [str(self._bin / "python"), "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*install, str(PLUGIN)], check=True, env=OUTSIDE, cwd=self._folder)
        use = [str(self._bin / "python"), str(ROOT / "tests" / "contracts" / "plugin_use.py")]
        parts = subprocess.run(use, capture_output=True, check=True, env=OUTSIDE, cwd=self._folder)
        assert json.loads(parts.stdout)["command"] == ["brevity", "orbit", "unfinished-description"]

    def try_dashboard(self) -> None:
        """`rightcall view` serves the runs just made, and ends when it is asked to."""
        command = [str(self._bin / "rightcall"), "view", "--port", "0", "--no-open"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=OUTSIDE, cwd=self._folder
        ) as server:
            assert server.stdout is not None
            try:
                with urlopen(server.stdout.readline().strip(), timeout=60) as page:
                    assert page.status == 200
                    assert b"support" in page.read()
            finally:
                server.send_signal(signal.SIGINT)
        assert server.returncode == 0, server.returncode


if __name__ == "__main__":
    main()
