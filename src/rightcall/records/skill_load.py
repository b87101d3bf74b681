"""Loading a skill as a call: the written forms of all clients, read as one normal form.

A call that loads a skill becomes a call of the skill's name without arguments; what the model wrote is in
`notes["written"]`. Only a call that did not fail loads, by its status or by what its result says, and only a skill of
the suite is loaded: everything else stays an ordinary call. docs/skills.md has the table of written forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from rightcall.core.lazy_pattern import lazy_pattern
from rightcall.records.call import ToolCall
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory

CallForm = Literal["loader", "resource", "read", "shell", "other"]
"""What a tool's name says about calls of it."""

_LOADER = re.compile(r"skill|(?:.*(?<!un)_)?(?:load_skill|activate_skill|load_capability)")
_RESOURCE = re.compile(r"(?:.*_)?load_skill_resource")
"""Names of loaders, in small letters; a toolset of Google ADK may write a prefix before them."""
NAMED_PREFIX = "skill__"
"""Claude Agent SDK may offer a skill as a tool of this prefix and its name: `:` as `__`, other characters as `_`."""
NAME_KEYS = ("skill", "skill_name", "name", "command", "capability", "capability_name", "id")
"""Arguments in which loaders take the name of a skill, the most telling first."""

SHELL_WORDS = frozenset(
    ("bash", "shell", "sh", "zsh", "terminal", "powershell", "pwsh", "exec", "command", "cmd", "execute")
)
READ_WORDS = frozenset(
    ("read", "open", "view", "cat", "load", "get", "fetch", "show", "head", "tail", "file", "retrieve")
)
OTHER_WORDS = frozenset(
    ("grep", "glob", "ls", "list", "search", "find", "write", "edit", "create", "delete", "remove", "move", "rename",
     "copy", "append", "patch", "replace", "update", "insert", "upload", "put", "save", "touch", "stat", "exists",
     "info", "watch", "tree")
)  # fmt: skip
"""Words of tools that look for files, or change them: a path in their arguments is not read."""

READERS = frozenset(("cat", "head", "tail", "less", "more", "bat", "batcat", "type", "get-content", "gc"))
"""Programs of a shell that show a file; `sed -n` does, too."""
SHELLS = frozenset(("bash", "sh", "zsh", "dash", "powershell", "pwsh", "cmd"))

FILE_NAME = "SKILL.md"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SKILL_PATH = re.compile(r"(?:^|[/\\])([^/\\]+)[/\\]SKILL\.md\Z")
_TOKENS = re.compile(r""""([^"]*)"|'([^']*)'|(&&|\|\||[;|&\n]|\d?>>?|<+)|([^\s;&|<>"']+)""")
_NOT_IN_TOOL_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class SkillCall(NamedTuple):
    """A call as skills see it: it loads the skill, or reads another `file` of it. `plugin` is a prefix of the name."""

    skill: str
    loaded_by: Literal["tool", "read"]
    file: str = ""
    plugin: str = ""


