"""Names of tools and of their parameters, alone and together."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

from rightcall.core.groups import group_by
from rightcall.core.words import name_tokens, stem
from rightcall.lint.features.mentions import ACRONYMS, GENERIC_NAME_TOKENS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.effects import EFFECTS
from rightcall.schema.provider_limits import lower_limits, provider

_PORTABLE = re.compile(r"[A-Za-z0-9_-]+")
_ASCII = re.compile(r"[\x20-\x7e]*")

PORTABLE = 64
LONGEST = 128
OFTEN = 3
"""Names from which on a generic word is the thing that a set of tools is about."""


@tool_rule(
    "TD101", "warning", fix="suggested", targets=("mcp",), sources=("ANT-def", "OAI-sdk", "BED", "GEM", "MCP")
)
def name_charset(tool: ToolFeatures) -> Findings:
    """The name has characters outside `A-Z a-z 0-9 _ -`.

    Letters, digits, underscore and hyphen are what every provider accepts; a dot or a space makes the request
    fail with some of them. An error when a target provider rejects the name.

    Fails: {"name": "weather.get forecast"}
    Passes: {"name": "get_forecast"}
    """
    name = tool.name
    if _PORTABLE.fullmatch(name) and (name[0] not in "-0123456789" or "gemini" not in tool.targets):
        return
    if not _ASCII.fullmatch(name):
        return  # homoglyph and hidden-unicode say it better
    if not name:
        yield Finding(
            ("name",), "the tool has no name", "name it for what it does: get_weather", severity="error"
        )
        return
    portable = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-") or "tool"
    refusing = sorted(target for target in tool.targets if not re.fullmatch(provider(target).name, name))
    strange = "".join(sorted(set(re.sub(r"[A-Za-z0-9_-]", "", name))))
    where = f"rejected by {', '.join(refusing)}" if refusing else "rejected by some providers"
    yield Finding(
        ("name",),
        f"'{name}' has {strange!r}, {where}" if strange else f"'{name}' starts with {name[0]!r}, {where}",
        f"use letters, digits, _ and -: {portable}",
        severity="error" if refusing else "warning",
        edits=(Edit(("name",), portable),) if portable != name else (),
    )


@set_rule("TD102", "warning", targets=("anthropic",), sources=("OAI-sdk", "BED", "ANT-def", "GEM", "MCP"))
def name_length(tools: SetFeatures) -> SetFindings:
    """The name is longer than 64 characters (128: error), counted with the client's prefix.

    OpenAI and Bedrock accept 64 characters, Anthropic, Gemini and MCP 128. Clients that aggregate MCP servers
    put a prefix such as `mcp__github__` before every name: configure it as `prefix` and it is counted.

    Fails: {"name": "get_forecast_for_one_city_of_the_world_for_the_coming_days_with_wind_and_rain"}
    Passes: {"name": "get_forecast"}
    """
    for tool in tools.tools:
        length = len(tools.config.prefix) + len(tool.name)
        if length <= PORTABLE:
            continue
        refusing = lower_limits(tool.targets, "characters of a name", length)
        with_prefix = f" with the prefix {tools.config.prefix}" if tools.config.prefix else ""
        limit = next(iter(refusing.values()), PORTABLE)
        who = ", ".join(refusing) if refusing else "some providers"
        error = bool(refusing) or length > LONGEST
        yield Finding(
            ("name",),
            f"{length} characters{with_prefix}, {who} accept {limit}",
            "shorten it; details belong in the description",
            severity="error" if error else "warning",
        ).of(tool)


@set_rule("TD103", "warning", sources=("OAI-fc", "ANT-eng"))
def generic_name(tools: SetFeatures) -> SetFindings:
    """Every word of the name is generic: `process_data`, `run`, `get_info`.

    The name is the first thing a model compares with the request. When it could be anything, the choice
    depends on the description alone, and in a large set the tool is missed or confused with others. An info
    when the name also contains the name of its server: `get_figma_data`. A word that is in
    three names or more is the thing that the set is about: `add_task`, `move_task`, `update_task`.

    Fails: {"name": "process_data"}
    Passes: {"name": "get_forecast"}
    """
    uses = Counter(
        chain.from_iterable(
            {stem(token) for token in name_tokens(name.rpartition(".")[2])} for name in tools.by_name
        )
    )
    for tool in tools.tools:
        namespace = set(name_tokens(tool.source.server))
        tokens = [token for token in tool.name_tokens if token not in namespace]
        things = [token for token in tokens if token not in EFFECTS and uses[stem(token)] >= OFTEN]
        if things or not tokens or any(token not in GENERIC_NAME_TOKENS for token in tokens):
            continue
        named = len(tokens) < len(tool.name_tokens)
        yield Finding(
            ("name",),
            f"'{tool.name}' names no more than its server" if named else f"'{tool.name}' would fit any tool",
            "name the thing it acts on: invoice_mark_paid",
            severity="info" if named else None,
        ).of(tool)


@tool_rule("TD104", "info", sources=("GEM", "ANT-def"))
def no_verb(tool: ToolFeatures) -> Findings:
    """No word of the name is a verb.

    `weather` may read or set it; `get_weather` says which. A verb also tells readers and this linter what
    effect to expect.

    Fails: {"name": "city_weather"}
    Passes: {"name": "get_city_weather"}
    """
    tokens = tool.name_tokens
    if tokens and not any(token in EFFECTS for token in tokens):
        yield Finding(
            ("name",), f"'{tool.name}' has no verb", f"say what is done: get_{'_'.join(tokens)[:40]}"
        )


_NO_VOWELS = re.compile(r"[bcdfghjklmnpqrstvwxz]{3,}")
_KNOWN_NUMBERS = re.compile(
    r"(?:19|20)\d\d|100|128|192|256|360|365|384|404|500|512|1000|1024|8601|3166|4217|3339"
)


@tool_rule("TD107", "warning", sources=("GEM", "measured"))
def opaque_token(tool: ToolFeatures) -> Findings:
    """A part of the name is a bare number or letters without a vowel, and the text does not explain it.

    `activate_card_8291` or `get_prdktn` cannot be distinguished from similar names by meaning. Known short
    forms (html, uuid, sha256) and tokens that the description uses are not reported. Letters give only an
    info: they may be jargon.

    Fails: {"name": "get_fcst_forecast_8291"}
    Passes: {"name": "get_forecast"}
    """
    for token in tool.name_tokens:
        number = token.isdigit() and len(token) >= 3 and not _KNOWN_NUMBERS.fullmatch(token)
        letters = _NO_VOWELS.fullmatch(token) and token not in ACRONYMS
        if (number or letters) and token not in re.findall(r"[a-z0-9]+", tool.lower):
            what = "a number that means nothing to a model" if number else "no word a model knows"
            yield Finding(
                ("name",),
                f"'{token}' in '{tool.name}' is {what}",
                "spell it out, or say in the text what it is",
                severity=None if number else "info",
            )


_VERSION = re.compile(
    r"[_.-]?(?:v\d+|(?<=[_.-])(?:new|old|legacy|deprecated|beta|next|latest|\d))$|(?<=[a-z])V\d+$"
)


@set_rule("TD108", "warning", sources=("TSC",))
def version_twin(tools: SetFeatures) -> SetFindings:
    """Two versions of one tool are offered: `search` and `search_v2`.

    Nothing in the request tells the model which version is meant, so it calls either. Offer one.

    Fails: [{"name": "get_forecast"}, {"name": "get_forecast_v2"}]
    Passes: [{"name": "get_forecast"}, {"name": "list_stations"}]
    """
    by_base = group_by(tools.tools, lambda tool: _VERSION.sub("", tool.name).rstrip("_.-").lower())
    for base, twins in by_base.items():
        marked = [tool for tool in twins if _VERSION.search(tool.name)]
        if not base or len({tool.name for tool in twins}) < 2 or not marked:
            continue
        for tool in marked:
            others = tuple(sorted({twin.name for twin in twins} - {tool.name}))
            yield Finding(
                ("name",),
                f"'{tool.name}' is offered together with {', '.join(others)}",
                "offer one version",
                others=others,
            ).of(tool)


@set_rule("TD109", "error", sources=("MCP", "SNYK"))
def name_collision(tools: SetFeatures) -> SetFindings:
    """Two names are equal apart from case, `_`, `-` and `.`.

    Providers reject a request with duplicate names, and a model cannot distinguish `getUser` and `get_user`.
    Across servers it is a warning: clients usually put a prefix before each name.

    Fails: [{"name": "get_forecast"}, {"name": "Get_Forecast"}]
    Passes: [{"name": "get_forecast"}, {"name": "list_stations"}]
    """
    seen: dict[str, ToolFeatures] = {}
    for tool in tools.tools:
        key = re.sub(r"[_.\-]", "", tool.name.casefold())
        first = seen.setdefault(key, tool)
        if first is tool or not key:
            continue
        across = first.source.server != tool.source.server
        where = f" of {first.source.server}" if across and first.source.server else ""
        same = f"the same as '{first.name}'"
        apart = ", apart from case and separators"
        if first.name == tool.name:
            same = "the name of another tool"
            apart = ""
        yield Finding(
            ("name",),
            f"'{tool.name}' is {same}{where}{apart}",
            "rename one, or put the server's name before it",
            severity="warning" if across else "error",
            others=(first.name,),
        ).of(tool)
