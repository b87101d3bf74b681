"""What is loaded with a skill, and the files that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from rightcall.core.text import first_names, pluralize
from rightcall.lint.features.skill import SkillView, code_spans, without_code_spans
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule

MOST_LINES = 500
MOST_TOKENS = 5000
LEAST_WORDS = 20
BUILT_IN = ("Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "WebSearch", "NotebookEdit", "Task")


@tool_rule("SK106", "warning", sources=("SKILLS",))
def empty_body(tool: ToolFeatures) -> Findings:
    r"""The body has fewer than 20 words.

    A model that loads the skill learns no more than the description said.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\n---\n# Forecast\n"}
    """
    if not tool.is_readable or tool.folder.text.problem:
        return
    text = tool.skill.body
    count = len(text.split())
    scripts = sum(character > "\u2e7f" for character in text)  # scripts that separate no words
    if count < LEAST_WORDS and scripts < 2 * LEAST_WORDS:
        message = f"the body has {pluralize(count, 'word')}" if count else "the body is empty"
        yield Finding(("body",), message, "say how to do it, step by step", line=tool.skill.text.body_line)


FOLDERS = ("scripts", "references", "assets")
_LINK = re.compile(r"(?<!!)\[[^\]\n]{0,500}\]\(\s{0,500}<?([^)\s>]+)")
_PATH = re.compile(rf"(?<![\w./~$}}-])(?:\./)?((?:{'|'.join(FOLDERS)})/[\w./-]*\w)(?![\w*{{<\[$-])")
_OUTSIDE = re.compile(r"\.\./[\w./-]+\.\w{1,5}\Z")
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:|[#/?]|www\.")
_UNSURE = re.compile(r"\be\.g\.|\bexamples?\b|\bsuch as\b|\bcould\b|\btemplates?\b|\bfor instance\b|\bif (?:it|they) exists?\b", re.IGNORECASE)  # fmt: skip
_PLACEHOLDER = re.compile(
    r"[<>{}$*\[\]|]|\.\.\.|…|\b(?:your|my|path|file|filename|name|url|link|xxx?|foo|bar|related)\b",
    re.IGNORECASE,
)


class FileReference(NamedTuple):
    """A path that the body names, and where. `link`: as a Markdown link, not in a code span."""

    path: str
    line: int
    link: bool


@tool_rule("SK107", "warning", sources=("SKILLS",))
def broken_reference(tool: ToolFeatures) -> Findings:
    r"""The body refers to a file that does not exist.

    A Markdown link to a missing file, or a path below `scripts/`, `references/` or `assets/` in a code span. An info if
    that folder has no file at all, because it may be made later, and in a skill about skills. Fences, placeholders and lines that give an example are left
    out.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the city and the number of days, then read [the codes](references/codes.md) and report one line for each day, with its source.\n"}
    """
    missing = [
        reference
        for reference in references_in(tool.skill)
        if not reference.path.startswith("../") and not _exists(reference.path, tool.skill)
    ]
    if not missing:
        return
    teaches = not tool.name_words.isdisjoint(("skill", "skills"))  # what it names are files of other skills
    folders = {name.partition("/")[0] for name in tool.skill.file_names if "/" in name}
    certain = [
        reference
        for reference in missing
        if not teaches and (reference.link or reference.path.partition("/")[0] in folders)
    ]
    names = first_names(list(dict.fromkeys(reference.path for reference in certain or missing)), 3)
    yield Finding(
        ("references",), f"refers to missing files: {names}", "add them, or correct the path",
        severity=None if certain else "info", line=(certain or missing)[0].line,
    )  # fmt: skip


@tool_rule("SK108", "warning", sources=("SKILLS",))
def outside_reference(tool: ToolFeatures) -> Findings:
    r"""The body refers to a file outside the skill's folder.

    It breaks when the skill is installed alone. Clients copy the folder and nothing else.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the city and the number of days, then follow [the style](../shared/style.md) and report one line for each day, with its source.\n"}
    """
    outside = [reference for reference in references_in(tool.skill) if reference.path.startswith("../")]
    if outside:
        names = first_names(list(dict.fromkeys(reference.path for reference in outside)), 3)
        message = f"refers outside its folder: {names}"
        yield Finding(
            ("references", "outside"), message, "copy the file into the skill", line=outside[0].line
        )


def references_in(skill: SkillView) -> Iterator[FileReference]:
    """The paths that the body names, outside fences and examples."""
    for number, line in skill.prose:
        if ("/" not in line and "](" not in line) or _UNSURE.search(line):
            continue
        for match in _LINK.finditer(without_code_spans(line)):
            path = unquote(match[1]).partition("#")[0].partition("?")[0].removeprefix("./")
            if path and not _SCHEME.match(path) and not _PLACEHOLDER.search(path) and _is_path(path):
                yield FileReference(path, number, link=True)
        for text in (text.strip() for _, _, text in code_spans(line)):
            if _OUTSIDE.match(text) and not _PLACEHOLDER.search(text.replace("-", " ")):
                yield FileReference(text, number, link=False)
            for path in _PATH.findall(text):
                if not _PLACEHOLDER.search(path) and _is_path(path):
                    yield FileReference(path, number, link=False)


def _is_path(path: str) -> bool:
    last = path.rpartition("/")[2]
    return path.endswith("/") or bool(re.search(r"\.\w{1,5}\Z", last))


def _exists(path: str, skill: SkillView) -> bool:
    plain = path.rstrip("/")
    names = skill.file_names
    if plain in names or plain == "SKILL.md" or plain in (".", ""):
        return True
    return ".." not in plain.split("/") and (skill.path / plain).exists()  # a folder, or a nested skill