class SkillIndex:
    """The skills of a suite, by name and by the name of their folder."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = {tool.name: tool for tool in tools.values() if tool.kind == "skill"}
        folders = {
            tool.skill.folder.rpartition("/")[2]: name for name, tool in self.tools.items() if tool.skill
        }
        self._by_tool_name = {_NOT_IN_TOOL_NAMES.sub("_", name): name for name in self.tools}
        self.by_folder = {**folders, **{name: name for name in self.tools}}
        self.files = {
            name: frozenset(file.path for file in tool.skill.files) if tool.skill else frozenset[str]()
            for name, tool in self.tools.items()
        }

    def skill_call(self, call: ToolCall) -> SkillCall | None:
        """What the call does with a skill; None when it is an ordinary call, or failed."""
        if call.status == "error" or (call.approval is not None and call.approval.decision == "rejected"):
            return None
        skill_call = self._skill_call(call)
        if skill_call and not skill_call.file and refuses_load(call.output, self.tools[skill_call.skill]):
            return None
        return skill_call

    def _skill_call(self, call: ToolCall) -> SkillCall | None:
        if call.name in self.tools:
            return self._by_name(call.name)
        if call.name.startswith(NAMED_PREFIX):
            return self._by_tool(call.name.removeprefix(NAMED_PREFIX))
        form = call_form(call.name)
        arguments = call.arguments
        if form == "other" and arguments and arguments.get("command") == "view":
            form = "read"  # an editor whose command is to show a file
        if form == "other" or not arguments:
            return None
        if form in ("shell", "read"):
            return self._of_paths(_shell_paths(arguments) if form == "shell" else _path_leaves(arguments))
        load = self._by_name(_name_argument(arguments))
        return load._replace(file=_file_argument(arguments)) if load and form == "resource" else load

    def _by_name(self, text: str) -> SkillCall | None:
        plugin, _, name = text.strip().lstrip("/$").rpartition(":")
        return SkillCall(name, "tool", plugin=plugin) if name in self.tools else None

    def _by_tool(self, text: str) -> SkillCall | None:
        parts = text.split("__")
        for at in range(len(parts)):  # the longest name first
            if name := self._by_tool_name.get("__".join(parts[at:])):
                return SkillCall(name, "tool", plugin=":".join(parts[:at]))
        return None

    def _of_paths(self, paths: list[str]) -> SkillCall | None:
        """The one skill that paths name: its `SKILL.md` before another of its files."""
        loads = {name: None for path in paths if (name := self._skill_at(path))}
        if loads:
            return SkillCall(next(iter(loads)), "read") if len(loads) == 1 else None
        files = set(chain.from_iterable(self._files_in(path) for path in paths))
        if not files or len({name for name, _ in files}) > 1:
            return None
        name, file = min(files)
        return SkillCall(name, "read", file)

    def _skill_at(self, path: str) -> str:
        match = _SKILL_PATH.search(path)
        return self.by_folder.get(match[1], "") if match else ""

    def _files_in(self, path: str) -> Iterator[tuple[str, str]]:
        parts = path.replace("\\", "/").split("/")
        for at, part in enumerate(parts[:-1]):
            name = self.by_folder.get(part)
            if name is not None and "/".join(parts[at + 1 :]) in self.files[name]:
                yield name, "/".join(parts[at + 1 :])


def with_skill_calls(trajectory: Trajectory, index: SkillIndex) -> Trajectory:
    """The trajectory with loads in their normal form, at the same places; the same object when there is none."""
    calls = list[ToolCall]()
    loaded = set[str]()
    for call in trajectory.calls:
        if "written" in call.notes or "skill_file" in call.notes:  # read before
            loaded.update({call.name} & index.tools.keys())
            calls.append(call)
            continue
        skill_call = index.skill_call(call)
        normal = skill_call is not None and call.name in index.tools and not call.arguments
        if skill_call is None or (normal and call.name not in loaded):
            calls.append(call)
        else:
            calls.append(_normal_form(call, skill_call, loaded))
        if skill_call is not None and not skill_call.file:
            loaded.add(skill_call.skill)
    if all(new is old for new, old in zip(calls, trajectory.calls, strict=True)):
        return trajectory
    return replace(trajectory, calls=tuple(calls))


def _normal_form(call: ToolCall, skill_call: SkillCall, loaded: set[str]) -> ToolCall:
    if skill_call.file:
        file = {"skill": skill_call.skill, "path": skill_call.file}
        return replace(call, notes={**call.notes, "skill_file": file}, kind="plumbing")
    notes: dict[str, Any] = {**call.notes, "written": {"name": call.name, "arguments": call.arguments}}
    notes["loaded_by"] = skill_call.loaded_by
    if skill_call.plugin:
        notes["plugin"] = skill_call.plugin
    kind = "plumbing" if skill_call.skill in loaded else call.kind
    return replace(call, name=skill_call.skill, arguments={}, raw=None, notes=notes, kind=kind)


@lru_cache(maxsize=4096)
def call_form(name: str) -> CallForm:
    """What calls of a tool can do with a skill, by the words of its name; a server's prefix is left out."""
    last = re.split(r"__|[.:/]", name)[-1]
    plain = "_".join(_WORD.findall(last)).lower()
    if _LOADER.fullmatch(plain):
        return "loader"
    if _RESOURCE.fullmatch(plain):
        return "resource"
    words = plain.split("_")
    if not OTHER_WORDS.isdisjoint(words):
        return "other"
    if not SHELL_WORDS.isdisjoint(words):
        return "shell"
    return "read" if not READ_WORDS.isdisjoint(words) else "other"


def can_load(tools: Mapping[str, Tool]) -> bool:
    """Whether any tool that is no skill can load one: a loader, a reader of files, a shell."""
    return any(
        call_form(tool.name) in ("loader", "read", "shell")
        or tool.name.startswith(NAMED_PREFIX)
        or "view" in str(tool.parameters.get("command", ""))
        for tool in tools.values()
        if tool.kind == "tool"
    )


