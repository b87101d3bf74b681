"""Agents of every kind whose behaviour can be changed in a place that their suite does not mention.

Each calls `find_account`; once it is broken in its place it calls `delete_account`, which every golden forbids.
Commands run in a fresh process, as in CI: what a module read when it was imported happened there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

GOLDENS = 40
GOOD = "find_account"
BAD = "delete_account"
TOOLS = [{"name": name, "input_schema": {"type": "object"}} for name in (GOOD, BAD)]
VARIABLE = "SHOP_MODE"


@dataclass(frozen=True)
class ChangedAgent:
    """A kind of agent and the place of its behaviour. `NAME` in files becomes a name that no other agent has.

    `place` is the file to edit, `""` for the environment variable, and `None` for the service. `owned` agents are
    determined by the suite alone, `unknown` ones must be run whatever is equal.
    """

    model: str
    files: dict[str, str]
    place: str | None
    unknown: bool = False
    suite: dict[str, Any] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    """Functions of its `with`."""


def function(body: str, top: str = "", **files: str) -> dict[str, str]:
    code = f"import os\nfrom pathlib import Path\nHERE = Path(__file__).parent\n{top}\n"
    return {"NAME.py": f"{code}\ndef agent(golden):\n    {body}\n    return [tool]\n", **files}


def program(body: str, top: str = "", **files: str) -> dict[str, str]:
    code = f"import json, os, sys\nfrom pathlib import Path\nHERE = Path(__file__).parent\n{top}\n"
    reply = '{"calls": [{"name": tool, "arguments": {}}], "output": "done"}'
    loop = f"for line in sys.stdin:\n    {body}\n    print(json.dumps({reply}), flush=True)\n"
    return {"NAME.py": code + loop, **files}


FRAMEWORK = """
from pathlib import Path
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

def find_account() -> str:
    return "found"

def delete_account() -> str:
    return "deleted"

def answer(messages, info):
    if len(messages) > 1:
        return ModelResponse([TextPart("done")])
    return ModelResponse([ToolCallPart((Path(__file__).parent / "NAME.md").read_text(), {})])

agent = Agent(FunctionModel(answer), tools=[find_account, delete_account])
"""
DEPENDENT = """
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import RunContext

async def offered(context: RunContext[str], tool):
    return tool if tool.name == context.deps else None

def tool(name):
    return Tool(lambda: "done", name=name, prepare=offered)

from pydantic_ai import Tool
agent = Agent(TestModel(), tools=[tool("find_account"), tool("delete_account")], deps_type=str)
"""
CLASS = """
from NAME_words import TOOL

class Shop:
    def __init__(self):
        self.tool = TOOL

    def __call__(self, golden):
        return [self.tool]

