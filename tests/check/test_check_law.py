"""The law of `check`, for random agents: no change of behaviour passes without the calls that would show it.

A random agent is a function, a package, a class, an observed framework, a program or a service. Its behaviour is at the
end of a random chain of imports, in a random kind of place. RIGHTCALL_EXAMPLES and RIGHTCALL_SEED try more and others.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.support.changed_agents import (
    BAD,
    EXEC,
    GOOD,
    OWN,
    VARIABLE,
    ChangedAgent,
    Service,
    Shop,
    run_commands,
)
from tests.support.selection import nightly_but, selected

pytestmark = pytest.mark.stories

EXAMPLES = int(os.environ.get("RIGHTCALL_EXAMPLES", "8"))
SEED = int(os.environ.get("RIGHTCALL_SEED", "27"))
OPTIONS = ([], [], ["--full"], ["--again"], ["--record", "replay"], ["--baseline", "main.jsonl"])

SOURCES = {
    "constant": (f"'{GOOD}'", {}, None),
    "text file": ("Path(__file__).with_name('NAME.md').read_text()", {"NAME.md": GOOD}, "NAME.md"),
    "computed file": ("open(os.path.join(os.path.dirname(__file__), '{}.txt'.format('NAME'))).read()", {"NAME.txt": GOOD}, "NAME.txt"),
    "JSON": ("json.load(open(Path(__file__).parent / 'NAME.json'))['tool']", {"NAME.json": f'{{"tool": "{GOOD}"}}'}, "NAME.json"),
    "listed folder": ("max(Path(__file__).parent.joinpath('NAME_all').glob('*.md')).read_text()", {"NAME_all/a.md": GOOD}, "NAME_all/b.md"),
    "absent file": (f"Path('NAME-o.txt').read_text() if os.path.exists('NAME-o.txt') else '{GOOD}'", {}, "NAME-o.txt"),
    "variable": (f"os.environ.get('{VARIABLE}', '{GOOD}')", {}, ""),
    "computed variable": (f"os.environ.get('shop_mode'.upper(), '{GOOD}')", {}, ""),
}  # fmt: skip
IMPORTS = {
    "at the top": "from {module} import choose as below\ndef tool(): return below()\n",
    "inside the function": "def tool():\n    from {module} import choose as below\n    return below()\n",
    "by name": "import importlib\ndef tool(): return importlib.import_module('{module}').choose()\n",
    "whole module": "import {module} as words\ndef tool(): return words.choose()\n",
}
HEAD = "import json, os, sys\nfrom pathlib import Path\n"
KINDS = {
    "function": "def agent(golden): return [tool()]\n",
    "async function": "async def agent(golden): return [tool()]\n",
    "class": "class Shop:\n    def __call__(self, golden): return [tool()]\nagent = Shop()\n",
    "framework": (
        "from pydantic_ai import Agent\n"
        "from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart\n"
        "from pydantic_ai.models.function import FunctionModel\n"
        f"def {GOOD}() -> str: return 'found'\n"
        f"def {BAD}() -> str: return 'deleted'\n"
        "def answer(messages, info):\n"
        "    made = TextPart('done') if len(messages) > 1 else ToolCallPart(tool(), {})\n"
        "    return ModelResponse([made])\n"
        f"agent = Agent(FunctionModel(answer), tools=[{GOOD}, {BAD}])\n"
    ),
    "program": (
        "for line in sys.stdin:\n"
        "    print(json.dumps({'calls': [{'name': tool(), 'arguments': {}}], 'output': 'x'}), flush=True)\n"
    ),
}


def random_agent(rng: random.Random) -> tuple[str, ChangedAgent]:
    if rng.random() < 0.1:
        return "service", ChangedAgent("http:URL", {}, None, unknown=True)
    kind = rng.choice([*KINDS])
    source = rng.choice([*SOURCES])
    value, files, place = SOURCES[source]
    styles = [rng.choice([*IMPORTS]) for _ in range(rng.randrange(3))]
    package = (
        "NAME_pkg/"
        if kind == "function" and rng.random() < 0.5 and not files and source != "absent file"
        else ""
    )
    dots = package.replace("/", ".")
    written = {f"{package}__init__.py": ""} if package else {}
    for depth, style in enumerate(styles):
        name = f"{package}NAME.py" if depth == 0 else f"NAME_{depth}.py"
        written[name] = HEAD + IMPORTS[style].format(module=f"NAME_{depth + 1}") + "choose = tool\n"
    last = f"NAME_{len(styles)}.py" if styles else f"{package}NAME.py"
    written[last] = f"{HEAD}def choose(): return {value}\ntool = choose\n"
    first = f"{package}NAME.py"
    written[first] += KINDS[kind]
    model = EXEC if kind == "program" else OWN.replace("NAME", f"{dots}NAME")
    agent = ChangedAgent(model, {**written, **files}, last if place is None else place)
    return " · ".join((f"package {kind}" if package else kind, *styles, source)), agent


@pytest.fixture(scope="module")
def examples(request, tmp_path_factory):
    rng = random.Random(SEED)
    found = []
    numbers = selected(request, "number")
    with Service().running() as service:
        for number in range(EXAMPLES):
            (words, agent) = random_agent(rng)
            option = rng.choice(OPTIONS)
            if number in numbers:
                folder = tmp_path_factory.mktemp("shop") / "s"
                found.append((words, Shop(folder, agent, f"law_{SEED}_{number}", service).write(), option))
        shops = [shop for _, shop, _ in found]
        runs = run_commands(
            [shop.command("run", "suite.yaml", "--save-baseline", "main.jsonl") for shop in shops]
        )
        assert {run["code"] for run in runs} == {0}, [run["said"] for run in runs if run["code"]]
        before = run_commands([shop.check() for shop in shops])
        for shop in shops:
            shop.break_it()
        after = run_commands([shop.check(*option) for _, shop, option in found])
    return dict(zip(sorted(numbers), zip(found, before, after, strict=True), strict=True))


@pytest.mark.parametrize("number", nightly_but(range(3), range(EXAMPLES)))
def test_no_change_of_behaviour_passes_unseen(number, examples):
    (words, _, option), before, after = examples[number]
    told = f"seed {SEED}, example {number}: {words}, {option}"
    assert before["check"] and after["check"], (told, before["said"], after["said"])
    assert after["check"]["verdict"] not in ("SAME", "PASS", "NO LOSS SEEN"), (told, after["said"])
    assert after["check"]["verdict"] == "WORSE" or "replay" in option, (told, after["said"])
    assert before["check"]["verdict"] in ("SAME", "PASS"), (told, before["said"])
    spent = before["check"]["calls"]["spent"]
    compared = before["check"]["compared"]
    assert (spent > 0) == bool(before["check"]["unknown"]), (told, before["said"])
    assert spent or compared["files"], (told, before["said"])
