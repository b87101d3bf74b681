"""Names of tools that are offered together."""

from __future__ import annotations

import re
from collections import Counter

from rightcall.core.groups import group_by
from rightcall.lint.features.text import case_style, usual_style
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, SetFindings, set_rule
from rightcall.schema.effects import SYNONYMS


@set_rule("TD105", "info", needs=("several",), fix="suggested", sources=("SM2",))
def mixed_case_style(tools: SetFeatures) -> SetFindings:
    """The set mixes snake_case, camelCase and kebab-case names.

    Models write names letter by letter; in a mixed set they write `get_user` for `getUser`. The style of the
    minority is reported.

    Fails: [{"name": "get_forecast"}, {"name": "listStations"}, {"name": "find_storms"}]
    Passes: [{"name": "get_forecast"}, {"name": "list_stations"}, {"name": "find_storms"}]
    """
    usual = usual_style(tool.name for tool in tools.tools)
    for tool in tools.tools if usual else ():
        style = case_style(tool.name)
        if style and style != usual:
            better = _in_style(tool, usual)
            edits = (Edit(("name",), better),) if better not in tools.by_name else ()
            yield Finding(
                ("name",),
                f"'{tool.name}' is {style} case, the set is mostly {usual}",
                f"rename it {better}",
                edits=edits,
            ).of(tool)


def _in_style(tool: ToolFeatures, style: str) -> str:
    if style == "camel":
        first, *rest = tool.name_tokens
        return first + "".join(token.capitalize() for token in rest)
    return ("_" if style == "snake" else "-").join(tool.name_tokens)


@set_rule("TD106", "info", needs=("several",), sources=("ANT-eng",))
def verb_synonyms(tools: SetFeatures) -> SetFindings:
    """The set uses several verbs for one kind of action: fetch, get, retrieve.

    A model expects different words to mean different things. With one verb per action it guesses names
    correctly.

    Fails: [{"name": "get_forecast"}, {"name": "fetch_station"}, {"name": "get_storm"}]
    Passes: [{"name": "get_forecast"}, {"name": "get_station"}, {"name": "get_storm"}]
    """
    for group in SYNONYMS:
        used = Counter(tool.effect.verb for tool in tools.tools if tool.effect.verb in group)
        if len(used) < 2:
            continue
        usual = max(used, key=lambda verb: (used[verb], verb))
        for tool in tools.tools:
            verb = tool.effect.verb
            if verb in group and verb != usual:
                yield Finding(
                    ("name",),
                    f"'{verb}' here, '{usual}' in {used[usual]} other name{'s' * (used[usual] != 1)} of the set",
                    "use one verb for one action",
                ).of(tool)


_VERSION = re.compile(
    r"[_.-]?(?:v\d+|(?<=[_.-])(?:new|old|legacy|deprecated|beta|next|latest|\d))$|(?<=[a-z])V\d+$"
)


@set_rule("TD108", "warning", needs=("several",), sources=("TSC",))
def version_twin(tools: SetFeatures) -> SetFindings:
    """Two versions of one tool are offered: `search` and `search_v2`.

    Nothing in the request tells the model which version is meant, so it calls either. Offer one.

    Fails: [{"name": "get_forecast"}, {"name": "get_forecast_v2"}]
    Passes: [{"name": "get_forecast"}, {"name": "list_stations"}]
    """
    by_stem = group_by(tools.tools, lambda tool: _VERSION.sub("", tool.name).rstrip("_.-").lower())
    for stem, twins in by_stem.items():
        marked = [tool for tool in twins if _VERSION.search(tool.name)]
        if not stem or len({tool.name for tool in twins}) < 2 or not marked:
            continue
        for tool in marked:
            others = tuple(sorted({twin.name for twin in twins} - {tool.name}))
            yield Finding(
                ("name",),
                f"'{tool.name}' is offered together with {', '.join(others)}",
                "offer one version",
                others=others,
            ).of(tool)


@set_rule("TD109", "error", needs=("several",), sources=("MCP", "SNYK"))
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
        same, apart = f"the same as '{first.name}'", ", apart from case and separators"
        if first.name == tool.name:
            same, apart = "the name of another tool", ""
        yield Finding(
            ("name",),
            f"'{tool.name}' is {same}{where}{apart}",
            "rename one, or put the server's name before it",
            severity="warning" if across else "error",
            others=(first.name,),
        ).of(tool)
