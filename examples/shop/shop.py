"""The support agent of a web shop: a scripted model that chooses tools and fills parameters by what definitions say.

It errs where they mislead, as models do, and in a few trials it does the sensible thing all the same. There is no
chance in it: the same request, trial and definitions have the same answer.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import rightcall as rc
from rightcall import Tool, ToolCall

CUSTOMERS = {
    "Ana Silva": "C-4821", "Ben Okafor": "C-7310", "Chloe Dubois": "C-2954", "Dmitri Orlov": "C-9067",
    "Emma Larsen": "C-3382", "Farid Haddad": "C-6148",
}  # fmt: skip
SENSIBLE = 0.15
"""How often it does the right thing whatever a parameter's description says."""
ENOUGH = 0.3
"""The share of a request's words that a tool must have, where the prompt says that none may fit."""
PATTERNS = {"order_id": r"A-\d{4}", "email": r"\S+@\S+\.\w+", "address": r"\d+ \w+ Street"}
STOP = frozenset(
    re.findall(
        "[a-z]+",
        "a an the of in on to for and or i me my is it by can you that this s do does what which not use",
    )
)


def find_customer(name: str) -> dict[str, str]:
    """The mock of the tool: a customer with an id that nobody can know without asking."""
    return {"customer_id": CUSTOMERS.get(name, "C-0000"), "name": name}


def answer(request: Any) -> ToolCall | str:
    """The next call, or a text when nothing is left to do."""
    asked = request.asked
    results = [str(result.output) for message in request.messages for result in message.results]
    rng = random.Random(f"{asked}/{request.trial}")
    tools = {tool.name: tool for tool in request.prompt.tools}
    name = choose(asked, request.prompt.tools, request.prompt.system, rng)
    if name is None:
        return "I can tell you that without looking anything up."
    thinks = rng.random() < SENSIBLE
    looks_up = needs_lookup(tools[name]) or (thinks and "customer_id" in tools[name].parameters)
    if looks_up and not results:
        return ToolCall("find_customer", {"name": person(asked)})
    if len(results) > looks_up:
        return "Done."
    return ToolCall(name, arguments(tools[name], asked, results, rng))


def choose(asked: str, tools: Sequence[Tool], system: str, rng: random.Random) -> str | None:
    """The tool whose description has most of the request's words; None when too few, if the prompt allows that."""
    wanted = words(re.sub(r"'.*?'|\S*[@\d]\S*", " ", asked))
    claims = {tool.name: sentences(tool, excluded=False) for tool in tools}
    excluded = {tool.name: sentences(tool, excluded=True) for tool in tools}
    found_in = Counter(word for name in claims for word in claims[name] | excluded[name])
    weight = {word: math.log(1 + len(tools) / found_in[word]) for word in wanted if found_in[word]}
    score = {
        name: sum(
            weight.get(word, 0.0) * ((word in claims[name]) - (word in excluded[name])) for word in wanted
        )
        for name in claims
    }
    best = max(score.values())
    near = [name for name in sorted(score) if score[name] >= best - 0.1]
    chosen = rng.choice(near)
    fit = len(wanted & claims[chosen]) / max(1, len(wanted))
    if best <= 0 or ("no tool" in system.lower() and fit < ENOUGH):
        return None
    return otherwise_used(wanted, next(tool.description for tool in tools if tool.name == chosen)) or chosen


def otherwise_used(wanted: set[str], description: str) -> str:
    """The tool that a description names for requests without the words that it asks for; else empty."""
    rule = re.search(r"Only for requests that mention (.+?): otherwise use (\w+)", description)
    return rule[2] if rule and not wanted & words(rule[1]) else ""


def arguments(tool: Tool, asked: str, results: Sequence[str], rng: random.Random) -> dict[str, Any]:
    """Values for the parameters of a tool, in the form that their descriptions ask for."""
    return {name: value(name, schema, asked, results, rng) for name, schema in tool.parameters.items()}


def value(
    name: str, schema: Mapping[str, Any], asked: str, results: Sequence[str], rng: random.Random
) -> Any:
    text = str(schema.get("description", ""))
    sensible = rng.random() < SENSIBLE
    if name == "amount":
        euros = float(first(r"\d+\.\d\d", asked, "0"))
        return round(100 * euros) if "cent" in text or sensible else euros
    if name == "method":
        said = first(r"by (.+)$", asked, "post")
        listed = {
            word: choice for choice in schema.get("enum", ()) for word in words(choice.replace("_", " "))
        }
        fitting = [listed[word] for word in re.findall("[a-z]+", said.lower()) if word in listed]
        return fitting[0] if fitting else said.replace(" ", "_") if sensible else said
    if name == "customer_id":
        return first(r"C-\d{4}", " ".join(results), "C-1001")
    if name == "name":
        return person(asked)
    return first(PATTERNS.get(name, "'(.+?)'"), asked, asked)


def needs_lookup(tool: Tool) -> bool:
    """Whether the definition says that an id must be looked up first."""
    return "find_customer" in str(tool.parameters.get("customer_id", {}).get("description", ""))


def first(pattern: str, text: str, otherwise: str) -> str:
    return next(iter(re.findall(pattern, text)), otherwise)


def person(asked: str) -> str:
    return next((name for name in CUSTOMERS if name in asked), "")


def sentences(tool: Tool, *, excluded: bool) -> set[str]:
    """The words of what a tool says it is for, with its name; or of what it says it is not for."""
    parts = [
        part for part in re.split(r"(?<=\.)\s+", tool.description) if part.startswith("Not for") == excluded
    ]
    text = " ".join(part.partition(": use")[0] for part in parts)
    return words(text) | (set() if excluded else words(tool.name.replace("_", " ")))


def words(text: str) -> set[str]:
    found = re.findall(r"[a-z]+", text.lower())
    return {
        re.sub(r"(?:ing|ed|es|s)$", "", word) if len(word) > 4 else word for word in found if word not in STOP
    }


model = rc.scripted(answer, "shop")