agent = Shop()
"""
OWN = "NAME:agent"
EXEC = f"exec:{json.dumps([sys.executable, 'NAME.py'])}"
SHELL = "while read line; do cat NAME.json; echo; done\n"
REPLY = json.dumps({"calls": [{"name": GOOD, "arguments": {}}], "output": "done"})
WORD = f"tool = TOOL = '{GOOD}'\n"

AGENTS = {
    "same file": ChangedAgent(OWN, function(f"tool = '{GOOD}'"), "NAME.py"),
    "helper module": ChangedAgent(
        OWN, function("tool = TOOL", "from NAME_words import TOOL", **{"NAME_words.py": WORD}), "NAME_words.py"
    ),
    "helper imported late": ChangedAgent(
        OWN, function("from NAME_words import tool", **{"NAME_words.py": WORD}), "NAME_words.py"
    ),
    "helper by a computed name": ChangedAgent(
        OWN,
        function("import importlib; tool = importlib.import_module('NAME' + '_words').tool", **{"NAME_words.py": WORD}),
        "NAME_words.py",
    ),
    "sibling in a package": ChangedAgent(
        "NAME.agent:agent",
        {"NAME/__init__.py": "", "NAME/words/__init__.py": "", "NAME/words/all.py": WORD,
         "NAME/agent.py": "from .words.all import TOOL\ndef agent(golden):\n    return [TOOL]\n"},
        "NAME/words/all.py",
    ),
    "class": ChangedAgent(OWN, {"NAME.py": CLASS, "NAME_words.py": WORD}, "NAME_words.py"),
    "observed framework": ChangedAgent(OWN, {"NAME.py": FRAMEWORK, "NAME.md": GOOD}, "NAME.md"),
    "dependencies of an observed framework": ChangedAgent(
        OWN,
        {"NAME.py": DEPENDENT, "NAME_bank.py": "from NAME_words import TOOL\ndef bank(): return TOOL\n",
         "NAME_words.py": WORD},
        "NAME_words.py",
        values={"deps": "NAME_bank:bank"},
    ),
    "prompt file": ChangedAgent(
        OWN, function("tool = (HERE / 'NAME.md').read_text()", **{"NAME.md": GOOD}), "NAME.md"
    ),
    "prompt file read at import": ChangedAgent(
        OWN, function("tool = TEXT", "TEXT = open('NAME' + '.md').read()", **{"NAME.md": GOOD}), "NAME.md"
    ),
    "data file by a computed name": ChangedAgent(
        OWN,
        function("import json; tool = json.load(open(HERE / 'data' / f'{\"NAME\"}.json'))",
                 **{"data/NAME.json": f'"{GOOD}"'}),
        "data/NAME.json",
    ),
    "file that does not exist yet": ChangedAgent(
        OWN,
        function(f"p = HERE / 'NAME-override.txt'; tool = p.read_text() if p.exists() else '{GOOD}'"),
        "NAME-override.txt",
    ),
    "file in a folder": ChangedAgent(
        OWN,
        function("tool = sorted((HERE / 'NAME-prompts').iterdir())[-1].read_text()",
                 **{"NAME-prompts/a.md": GOOD}),
        "NAME-prompts/b.md",
    ),
    "working folder chosen at import": ChangedAgent(
        OWN,
        function("tool = open('NAME.md').read()", "os.chdir(HERE / 'data')", **{"data/NAME.md": GOOD}),
        "data/NAME.md",
    ),
    "working folder changed in a trial": ChangedAgent(
        OWN,
        function("os.chdir(HERE / 'data'); tool = open('NAME.md').read()", **{"data/NAME.md": GOOD}),
        "data/NAME.md",
    ),
    "database": ChangedAgent(
        OWN,
        function("import sqlite3; c = sqlite3.connect(HERE / ('NAME' + '.db')); "
                 "tool = c.execute('select tool from tools').fetchone()[0]; c.close()"),
        "NAME.db",
    ),
    "environment variable": ChangedAgent(OWN, function(f"tool = os.environ.get('{VARIABLE}', '{GOOD}')"), ""),
    "variable by a computed name": ChangedAgent(
        OWN, function(f"tool = dict(os.environ).get('SHOP_' + 'MODE', '{GOOD}')"), ""
    ),
    "variable of a module by a computed name": ChangedAgent(
        OWN,
        function("import importlib; tool = importlib.import_module('NAME' + '_words').tool()",
                 **{"NAME_words.py": f"import os\ndef tool(): return os.getenv('{VARIABLE}', '{GOOD}')\n"}),
        "",
    ),
    "variable under other names": ChangedAgent(
        OWN, function(f"tool = get((HERE / 'NAME.cfg').read_text(), '{GOOD}')", "from os import getenv as get", **{"NAME.cfg": "SHOP_MODE"}), ""
    ),
    "program": ChangedAgent(EXEC, program(f"tool = '{GOOD}'"), "NAME.py", unknown=True),
    "module of a program": ChangedAgent(
        EXEC, program("from NAME_words import tool", **{"NAME_words.py": WORD}), "NAME_words.py", unknown=True
    ),
    "file of a program": ChangedAgent(
        EXEC, program("tool = (HERE / 'NAME.md').read_text()", **{"NAME.md": GOOD}), "NAME.md", unknown=True
    ),
    "file of a program by a computed name": ChangedAgent(
        EXEC, program("tool = open(HERE / ('NAME' + '.md')).read()", **{"NAME.md": GOOD}), "NAME.md", unknown=True
    ),
    "file of a program that a module finds": ChangedAgent(
        EXEC, program("import linecache; tool = linecache.getline('NAME' + '.md', 1).strip()", **{"NAME.md": GOOD}), "NAME.md", unknown=True
    ),
    "variable of a program": ChangedAgent(EXEC, program(f"tool = os.getenv('{VARIABLE}', '{GOOD}')"), "", unknown=True),
    "program that is not Python": ChangedAgent(
        'exec:["sh", "NAME.sh"]', {"NAME.sh": SHELL, "NAME.json": REPLY}, "NAME.json", unknown=True
    ),
    "program started by the agent": ChangedAgent(
        OWN,
        function("import subprocess; tool = subprocess.check_output(['sh', 'NAME.sh'], text=True).strip()",
                 **{"NAME.sh": f"echo {GOOD}\n"}),
        "NAME.sh", unknown=True,
    ),
    "file that a started program finds": ChangedAgent(
        OWN,
        function("import subprocess; tool = subprocess.run('cat *' + '.NAME', shell=True, cwd=HERE, capture_output=True, text=True).stdout",
                 **{"a.NAME": GOOD}),
        "a.NAME", unknown=True,
    ),
    "service": ChangedAgent("http:URL", {}, None, unknown=True),
}  # fmt: skip


class Service:
    """A service on loopback that is an agent."""

    def __init__(self) -> None:
        self.tool = GOOD
        self.version = ""
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                body = json.dumps(
                    {"calls": [{"name": service.tool, "arguments": {}}], "output": "x"}
                ).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                if service.version:
                    self.send_header("x-agent-version", service.version)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self) -> Iterator[Service]:
        Thread(target=self._server.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()


@dataclass
class Shop:
    """A folder with a suite of one agent, and how to break it."""

    folder: Path
    agent: ChangedAgent
    name: str
    service: Service | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def write(self) -> Shop:
        self.folder.mkdir(parents=True)
        (self.folder / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
        calls = {"expected_calls": [{"tool": GOOD}], "forbidden_calls": [BAD]}
        goldens = ({"id": f"g{n}", "input": f"find {n}", **calls} for n in range(GOLDENS))
        (self.folder / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens))
        url = self.service.url if self.service else ""
        model = self._named(self.agent.model).replace("URL", url)
        agent = {"model": model} | ({"reuse": True} if model.startswith("exec:") else {})
        agent |= {"with": {key: self._named(name) for key, name in self.agent.values.items()}}
        suite = {
            "name": "shop",
            "dataset": "goldens.jsonl",
            "tools": TOOLS,
            "agent": agent,
            **self.agent.suite,
        }
        (self.folder / "suite.yaml").write_text(yaml.safe_dump(suite))
        for name, text in self.agent.files.items():
            path = self.folder / self._named(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._named(textwrap.dedent(text)))
        if self.agent.place == "NAME.db":
            self._write_database(GOOD)
        return self

    def break_it(self) -> None:
        """Make every trial call the forbidden tool."""
        if self.agent.place is None:
            assert self.service is not None
            self.service.tool = BAD
        elif not self.agent.place:
            self.environment[VARIABLE] = BAD
        elif self.agent.place.endswith(".db"):
            self._write_database(BAD)
        else:
            path = self.folder / self._named(self.agent.place)
            text = path.read_text() if path.exists() else GOOD
            path.write_text(text.replace(GOOD, BAD))

    def command(self, *words: str) -> dict[str, Any]:
        return {"folder": str(self.folder), "words": words, "environment": self.environment}

    def check(self, *words: str) -> dict[str, Any]:
        words = words if any(word.startswith("--baseline") for word in words) else ("--baseline=last", *words)
        return self.command("check", "suite.yaml", "-o", "check.json", *words)

    def _named(self, text: str) -> str:
        return text.replace("NAME", self.name)

    def _write_database(self, tool: str) -> None:
        import sqlite3

        path = self.folder / f"{self.name}.db"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as database:
            database.execute("create table tools (tool text)")
            database.execute("insert into tools values (?)", [tool])
        database.close()


BATCH = """
import contextlib, io, json, os, sys
from pathlib import Path
from rightcall.cli.main import main
for command in json.load(sys.stdin):
    os.chdir(command["folder"])
    os.environ.pop("SHOP_MODE", None)
    os.environ.update(command["environment"])
    Path("check.json").unlink(missing_ok=True)
    sys.argv, out, code = ["rightcall", *command["words"]], io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    found = json.loads(Path("check.json").read_text()) if Path("check.json").exists() else None
    print(json.dumps({"code": code, "said": out.getvalue(), "check": found}))
"""


def run_commands(commands: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run commands of `rightcall` one after the other in one new process; each agent has modules of its own name."""
    quiet = {name: value for name, value in os.environ.items() if name not in ("GITHUB_ACTIONS", VARIABLE)}
    ended = subprocess.run(
        [sys.executable, "-c", BATCH],
        input=json.dumps(commands), capture_output=True, text=True, env=quiet, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]
