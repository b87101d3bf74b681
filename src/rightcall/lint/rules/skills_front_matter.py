"""What a skill is chosen by, alone and among other skills, and what it is allowed."""

from __future__ import annotations

import re
from pathlib import Path

from rightcall.core.groups import group_by
from rightcall.core.text import first_names
from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.lint.rules.ambiguity import alike_by_second, confusion_text, contrast_hint

MOST_NAME = 64
MOST_DESCRIPTION = 1024
LATIN_SHARE = 0.8
ENGLISH = frozenset(("the", "and", "with", "for", "of", "to", "from", "or", "by"))
"""One of these words is in nearly every English description: other languages are not judged."""
KNOWN_FIELDS = frozenset(
    ("name", "description", "license", "compatibility", "metadata", "allowed-tools", "version", "model", "context",
     "agent", "hooks", "argument-hint", "arguments", "user-invocable", "disable-model-invocation", "when_to_use",
     "effort", "paths", "shell")
)  # fmt: skip
"""Keys of the published format, and of its clients."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_OPEN = re.compile(r"(?:\*|Bash(?:\((?:\*|:\*|\*:\*)?\))?)\Z")
_TRIGGER = re.compile(
    r"\bwhen(?:ever)?\b|\btrigger|\bunless\b|\bbefore\b|\bdo not use\b|\bif (?:the |a )?(?:user|you|asked|someone)\b|\bafter \w+ing\b"
    r"|\b(?:use[ds]?|using|invoke[ds]?|activate[sd]?|apply|load|consult|call|run|read) (?:this|it|for|to|before|after|if"
    r"|during|while|as|on|with|in|at|only|proactively|immediately|automatically|the skill)\b|\bmust be used\b"
    r"|\b(?:suitable|designed|intended|ideal|preferred|useful|helpful|great|best|perfect|built|made) (?:for|to)\b"
    r"|\b(?:required|needed|necessary) (?:for|to)\b|, for [a-z]|\buse \S+ (?:for|instead)\b|\bhelps? (?:you |users? )?"
    r"(?:to |with )?[a-z]|\bfor (?:any|all|every|users?|tasks?|questions?|requests?|work|working)\b"
    r"|\bon (?:any|every|mention)|\bcovers (?:requests|questions|tasks)\b|\basks? (?:to|for|about)\b|\bwants? to\b"
    r"|\bneeds? to\b|\bwhile\b|\bduring\b|\buse cases?\b"
)


@tool_rule("SK101", "error", sources=("SKILLS",))
def front_matter(tool: ToolFeatures) -> Findings:
    r"""No front matter, or one that is not YAML.

    Clients skip a skill whose front matter they cannot read, without a word. The usual fault is a colon inside an
    unquoted description. What can be read line by line is checked all the same.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Weather: forecasts of a city. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    """
    folder = tool.folder
    if folder.problem:
        yield Finding(
            (), folder.problem, "save it as a UTF-8 text file of at most 1 MiB in the skill's folder"
        )
    elif folder.text.problem:
        yield Finding(
            (), folder.text.problem, "begin with ---, name, description, ---; quote texts with a colon",
            line=folder.text.problem_line,
        )  # fmt: skip


@tool_rule("SK102", "error", sources=("SKILLS",))
def skill_name(tool: ToolFeatures) -> Findings:
    r"""The name is missing, longer than 64 characters, or has characters other than a–z, 0–9 and single hyphens.

    A warning if it differs from the name of the folder: clients list a skill under the one and look for its files under
    the other.

    Fails: {"SKILL.md": "---\nname: Weather_Forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    """
    text = tool.folder.text
    if not tool.is_readable:
        return
    if not text.name:
        yield Finding(("name",), "the skill has no name", f"add name: {tool.folder.path.name}")
    elif len(text.name) > MOST_NAME or not _NAME.fullmatch(text.name):
        length = f"{len(text.name)} characters, at most {MOST_NAME}"
        why = length if len(text.name) > MOST_NAME else "a–z, 0–9 and single hyphens only"
        message = f"the name '{excerpt(text.name, 70)}' is refused: {why}"
        yield Finding(("name",), message, "rename the skill and its folder")
    elif tool.folder.path != tool.folder.root and text.name != tool.folder.path.name:
        message = f"the name '{text.name}' differs from the folder '{tool.folder.path.name}'"
        yield Finding(("name",), message, "rename one of them", severity="warning")


@tool_rule("SK103", "error", sources=("SKILLS",))
def skill_description(tool: ToolFeatures) -> Findings:
    r"""The description is missing, or longer than 1,024 characters.

    It is all that a model sees before it loads the skill. Clients cut a longer one or skip the skill.

    Fails: {"SKILL.md": "---\nname: forecast\nlicense: MIT\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    """
    length = len(tool.folder.text.description)
    if not length and tool.is_readable:
        hint = "say what it does, and when to use it"
        yield Finding(("description",), "the skill has no description", hint)
    elif length > MOST_DESCRIPTION and tool.is_readable:
        limit = f"at most {MOST_DESCRIPTION:,}: clients cut the rest or skip the skill"
        yield Finding(
            ("description",), f"{length:,} characters, {limit}", "keep what it does and when to use it"
        )


@tool_rule("SK104", "info", sources=("SKILLS",))
def no_trigger(tool: ToolFeatures) -> Findings:
    r"""Nothing in the description says when to use the skill.

    “Use when …”, “when the user …”, a purpose or a contrast with another skill is what a model chooses by. Only English
    texts are judged.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Daily weather data of a city, one entry a day, from a public service.\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    """
    if not tool.description or _TRIGGER.search(tool.lower):
        return
    letters = [character for character in tool.description if character.isalpha()]
    latin = sum(character < "\u0250" for character in letters)
    is_english = not ENGLISH.isdisjoint(tool.words)
    if letters and is_english and latin > LATIN_SHARE * len(letters):
        yield Finding(("description",), "does not say when to use the skill", "add “Use when …”")


@tool_rule("SK109", "info", sources=("SKILLS",))
def unknown_field(tool: ToolFeatures) -> Findings:
    r"""A key of the front matter that no known client reads.

    It is often a misspelt one. Keep data of your own under `metadata`.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\nallowed_tools: Read\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    """
    text = tool.folder.text
    unknown = [key for key in text.fields if key not in KNOWN_FIELDS]
    if unknown and not text.problem:
        names = ", ".join(excerpt(key, 40) for key in unknown[:4])
        hint = "correct its name, or move it under metadata"
        yield Finding(
            ("fields",), f"unknown in the front matter: {names}", hint, line=text.key_lines.get(unknown[0], 1)
        )


@tool_rule("SK110", "warning", sources=("SKILLS",))
def open_permission(tool: ToolFeatures) -> Findings:
    r"""`allowed-tools` allows every command: bare `Bash`, `Bash(*)` or `*`.

    What is listed there runs without asking, for as long as the skill is loaded. Name the commands that it needs.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\nallowed-tools: Read, Bash\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    Passes: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\nallowed-tools: Read, Bash(curl:*)\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    """
    text = tool.folder.text
    opened = [word for word in text.allowed_tools if _OPEN.match(word)]
    if opened:
        message = f"allowed-tools: {opened[0]} lets any command run without asking"
        yield Finding(("allowed-tools",), message, "list commands: Bash(git:*)")


FAMILY = 20
"""Skills from which on one text with other names is a family: one finding, not one for each pair."""
_WORD = re.compile(r"\w+")


@set_rule("SK115", "warning", sources=("TSC", "SM2"))
def skill_overlap(tools: SetFeatures) -> SetFindings:
    r"""Two skills, or a skill and a tool, are easily confused by their descriptions.

    The score is that of confusable-pair: from 0.70 on an info, from 0.90 a warning. A model loads one of the two, and
    which one is chance.

    Fails: [
      {"folder": "city-forecast", "SKILL.md": "---\nname: city-forecast\ndescription: Reports the daily weather forecast of one city, one entry a day. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"},
      {"folder": "town-forecast", "SKILL.md": "---\nname: town-forecast\ndescription: Reports the daily weather forecast of one town, one entry a day. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the town and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    ]
    """
    relatives = families(tools)
    strangers = (
        pair
        for pair in tools.pairs
        if (pair.first.is_skill or pair.second.is_skill)
        and relatives.get(pair.first.name, 0) != relatives.get(pair.second.name, -1)
    )
    for pairs in alike_by_second(strangers):
        worst = pairs[0]
        yield worst.second, Finding(
            ("description",), confusion_text(pairs), contrast_hint(worst),
            severity="warning" if worst.score >= LIKELY else "info",
            others=tuple(pair.first.name for pair in pairs),
        )  # fmt: skip


@set_rule("SK116", "error", sources=("SKILLS",))
def same_name(tools: SetFeatures) -> SetFindings:
    r"""Two folders below one place hold skills of one name.

    Clients load one of them, and which one depends on the client. An info if they are in different folders called
    `skills`, as copies for several clients are.

    Fails: [
      {"folder": "a/forecast"},
      {"folder": "b/forecast", "SKILL.md": "---\nname: forecast\ndescription: Tide tables of harbours. Use when the user asks when the water is high.\n---\n# Tides\n\nAsk for the harbour and the date, look up the table of that month, and report both high waters with their heights above datum.\n"}
    ]
    """
    skills = (tool for tool in tools.tools if tool.is_skill)
    for name, same in group_by(skills, lambda tool: tool.name).items():
        for at, tool in enumerate(same[1:], start=1):
            twin = next((other for other in same[:at] if _scope(other) == _scope(tool)), None)
            message = f"a skill named '{name}' is also in {(twin or same[0]).folder.path}"
            yield tool, Finding(
                ("name",), message, "rename one, with its folder", severity=None if twin else "info",
                others=(name,), line=tool.folder.text.key_lines.get("description", 1),
            )  # fmt: skip


def _scope(tool: ToolFeatures) -> Path:
    """The folder that a client searches: the nearest one above the skill that is called `skills`, or the named one."""
    above = [folder for folder in tool.folder.path.parents if folder.name == "skills"]
    return above[0] if above else tool.folder.root


def _forecasts(count: int) -> list[dict[str, str]]:
    """Skills that differ by one name only, as an example."""
    towns = [
        f"{first}{second}"
        for first in ("lo", "mi", "ra", "su", "te")
        for second in ("den", "gan", "lia", "nor")
    ]
    return [
        {"folder": f"forecast-{town}", "SKILL.md": f"---\nname: forecast-{town}\ndescription: Forecasts of {town.title()}. "
         f"Use when the user asks about coming days in {town.title()}.\n---\n# {town.title()}\n\nAsk for the number of days, "
         f"then call the forecast service of {town} and report one line for each day, with its source and its time.\n"}
        for town in towns[:count]
    ]  # fmt: skip


@set_rule("SK117", "info", bad=_forecasts(20), good=_forecasts(2), sources=("measured",))
def skill_family(tools: SetFeatures) -> SetFindings:
    """Twenty or more skills whose descriptions differ only by names.

    A generated set: it fills the catalogue in every request, and the model chooses by one word. One skill with a table of
    names does the same. Pairs inside a family are not reported one by one.
    """
    relatives = families(tools)
    members = (tool for tool in tools.tools if tool.name in relatives)
    for family in group_by(members, lambda tool: relatives[tool.name]).values():
        names = first_names([tool.name for tool in family], 3)
        message = f"{len(family)} skills differ only by names: {names}"
        yield family[0], Finding(("description",), message, "make one skill of them, with a table of names")


def families(tools: SetFeatures) -> dict[str, int]:
    """Skills by the number of their family: those with one text once the words of their names are left out."""
    if sum(tool.is_skill for tool in tools.tools) < FAMILY:
        return {}
    frames = group_by((tool for tool in tools.tools if tool.is_skill and tool.description), _frame)
    large = [family for family in frames.values() if len(family) >= FAMILY]
    return {tool.name: number for number, family in enumerate(large, start=1) for tool in family}


def _frame(tool: ToolFeatures) -> str:
    """The description without the words of the name, and without capitalized words inside sentences."""
    own = set(tool.name_tokens)
    words = _WORD.findall(tool.description)
    kept = [
        word.lower()
        for at, word in enumerate(words)
        if word.lower() not in own and not (at and word[:1].isupper())
    ]
    return " ".join(kept)
