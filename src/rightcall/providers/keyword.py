"""`keyword:`: no model. Picks the tool that shares the most words with the request.

Arguments are extracted from the text using the schema: numbers, enums, quotations, names, dates. It guesses nothing:
values not in the text are omitted, even if required. Goldens that this baseline passes test very little.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from rightcall.providers.base import ModelReply, ModelRequest, Provider
from rightcall.records import Message, Tool, ToolCall, Usage
from rightcall.records.dialects.wire import output_text

if TYPE_CHECKING:
    from rightcall.providers.endpoint import ProviderOptions

LOAD_SKILL = "load_skill"
"""The tool by which RightCall's own loop offers skills."""

THRESHOLD = 2.0
"""Below this no tool is called: one word unique to a tool's name, or two of its description."""

_NAME_WEIGHT = 2.0
_TEXT_WEIGHT = 1.0

NO_TOOL_FITS = "No tool fits this request."


class KeywordProvider(Provider):
    """Lexical choice; the same request always has the same answer."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
        self.name = "keyword:"
        self._threshold = threshold
        self._index = ToolIndex(())

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> KeywordProvider:
        return cls()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One call, or none; after a tool's result, that result as the answer."""
        last = request.messages[-1] if request.messages else Message("user")
        if last.role == "tool":
            outputs = results_as_answer(output_text(result.output) for result in last.results)
            message = Message("assistant", outputs or last.content)
        else:
            message = self._answer(request)
        return ModelReply(message, Usage(cost_usd=0.0), model="keyword")

    def _answer(self, request: ModelRequest) -> Message:
        text = next((m.content for m in reversed(request.messages) if m.role == "user"), "")
        tools = request.prompt.tools
        if self._index.offered is not tools:  # those of a run stay the same
            self._index = ToolIndex(tuple(_choices(tools)), tools)
        tool = self._index.choose(text, self._threshold)
        call_id = f"call_{request.turn}_0"
        if tool is not None and tool.kind == "skill":
            return Message("assistant", calls=(ToolCall(LOAD_SKILL, {"name": tool.name}, call_id),))
        if tool is None or request.prompt.settings.tool_choice == "none":
            return Message("assistant", NO_TOOL_FITS)
        return Message("assistant", calls=(ToolCall(tool.name, extract(tool, text), call_id),))


def _choices(tools: Iterable[Tool]) -> Iterator[Tool]:
    """The tools; each skill in the catalogue of a loader counts as one, in place of the loader."""
    for tool in tools:
        names = tool.parameters.get("name", {}).get("enum") if tool.name == LOAD_SKILL else None
        if not isinstance(names, list):
            yield tool
            continue
        catalogue = dict(re.findall(r"(?m)^- (\S+): (.*)$", tool.description))
        yield from (Tool(str(name), catalogue.get(str(name), ""), kind="skill") for name in names)


def results_as_answer(outputs: Iterable[str]) -> str:
    return "\n".join(outputs)[:2000]


class ToolIndex:
    """The words of some tools."""

    def __init__(self, tools: tuple[Tool, ...], offered: tuple[Tool, ...] = ()) -> None:
        self.tools = tools
        self.offered = offered
        self._weights = [_weights(tool) for tool in tools]
        self._tools_with = Counter(chain.from_iterable(self._weights))

    def choose(self, text: str, threshold: float = THRESHOLD) -> Tool | None:
        """The tool that shares the most words with the text, weighted by rarity; ties go to the first."""
        text_words = set(words(text))
        scores = [
            math.fsum(weights[word] * self._rarity(word) for word in sorted(text_words & weights.keys()))
            for weights in self._weights
        ]
        best = max(scores, default=0.0)
        return self.tools[scores.index(best)] if best >= threshold else None

    def _rarity(self, word: str) -> float:
        """1 for a word of a single tool, falling to 0.5 for a word that all tools have."""
        tools = len(self.tools)
        return 1.0 if tools == 1 else 1.0 - 0.5 * math.log(self._tools_with[word]) / math.log(tools)


def _weights(tool: Tool) -> dict[str, float]:
    weights = dict.fromkeys(words(tool.description), _TEXT_WEIGHT)
    for name, schema in tool.parameters.items():
        choices = schema.get("enum") if isinstance(schema, dict) else None
        texts = [name, *(str(choice) for choice in choices or [] if isinstance(choices, list))]
        weights |= dict.fromkeys(chain.from_iterable(words(text) for text in texts), _TEXT_WEIGHT)
    return weights | dict.fromkeys(words(tool.name), _NAME_WEIGHT)


_CJK = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STOP_WORDS = """
a an and any are as at be by can could do does for from get give has have how i if in into is it its
let like make may me my need of on or our please should show some tell that the their them then there
these this to up use using want was we what when where which who why will with would you your
là và của cho tôi tại ở trong có không các những một này đó hãy xin với về từ đến được bao nhiêu gì nào
的 了 是 我 你 在 有 和 请 吗 什么 怎么 多少 一个 这 那 把 给 请问 帮我
"""
_STOP = frozenset(_STOP_WORDS.split())
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")


