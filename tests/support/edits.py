"""Edits of files that cannot change what a program does, and random programs with random edits."""

from __future__ import annotations

import ast
import re
from random import Random
from typing import Any

SOURCE = """\"\"\"Prices of the shop.\"\"\"
import json

RATE = 0x10

def cost_of(items, rate=RATE):
    \"\"\"The price of items.\"\"\"
    total = 0
    for item in items:
        total += item['price'] * rate
    def with_fee(fee):
        return total + fee
    return with_fee(1), [item for item in items if item]
"""


def _replaced(*pairs: tuple[str, str]) -> tuple[str, str, str]:
    after = SOURCE
    for old, new in pairs:
        assert old in after
        after = after.replace(old, new)
    return "helper.py", SOURCE, after


EDITS = {
    "comment": _replaced(("import json", "import json  # parses orders")),
    "docstring of a module": _replaced(("Prices of the shop", "What things cost")),
    "docstring of a function": _replaced(("The price of items", "What the items cost")),
    "docstring removed": _replaced(('    """The price of items."""\n', "")),
    "blank lines": _replaced(("\n\n", "\n\n\n")),
    "line breaks": _replaced(("with_fee(1), [item for item in items if item]", "(\n        with_fee(1),\n        [item for item in items if item],\n    )")),
    "quotes": _replaced(("item['price']", 'item["price"]')),
    "spelling of a number": _replaced(("0x10", "16")),
    "local variable": _replaced(("total", "sum_of_prices")),
    "variable of a loop": _replaced(("item in", "entry in"), ("item['", "entry['"), ("[item", "[entry"), ("if item", "if entry")),
    "annotations": _replaced(("items, rate=RATE)", "items: list[dict[str, int]], rate: int | None = RATE) -> tuple")),
    "annotation of a local variable": _replaced(("total = 0", "total: Money = 0")),
    "JSON indented": ("tools.json", '{"a": [1, 2], "b": "\\u00e9"}', '{\n  "a": [1,\n 2],\n  "b": "é"\n}\n'),
    "JSON on one line": ("tools.json", '[\n  {"a": true}\n]\n', '[{"a":true}]'),
    "YAML comment": ("agent.yaml", "model: small  # for now\n", "# the model\nmodel: small\n"),
    "YAML indented": ("agent.yaml", "tools:\n- a\n- b\n", "tools:\n    - a\n\n    - b\n"),
    "YAML in JSON's style": ("agent.yml", "tools: [a, b]\n", "tools:\n  - a\n  - b\n"),
    "YAML quotes": ("agent.yaml", "model: small model\n", "model: 'small model'\n"),
    "TOML comment": ("agent.toml", 'model = "small"\n', '# the model\nmodel = "small"  # for now\n'),
    "TOML layout": ("agent.toml", "[agent]\nsteps = [1,2]\n", "\n[ agent ]\nsteps = [\n  1,\n  2,\n]\n"),
    "TOML inline table": ("agent.toml", "agent = {steps = 1}\n", "[agent]\nsteps = 1\n"),
}  # fmt: skip
"""From the name of an edit to a file, its text before and its text afterwards."""

NAMES = "abcdefg"


def random_source(chance: Random) -> str:
    """A module of functions that bind, capture and shadow few names in every way."""
    functions = [_function(chance, f"f{number}", 1) for number in range(chance.randint(1, 2))]
    return "\n".join([f"{chance.choice(NAMES)} = 7", *functions]) + "\n"


def _function(chance: Random, name: str, depth: int) -> str:
    parameters = chance.sample(NAMES, chance.randint(0, 2))
    annotation = chance.choice(["", ": int", ": 'x'"])
    head = f"def {name}({', '.join(f'{parameter}{annotation}=2' for parameter in parameters)}):"
    lines = ['"""Text."""'] if chance.random() < 0.5 else []
    for _ in range(chance.randint(1, 4)):
        lines += _statement(chance, depth).splitlines()
    lines.append(f"return [{_value(chance)}, {_value(chance)}]")
    return "\n".join([head, *(f"    {line}" for line in lines)])


def _value(chance: Random) -> str:
    one, other, third = (chance.choice(NAMES) for _ in range(3))
    return chance.choice([
        one, str(chance.randint(0, 9)), f"{one} * 2", f"[{one} for {other} in [1, 2]]", f"(lambda {one}: {other})(3)",
        f"[{other} for {one} in [1] for {other} in [{third}]]", f"({one} := 4)", f"str({one})", f"'{one}'",
        f"sum({one} for {one} in [1, 2])", f"f'{{{one}=}}'", f"[({one} := {other}) for {third} in [1]]",
    ])  # fmt: skip


def _statement(chance: Random, depth: int) -> str:
    one = chance.choice(NAMES)
    other = chance.choice(NAMES)
    value = _value(chance)
    simple = [f"{one} = {value}", f"{one}: int = {value}", f"{one}, {other} = 1, {value}", f"global {one}\n{one} = 5",
              f"for {one} in [1, 2]:\n    {other} = {one}", f"import math as {one}", f"'{one}'", "pass", f"{one} += 1",
              f"try:\n    1 / 0\nexcept Exception as {one}:\n    {other} = 1", f"del {one}",
              f"match [1, 2]:\n    case [{one}, *{other}]:\n        pass", "# comment"]  # fmt: skip
    nested = [f"{_function(chance, one, depth + 1)}\n{other} = {one}()" if depth < 3 else "pass",
              f"class {one}:\n    {other} = {value}\n    def m(self): return {other}\n{other} = {one}().m()",
              f"def n():\n    nonlocal {one}\n    {one} = 6\n    return {other}\n{one} = 1\n{other} = n()"]  # fmt: skip
    return chance.choice(simple + nested)


def random_edit(source: str, chance: Random) -> str:
    """The source after one edit, which may mean something or nothing."""
    names = [*re.finditer(r"\b[a-g]\b", source)]
    one, other = chance.sample(NAMES + "xy", 2)
    lines = source.splitlines()
    at = chance.randrange(len(lines))
    edits = [
        re.sub(rf"\b{one}\b", other, source),
        re.sub(rf"\b{one}\b", "z", source),
        re.sub(rf"\b({one}|{other})\b", lambda match: other if match[1] == one else one, source),
        "\n".join([*lines[:at], lines[at] + "  # comment", *lines[at + 1 :]]),
        source.replace("Text.", "Other."),
        source.replace('"""Text."""', "pass", 1),
        source.replace(": int", ": Lot", 1),
        source.replace("=2", ": str = 2"),
        "\n".join([*lines[:at], *lines[at + 1 :]]),
        "\n".join([*lines[:at], lines[at].replace(one, other), *lines[at + 1 :]]),
    ]
    if names:
        match = chance.choice(names)
        edits.append(source[: match.start()] + other + source[match.end() :])
    return chance.choice(edits) + "\n"


def result_of(source: str) -> Any:
    """All that can be seen of a module from outside, but for texts of exceptions."""
    space: dict[str, Any] = {}
    try:
        exec(compile(ast.parse(source), "random_source", "exec", dont_inherit=True), space)
    except Exception as error:
        return type(error).__name__
    seen: list[Any] = []
    for name in sorted(name for name in space if not name.startswith("__")):
        try:
            value = space[name]() if callable(space[name]) else space[name]
            seen.append((name, repr(value).partition(" at 0x")[0], getattr(space[name], "__code__", None) and
                         space[name].__code__.co_varnames[: space[name].__code__.co_argcount]))  # fmt: skip
        except Exception as error:
            seen.append((name, type(error).__name__))
    return seen