def _name_argument(arguments: Mapping[str, Any]) -> str:
    for key in NAME_KEYS:
        if isinstance(value := arguments.get(key), str):
            return value
    texts = [value for value in arguments.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else ""


def _file_argument(arguments: Mapping[str, Any]) -> str:
    """The file that a resource loader reads; whatever it is, the call reads a file of the skill."""
    others = [value for key, value in arguments.items() if key not in NAME_KEYS and isinstance(value, str)]
    return others[0] if others else "?"


def _path_leaves(arguments: Mapping[str, Any]) -> list[str]:
    return [text for text in text_leaves(arguments) if ("/" in text or "\\" in text) and "\n" not in text]


def _shell_paths(arguments: Mapping[str, Any]) -> list[str]:
    """The paths that the commands of a shell call show, of all programs that show files."""
    words = next((value for value in arguments.values() if isinstance(value, list)), None)
    if words is not None and words and all(isinstance(word, str) for word in words):
        return _paths_in_result([(word, False) for word in words])
    return list(chain.from_iterable(_paths_in_command(text) for text in text_leaves(arguments)))


def _paths_in_command(text: str) -> list[str]:
    if "/" not in text and "\\" not in text and FILE_NAME not in text:
        return []
    if f"\\{FILE_NAME}" in text:
        text = text.replace("\\", "/")  # a path of Windows, not an escape
    tokens = [
        (double or single or separator or word, bool(separator))
        for double, single, separator, word in _TOKENS.findall(text)
    ]
    return _paths_in_result(tokens)


def _paths_in_result(tokens: list[tuple[str, bool]]) -> list[str]:
    """The paths after programs that show files. A token is a word, or a separator between commands."""
    paths = list[str]()
    folder = ""
    for words in _commands(tokens):
        program = words[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
        if program == "cd" and len(words) > 1:
            folder = words[1].rstrip("/") + "/"
        elif program in SHELLS:
            paths += list(chain.from_iterable(_paths_in_command(word) for word in words[1:] if " " in word))
        elif program in READERS or (program == "sed" and "-n" in words):
            paths += [word if "/" in word or "\\" in word else folder + word for word in words[1:]]
    return paths


def _commands(tokens: list[tuple[str, bool]]) -> Iterator[list[str]]:
    """The words of each simple command, without assignments, `sudo` and what is redirected into."""
    words = list[str]()
    skip = False
    for text, separates in tokens:
        if separates and text.lstrip("0123456789")[:1] in "<>":
            skip = ">" in text
        elif separates:
            if words:
                yield words
            words = []
            skip = False
        elif skip:
            skip = False
        elif words or not (_ASSIGNMENT.match(text) or text in ("sudo", "command", "exec")):
            words.append(text)
    if words:
        yield words


MOST_CHARACTERS = 2000
"""A longer result is a file, whatever it says."""
TELLING = 12
"""Lines of a body that are shorter occur elsewhere, too."""
MOST_LEAVES = 200

_REFUSAL = lazy_pattern(
    r"""\A\s*(?:\{\s*"error"|error\b)
    | no[ ]such[ ]file | unknown[ ]skill | not[ ]found | (?:does[ ]not|doesn't)[ ]exist | is[ ]a[ ]directory
    | (?:cannot|can't|could[ ]not|couldn't|unable[ ]to)[ ](?:be[ ])?(?:find|found|open|read|access|load)
    | (?:permission|access[ ]is|access)[ ]denied
    | \bexit(?:ed[ ]with)?[ _]?(?:code|status)["']?[ :=]+[1-9]""",
    re.IGNORECASE | re.VERBOSE,
)


def refuses_load(output: Any, skill: Tool) -> bool:
    """Whether a result says that it could not be read, and shows nothing of the skill."""
    if isinstance(output, Mapping) and output.get("error"):
        return True
    text = "\n".join(text_leaves(output))
    return len(text) <= MOST_CHARACTERS and bool(_REFUSAL.search(text)) and not _shows(text, skill)


def _shows(text: str, skill: Tool) -> bool:
    body = skill.skill.body if skill.skill else ""
    lines = (line.strip() for line in (*skill.description.splitlines(), *body.splitlines()))
    return any(len(line) >= TELLING and line in text for line in lines)


def text_leaves(value: Any) -> list[str]:
    """The strings inside a value, at most `MOST_LEAVES`."""
    texts = list[str]()
    pending = [value]
    while pending and len(texts) < MOST_LEAVES:
        item = pending.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, Mapping):
            pending += reversed(list(item.values()))
        elif isinstance(item, list | tuple):
            pending += reversed(item)
    return texts


LEAST = 200
"""Consecutive characters of a body, white space folded, that show that it was injected."""
BLOCK = LEAST // 2
"""Any run of `LEAST` characters contains one whole block of this size that begins at a multiple of it."""

_NAMED = re.compile(r"(?:\A|\n)\s*(?:<command-name>)?[/$]([A-Za-z0-9][\w:-]*)(?=[\s<.,]|\Z)")


def first_texts(trajectory: Trajectory, system: str | None = None) -> list[str]:
    """What the agent was told before its first answer: system texts and messages of the user."""
    texts = [system] if system else []
    for message in trajectory.messages:
        if message.role == "assistant":
            break
        if message.role in ("system", "user"):
            texts.append(message.content)
    return texts


def skills_named_by_user(texts: list[str]) -> Iterator[str]:
    """The names that users write to load a skill themselves: `/pdf`, `$pdf`."""
    for text in texts:
        if "/" in text or "$" in text:
            for match in _NAMED.finditer(text):
                yield match[1].rpartition(":")[2]


def contains_body(texts: list[str], body: str) -> bool:
    """Whether a text contains at least `LEAST` consecutive characters of a body."""
    if len(body) < LEAST or not any(len(text) >= LEAST for text in texts):
        return False
    folded = fold(body)
    return any(_overlaps(fold(text), folded) for text in texts if len(text) >= LEAST)


@lru_cache(maxsize=256)
def fold(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


@lru_cache(maxsize=256)
def _overlaps(text: str, body: str) -> bool:
    last = len(body) - LEAST
    return any(
        body[block : block + BLOCK] in text
        and any(body[at : at + LEAST] in text for at in range(max(0, block - BLOCK), min(block, last) + 1))
        for block in range(0, len(body) - BLOCK + 1, BLOCK)
    )
