"""`rightcall list`: what there is of tools, metrics, models, frameworks and lint rules, and a page about each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.list_tools import FormatOption, list_instructions, list_tools, show_tool
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.event_loop import run_blocking
from rightcall.core.options import JsonOption, Option
from rightcall.core.seam import name_clashes, plugins
from rightcall.providers.endpoint import built_in_prices
from rightcall.providers.provider_kinds import SHELVES, provider_names
from rightcall.providers.resolver import check
from rightcall.providers.weights import MODELS, list_models, model_path, pull_model


class Listing(NamedTuple):
    """What is shown: a value for programs, lines or pairs of a name and a text for people, notes below."""

    value: Any
    lines: Sequence[str | tuple[str, str]]
    notes: Iterable[str] = ()


def _models() -> Listing:
    """Providers and how to name their models, and the models that run here."""
    installed = provider_names()[len(SHELVES) :]
    built_in = [{**to_plain(shelf), "built_in": True} for shelf in SHELVES]
    others = [{"prefix": name, "usage": f"{name}:MODEL", "built_in": False} for name in installed]
    rows = [(shelf.usage, shelf.about) for shelf in SHELVES]
    rows += [(f"{name}:MODEL", f"of {plugins('providers')[name].package}") for name in installed]
    for here in list_models():
        missing = f"not downloaded, {here.size / 1e6:.0f} MB: --download {here.name}"
        rows.append((f"local:{here.name}", f"{here.title}, {here.path if here.installed else missing}"))
    notes = name_clashes("providers", [shelf.prefix for shelf in SHELVES])
    return Listing({"providers": [*built_in, *others], "local": list_models()}, rows, notes)


def _model(name: str) -> Listing:
    """What a provider requires, and whether a model is usable."""
    prefix, _, of_provider = name.partition(":")
    shelf = next((shelf for shelf in SHELVES if shelf.prefix == prefix), None)
    if shelf is None and prefix not in provider_names():
        names = provider_names()
        raise ConfigError(f"unknown provider '{prefix}'; {suggestion(prefix, names) or ', '.join(names)}")
    family = f"{prefix.removesuffix('-responses')}:"
    prices = {n: to_plain(p) for n, p in built_in_prices().models.items() if n.startswith(family)}
    problems = run_blocking(check(name)) if of_provider or prefix == "keyword" else None
    about = to_plain(shelf) if shelf else {"prefix": prefix}
    dated = {"date": built_in_prices().date, "models": prices} if prices else None
    lines = [f"{field:<7} {about[field]}" for field in ("usage", "about", "needs") if about.get(field)]
    for priced, price in prices.items():
        lines.append(
            f"price   {priced:<34} ${price['input']:g} in, ${price['output']:g} out per million tokens"
        )
    lines += [f"problem {problem}" for problem in problems or ()]
    lines += ["ready   no problems found"] if problems == [] else []
    return Listing({**about, "prices": dated, "problems": problems}, lines)


def _download_model(name: str, *, as_json: bool) -> None:
    """Download the weights of a model to the cache folder, unless they are there."""
    there = name in MODELS and model_path(name).is_file()
    if there or not sys.stderr.isatty():
        path = pull_model(name)
    else:
        size = MODELS[name].size if name in MODELS else 0
        with click.progressbar(length=size, label=f"downloading {name}", file=sys.stderr) as bar:
            path = pull_model(name, lambda done, _: bar.update(done - bar.pos))
    if as_json:
        print_json({"name": name, "path": str(path), "downloaded": not there})
        return
    tell(f"{'already at' if there else 'saved to'} {path}; use it as local:{name}")
    print_next(f"rightcall list models local:{name}")


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
        "tools       "
        + ("can be mocked" if info.tools == "mock" else "run for real; faults are put into requests"),
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


LISTED_SHELVES: dict[str, ListedShelf] = {
    "metrics": ListedShelf(_metrics, _metric, "parameter_accuracy"),
    "models": ListedShelf(_models, _model, "openai:gpt-5-mini"),
    "frameworks": ListedShelf(_frameworks, _framework, "langchain"),
    "rules": ListedShelf(_rules, _rule, "TD401"),
}
ShelfName = click.Choice(["tools", *LISTED_SHELVES])


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
    or `skills:DIR`. `list models NAME`: a provider or a model, and whether it can be used. `list metrics`,
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
        _download_model(download, as_json=as_json)
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
    listing = LISTED_SHELVES[shelf].rows() if name is None else LISTED_SHELVES[shelf].page(name)
    if as_json:
        print_json(listing.value)
    else:
        _draw(listing)
        if name is None:
            print_next(f"rightcall list {shelf} {LISTED_SHELVES[shelf].example}")


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
