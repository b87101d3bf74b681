"""A change that breaks one golden of five is never green, wherever it is made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.changed_agents import Service

pytestmark = pytest.mark.stories

READ = "from pathlib import Path\nimport json, os, sys\nHERE = Path(__file__).parent\n"
AGENT = "def agent(golden):\n    return [WORD() if golden.id == 'g3' else 'right']\n"
LOOP = """
for line in sys.stdin:
    tool = open(HERE / "word.txt").read().strip() if "golden 3" in line else "right"
    print(json.dumps({"calls": [{"name": tool, "arguments": {}}], "output": "done"}), flush=True)
"""
HELPER = "def WORD():\n    return '{}'\n"
PLACES = {
    "helper": ("from helper import WORD\n", "helper.py", HELPER),
    "prompt file": ("WORD = lambda: (HERE / 'prompt.md').read_text()\n", "prompt.md", "{}"),
    "data file": ("WORD = lambda: json.load(open(HERE / 'data.json'))['word']\n", "data.json", '{{"word": "{}"}}'),
    "ignored file": ("WORD = lambda: (HERE / 'local.cfg').read_text()\n", "local.cfg", "{}"),
    "environment": ("WORD = lambda: os.environ.get('SHOP_WORD', 'right')\n", "", ""),
    "installed package": ("from shop_words import WORD\n", "site/shop_words.py", HELPER),
    "program": ("", "word.txt", "{}"),
    "service": ("", "", ""),
}  # fmt: skip


class FiveGoldens:
    """A repository with a suite of five goldens, of which a change breaks one."""

    def __init__(self, folder: Path, place: str, service: Service) -> None:
        self.folder = folder / "shop"
        self.place = place
        self.service = service
        self.packages = folder / "packages"
        self.environment = {**os.environ, "PYTHONPATH": str(self.packages)}
        top, self.file, self.text = PLACES[place]
        self.folder.mkdir()
        self.packages.mkdir()
        model = {
            "program": f"exec:{json.dumps([sys.executable, 'agent.py'])}",
            "service": f"http:{service.url}",
        }
        goldens = [
            {"id": f"g{n}", "input": f"golden {n}", "expected_calls": [{"tool": "right"}]} for n in range(5)
        ]
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("right", "wrong")]
        suite = {"name": "shop", "dataset": "goldens.jsonl", "tools": tools, "trials": 3}
        suite["agent"] = {"model": model.get(place, "agent:agent")}
        for name, text in {
            "suite.yaml": json.dumps(suite),
            "goldens.jsonl": "".join(json.dumps(golden) + "\n" for golden in goldens),
            "agent.py": READ + (LOOP if place == "program" else top + AGENT),
            ".gitignore": ".rightcall/\nlocal.cfg\n*.gz\n",
        }.items():
            (self.folder / name).write_text(text)
        self.write("right", "1.0")
        for words in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "s"],
        ):
            subprocess.run(["git", *words], cwd=self.folder, check=True)

    def write(self, word: str, version: str) -> None:
        if self.place == "environment":
            self.environment["SHOP_WORD"] = word
        elif self.place == "service":
            self.service.tool = word
        elif self.place == "installed package":
            (self.packages / "shop_words.py").write_text(self.text.format(word))
            for old in self.packages.glob("*.dist-info"):
                for file in old.iterdir():
                    file.unlink()
                old.rmdir()
            facts = self.packages / f"shop_words-{version}.dist-info"
            facts.mkdir()
            (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shop-words\nVersion: {version}\n")
            (facts / "top_level.txt").write_text("shop_words\n")
        else:
            (self.folder / self.file).write_text(self.text.format(word))

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rightcall", *words, "--trust"]
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )


@pytest.mark.parametrize("place", PLACES)
def test_a_broken_golden_is_never_green(place, tmp_path):
    with Service().running() as service:
        shop = FiveGoldens(tmp_path, place, service)
        saved = shop.run("run", "suite.yaml", "--save-baseline", "main.gz")
        assert saved.returncode == 0, saved.stdout + saved.stderr
        same = shop.run("check", "suite.yaml", "--baseline", "main.gz")
        assert same.returncode == 0, same.stdout + same.stderr
        shop.write("wrong", "1.1")
        broken = shop.run("check", "suite.yaml", "--baseline", "main.gz")
    expected = (1,) if place == "environment" else (1, 3)
    assert broken.returncode in expected, broken.stdout + broken.stderr
    assert "g3" in broken.stdout.splitlines()[0] or place == "service", broken.stdout
