"""The scripted agent: it reads the definitions as they stand, and errs where they mislead.

With probability `reads` a trial follows the texts; otherwise it does what was meant. On clean definitions both are the
same, which a test asserts. Then noise: no call, a random tool, an argument dropped or taken from elsewhere.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rightcall.records import Tool, ToolCall, Trajectory

STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "of",
        "to",
        "for",
        "in",
        "on",
        "at",
        "by",
        "with",
        "from",
        "me",
        "my",
        "i",
        "is",
        "it",
        "as",
        "into",
        "that",
        "this",
        "be",
        "since",
        "but",
        "not",
        "use",
        "one",
        "up",
    ]
)
GENERIC = frozenset(
    [
        "process",
        "data",
        "handle",
        "item",
        "run",
        "task",
        "get",
        "info",
        "do",
        "thing",
        "work",
        "manage",
        "object",
        "value",
    ]
)
NEAR = 0.06
ABSTAIN = 0.36
ABSTAIN_UNTOLD = 0.12
OTHERS = ("Alpha", "Omega", "Zeta")


@dataclass(frozen=True)
class Meant:
    """What a golden means: the words of its request, the right tool, and each value with how it is said.

    `meaning` maps the words of a parameter's description, as they were, to the parameter. `forms` are parameters whose
    first attempt fails. `lacking` are values the request does not hold. `lookup` is a tool that returns the value of a
    parameter.
    """

    words: tuple[str, ...]
    tool: str
    values: dict[str, tuple[Any, str, str]]
    meaning: dict[str, str]
    forms: frozenset[str] = frozenset()
    lacking: frozenset[str] = frozenset()
    lookup: tuple[str, str] | None = None


def stemmed(text: str) -> list[str]:
    """Telling words without their endings."""
    found = [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP]
    return [re.sub(r"(?:ings?|ed|es|s|ion|al)$", "", word) if len(word) > 4 else word for word in found]


class Reader:
    """Reads one set of definitions."""

    def __init__(self, tools: list[Tool], system: str, error_hint: bool = True) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.error_hint = error_hint
        self.abstains = "no tool" in system.lower()
        self._main: dict[str, set[str]] = {}
        self._not: dict[str, set[str]] = {}
        for tool in tools:
            sentences = re.split(r"(?<=\.)\s+", tool.description)
            self._main[tool.name] = {w for s in sentences if not s.startswith("Not for") for w in stemmed(s)}
            self._not[tool.name] = {
                w for s in sentences if s.startswith("Not for") for w in stemmed(s.partition(":")[0])
            }
        df = Counter(word for words in self._main.values() for word in words)
        self._idf = {word: math.log(1 + len(tools) / n) for word, n in df.items()}
        self._unseen = math.log(1 + len(tools))

    def choose(self, meant: Meant, rng: random.Random) -> str | None:
        """The tool whose text fits the request best; None when none does."""
        words = set(meant.words)
        total = sum(self._idf.get(word, self._unseen) for word in words) or 1.0
        scores = {}
        for name in self.tools:
            tokens = set(stemmed(name.replace("_", " ")))
            raw = sum(
                self._idf.get(w, self._unseen)
                * ((w in self._main[name]) + 0.5 * (w in tokens) - 0.6 * (w in self._not[name]))
                for w in words
            )
            generic = all(token in GENERIC for token in re.findall("[a-z]+", name))
            scores[name] = (
                raw / total * (0.35 if generic else 1.0),
                len(words & (self._main[name] | tokens)),
            )
        best = max(score for score, _ in scores.values())
        near = sorted(name for name, (score, _) in scores.items() if score >= best - NEAR * (best > 0))
        chosen = rng.choice(near)
        score, shared = scores[chosen]
        if score < (ABSTAIN if self.abstains else ABSTAIN_UNTOLD) or (self.abstains and shared < 2):
            return None
        return chosen

    def fill(self, tool: str, meant: Meant, rng: random.Random) -> dict[str, Any]:
        """Arguments as the schema asks for them."""
        schema = self.tools[tool].parameters
        required = self.tools[tool].input_schema.get("required", [])
        filled: dict[str, Any] = {}
        for name, property_ in schema.items():
            text = property_.get("description", "")
            source = meant.meaning.get(text.split(" (")[0].split(", in ")[0], name) if text else ""
            if tool != meant.tool or not text:
                value = self._another(name, meant, rng)
            elif source in meant.lacking:
                value = rng.choice([None, rng.choice(OTHERS), rng.choice(OTHERS)])
            else:
                value = self._said(source, property_, name in required, meant, rng)
            if value is not None:
                filled[name] = value
        return filled

    def _said(
        self, source: str, schema: dict[str, Any], required: bool, meant: Meant, rng: random.Random
    ) -> Any:
        value, said, kind = meant.values.get(source, (None, "", "free"))
        text = schema.get("description", "")
        if kind == "enum":
            return value if "enum" in schema else said
        if kind == "unit":
            number = float(said.split()[0])
            return value if ", in " in text else int(number) if number.is_integer() else number
        if kind == "lookup":
            return value if "find_" in text else rng.choice(["1001", "ID-1", said])
        if kind == "date":
            return value if "format" in schema or "YYYY" in text else said
        if kind == "inferred":
            return value if required else None
        return value

    def _another(self, name: str, meant: Meant, rng: random.Random) -> Any:
        mine = meant.values.get(name)
        others = [
            v for n, (v, _, _) in meant.values.items() if n != name and mine and type(v) is type(mine[0])
        ]
        return rng.choice(others) if others else rng.choice(OTHERS)

    def act(self, meant: Meant, rng: random.Random, *, reads: float = 0.8, noise: float = 0.03) -> Trajectory:
        """One trial."""
        if rng.random() < reads:
            tool = self.choose(meant, rng)
            arguments = self.fill(tool, meant, rng) if tool else {}
            hint = self.error_hint
        else:
            tool = meant.tool or None
            arguments = {name: value for name, (value, _, _) in meant.values.items()}
            hint = True
        if rng.random() < noise:
            tool, arguments = self._noise(tool, arguments, rng)
        if tool is None:
            return Trajectory(output="I can answer that.")
        return Trajectory(calls=tuple(self._calls(tool, arguments, meant, hint)))

    def _calls(self, tool: str, arguments: dict[str, Any], meant: Meant, hint: bool) -> list[ToolCall]:
        if (
            tool == meant.tool
            and meant.lookup
            and arguments.get(meant.lookup[1]) == meant.values[meant.lookup[1]][0]
        ):
            finder, name = meant.lookup
            value, said, _ = meant.values[name]
            found = ToolCall(finder, {"name": said}, id="0", step=0, status="ok", output={"id": value})
            return [found, ToolCall(tool, arguments, id="1", step=1, status="ok", output="done")]
        forms = [name for name in meant.forms if name in arguments and tool == meant.tool]
        if not forms:
            return [ToolCall(tool, arguments, id="1", step=0, status="ok", output="done")]
        first = arguments | {name: meant.values[name][1] for name in forms}
        text = f"{forms[0]} must look like ABC-0000" if self.error_hint else "Request failed (code 17)"
        failed = ToolCall(tool, first, id="1", step=0, status="error", output=text)
        if hint:
            return [failed, ToolCall(tool, arguments, id="2", step=1, status="ok", output="done")]
        return [failed, ToolCall(tool, first, id="2", step=1, status="error", output=text)]

    def _noise(
        self, tool: str | None, arguments: dict[str, Any], rng: random.Random
    ) -> tuple[str | None, dict[str, Any]]:
        kind = rng.choice(["none", "random", "dropped", "foreign"])
        if kind == "none" or tool is None:
            return (rng.choice(sorted(self.tools)), {}) if tool is None else (None, {})
        if kind == "random":
            return rng.choice(sorted(self.tools)), arguments
        if not arguments:
            return tool, arguments
        name = rng.choice(sorted(arguments))
        if kind == "dropped":
            return tool, {n: v for n, v in arguments.items() if n != name}
        return tool, arguments | {name: rng.choice(OTHERS)}
