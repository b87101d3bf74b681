"""What a skill is chosen by, and what it is allowed."""

from __future__ import annotations

import re

from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule

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
