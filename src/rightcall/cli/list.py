"""`rightcall list`: what there is of tools, metrics, models, frameworks and lint rules, and a page about each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import click

from rightcall.cli import list_models
from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.list_models import Listing
from rightcall.cli.list_tools import FormatOption, list_instructions, list_tools, show_tool
from rightcall.cli.output import console, print_json, print_next
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError
from rightcall.core.options import JsonOption, Option


class ListedShelf(NamedTuple):
    """All its items, the page of one, and the name of one as an example."""

    rows: Callable[[], Listing]
    page: Callable[[str], Listing]
    example: str


def _metrics() -> Listing:
    from rightcall.metrics.resolve import metric_notes, metric_pages

    pages = metric_pages()
    marks = {"always": ""}
    return Listing(
        [{"name": page.name, "summary": page.summary, "measured": page.measured} for page in pages],
        [(page.name, f"{page.summary} {marks.get(page.measured, f'({page.measured})')}") for page in pages],
        metric_notes(),
    )


def _metric(name: str) -> Listing:
    from rightcall.metrics.resolve import metric_page

    page = metric_page(name)
    examples = [f"{label}: {text}" for label, text in page.example.items()]
    settings = ", ".join(f"{key}={value}" for key, value in page.settings.items())
    explanation = ["", page.explanation, ""] if page.explanation else [""]
    lines = [f"{page.name}  {page.summary}", *explanation, *examples]
    return Listing(page, [*lines, f"settings: {settings}"] if settings else lines)


def _frameworks() -> Listing:
    from rightcall.agents.observed.catalog import adapter_problems, all_adapters, version_of

    rows = []
    for info in all_adapters():
        installed = f"installed {version}" if (version := version_of(info)) else "not installed"
        mocks = "tools can be mocked" if info.tools == "mock" else ""
        rows.append((info.name, f"{info.title:<28} {installed:<18} tested {info.tested:<8} {mocks}".rstrip()))
    return Listing([_framework_facts(info) for info in all_adapters()], rows, adapter_problems())


def _framework(name: str) -> Listing:
    from rightcall.agents.observed.catalog import adapter_info, hook_problem, version_of

    info = adapter_info(name)
    here = version_of(info)
    problem = hook_problem(info) if here else ""
    lines = [
        f"{info.title} ({info.package})",
        f"installed   {here or f'no; pip install {info.package}'}",
        *([f"problem     {problem}"] if problem else []),
        f"tested      {info.tested}" + (f", with {info.beside}" if info.beside else ""),
        f"observes    {info.hook}",
        "tools       " + ("can be mocked and broken by faults" if info.tools == "mock" else "run for real"),
        "functions   " + ("observed too" if info.functions else "not observed: observe the agent object"),
        "limitations",
        *(f"  - {loss}" for loss in info.loses),
    ]
    return Listing(_framework_facts(info), lines)


def _framework_facts(info: Any) -> dict[str, Any]:
    from rightcall.agents.observed.catalog import version_of

    about = {"functions": info.functions, "tools": info.tools, "installed": version_of(info)}
    return {**to_plain(info), **about}


def _rules() -> Listing:
    from rightcall.core.seam import name_clashes
    from rightcall.lint.explain import as_table, rule_facts
    from rightcall.lint.rule import all_rules

    built_in = [rule.name for rule in all_rules() if rule.family != "installed"]
    facts = [rule_facts(rule) for rule in all_rules()]
    return Listing(facts, as_table().splitlines(), name_clashes("lint_rules", built_in))


def _rule(code: str) -> Listing:
    from rightcall.lint.explain import as_text, rule_facts
    from rightcall.lint.rule import find_rule

    rule = find_rule(code)
    return Listing(rule_facts(rule), as_text(rule).splitlines())


SHELVES: dict[str, ListedShelf] = {
    "metrics": ListedShelf(_metrics, _metric, "parameter_accuracy"),
    "models": ListedShelf(list_models.models, list_models.model, "openai:gpt-5-mini"),
    "frameworks": ListedShelf(_frameworks, _framework, "langchain"),
    "rules": ListedShelf(_rules, _rule, "TD401"),
}
ShelfName = click.Choice(["tools", *SHELVES])


@click.command("list", cls=DeclaredCommand)
@click.argument("shelf", type=ShelfName)
@click.argument("name", required=False)
@click.argument("tool", required=False)
def list_command(
    shelf: str,
    name: str | None,
    tool: str | None,
    spelling: FormatOption = None,
    discover: Annotated[
        bool, Option("List the skills, commands and agents of the project in NAME [default: .]")
    ] = False,
    download: Annotated[str | None, Option("Local model to download, unless present")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the items of SHELF; with NAME, show one of them.

    `list tools SOURCE [TOOL]`: SOURCE is a JSON or YAML file, `module:attribute` (tools or an agent), `mcp:COMMAND`
    or `skills:DIR`. `list models NAME`: a provider or a model, and whether it can be used; or a suite: the host, the
    key and the problems of each of its models (`.`: of the project's), exit code 1 if there is one. `list metrics`,
    `list frameworks`, `list rules`: as they are called.
    """
    is_wrong = {"--as": spelling and shelf != "tools", "--discover": discover and shelf != "tools"}
    is_wrong["--download"] = download is not None and shelf != "models"
    if wrong := [flag for flag, told in is_wrong.items() if told]:
        raise ConfigError(f"{wrong[0]} is not for `list {shelf}`")
    if tool is not None and shelf != "tools":
        raise click.UsageError(f"Got unexpected extra argument ({tool})")
    if shelf == "tools":
        _tools(name, tool, spelling, discover=discover, as_json=as_json)
    elif download is not None:
        list_models.download_model(download, as_json=as_json)
    else:
        _show(shelf, name, as_json=as_json)


list = list_command  # `rightcall.cli.list:list`, as the menu finds every command


def _tools(source: str | None, tool: str | None, spelling: Any, *, discover: bool, as_json: bool) -> None:
    if discover:
        list_instructions(Path(source or "."), as_json)
    elif source is None:
        raise click.UsageError("Missing argument 'SOURCE': the tools of what?")
    elif tool is not None:
        show_tool(source, tool, spelling or "native")
    else:
        list_tools(source, spelling, as_json=as_json)


def _show(shelf: str, name: str | None, *, as_json: bool) -> None:
    listing = SHELVES[shelf].rows() if name is None else SHELVES[shelf].page(name)
    if as_json:
        print_json(listing.value)
    else:
        _draw(listing)
        if name is None:
            print_next(f"rightcall list {shelf} {SHELVES[shelf].example}")
    raise click.exceptions.Exit(listing.exit_code)


def _draw(listing: Listing) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    table = Table.grid(padding=(0, 2, 0, 0))
    width = max((len(line[0]) for line in listing.lines if isinstance(line, tuple)), default=0)
    for line in listing.lines:
        if isinstance(line, str):
            out.print(line, soft_wrap=True)
        elif out.is_terminal:
            table.add_row(Text(line[0], "bold"), Text(line[1]))
        else:
            out.print(f"{line[0]:<{width}}  {line[1]}".rstrip(), soft_wrap=True)
    if table.row_count:
        out.print(table)
    for note in listing.notes:
        out.print(f"note: {note}", soft_wrap=True)