def words(text: str) -> list[str]:
    """Content words in order, lower case and without English endings; Chinese as pairs of characters."""
    stems: list[str] = []
    for run in _WORD.findall(_CAMEL.sub(" ", text)):
        if "\u3400" <= run[0] <= "\u9fff" or "\uf900" <= run[0] <= "\ufaff":
            stems += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        else:
            stems.append(stem(run.casefold()))
    return [word for word in stems if word not in _STOP]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without a common English ending, if enough is left to identify it."""
    if not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + ("y" if ending == "ies" else "")
    return word


_NUMBER = re.compile(r"(?<![\w.])[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])[-+]?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|“([^”]+)”|「([^」]+)」|《([^》]+)》")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"https?://[^\s\"'<>]+")
_PATH = re.compile(r"(?<![\w/])(?:~?/)?(?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,5}(?!\w)")
_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?|\d{1,2}/\d{1,2}/\d{4}"
    r"|\b(?:today|tomorrow|yesterday|tonight)\b|hôm nay|ngày mai|hôm qua|今天|明天|后天|昨天",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b(?=[\w-]*\d)[A-Za-z][\w-]*\b|(?<![\w.])\d+\b")
_NAME = re.compile(r"\b[^\W\d_a-zà-ỹ][\w'’-]*(?:\s+[^\W\d_a-zà-ỹ][\w'’-]*)*")
_CHINESE_OWNER = re.compile(r"([\u3400-\u9fff]{2,6}?)(?:今天|明天|后天|现在)?的")
_NOT = re.compile(r"\b(?:not|no|without|don't|never)\b|không|不", re.IGNORECASE)

_HINTS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (frozenset({"email", "mail"}), _EMAIL),
    (frozenset({"url", "link", "uri"}), _URL),
    (frozenset({"path", "file", "filename"}), _PATH),
    (frozenset({"date", "day", "when", "time"}), _DATE),
    (frozenset({"id", "code", "number"}), _CODE),
)


def extract(tool: Tool, text: str) -> dict[str, Any]:
    """Arguments for the tool, each place in the text used at most once; required parameters first."""
    needed = tool.input_schema.get("required")
    required = set(needed) if isinstance(needed, list) else set()
    taken: list[tuple[int, int]] = []
    arguments: dict[str, Any] = {}
    for name in sorted(tool.parameters, key=lambda name: name not in required):
        schema = tool.parameters[name]
        value = _value(name, schema if isinstance(schema, dict) else {}, text, taken, needed=name in required)
        if value is not None:
            arguments[name] = value
    return {name: arguments[name] for name in tool.parameters if name in arguments}


def _value(name: str, schema: dict[str, Any], text: str, taken: list[tuple[int, int]], needed: bool) -> Any:
    choices = schema.get("enum")
    if isinstance(choices, list):
        return _enum_value(choices, text)
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "integer" in kinds or "number" in kinds:
        return _number(name, text, taken, whole="number" not in kinds, needed=needed)
    if "boolean" in kinds:
        return _flag(name, text)
    if "array" in kinds:
        items = schema.get("items")
        return _several(items if isinstance(items, dict) else {}, text)
    return _string(name, schema, text, taken, needed=needed) if "string" in kinds or kind is None else None


def _enum_value(choices: list[Any], text: str) -> Any:
    """The enum value mentioned in the text; if several, the first."""
    text_stems = {stem(word) for word in words(text)}
    places = []
    for choice in choices:
        at = text.casefold().find(str(choice).casefold().replace("_", " "))
        if at >= 0 or (words(str(choice)) and set(words(str(choice))) <= text_stems):
            places.append((at if at >= 0 else len(text), -len(str(choice)), choice))
    return min(places, key=lambda place: place[:2])[2] if places else None


def _number(name: str, text: str, taken: list[tuple[int, int]], *, whole: bool, needed: bool) -> Any:
    """The number next to a word of the parameter's name, otherwise the next one, if the parameter is required."""
    free = [m for m in _NUMBER.finditer(text) if not _overlaps(m.span(), taken)]
    name_words = set(words(name))
    near = [m for m in free if name_words & set(words(text[max(0, m.start() - 20) : m.end() + 20]))]
    for match in near[:1] or (free[:1] if needed else []):
        number = float(match.group().replace(",", ""))
        if whole and number != int(number):
            continue
        taken.append(match.span())
        return int(number) if number == int(number) and "." not in match.group() else number
    return None


def _flag(name: str, text: str) -> bool | None:
    name_words = set(words(name))
    if not name_words or not name_words <= set(words(text)):
        return None
    return not _NOT.search(text)


def _several(items: dict[str, Any], text: str) -> list[Any] | None:
    if items.get("type") in ("integer", "number"):
        numbers = [float(m.group().replace(",", "")) for m in _NUMBER.finditer(text)]
        return [int(n) if n == int(n) else n for n in numbers] or None
    if isinstance(items.get("enum"), list):
        return [c for c in items["enum"] if str(c).casefold() in text.casefold()] or None
    quotations = [next(filter(None, m.groups())) for m in _QUOTED.finditer(text)]
    return quotations or None


def _string(
    name: str, schema: dict[str, Any], text: str, taken: list[tuple[int, int]], needed: bool
) -> str | None:
    about = {*words(name), *re.split(r"[_\W]+", name.casefold()), str(schema.get("format", "")).split("-")[0]}
    for hints, pattern in _HINTS:
        if about & hints:
            return _take_match(pattern, text, taken)
    if not needed:
        return None
    first_word = re.match(r"\s*\w+", text)  # always capitalised, so no name
    return (
        _take_match(_QUOTED, text, taken)
        or _take_match(_NAME, text, taken, start=first_word.end() if first_word else 0)
        or _take_match(_CHINESE_OWNER, text, taken)
    )


def _take_match(
    pattern: re.Pattern[str], text: str, taken: list[tuple[int, int]], start: int = 0
) -> str | None:
    for match in pattern.finditer(text, start):
        if not _overlaps(match.span(), taken):
            taken.append(match.span())
            return next((group for group in match.groups() if group), match.group())
    return None


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)
