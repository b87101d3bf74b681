"""`rightcall providers`: the model providers and whether this machine can use them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import CommandGroup
from rightcall.cli.output import print_json, tell
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError, RightCallError, suggestion
from rightcall.core.event_loop import run_blocking
from rightcall.core.options import JsonOption, Option
from rightcall.core.seam import name_clashes, plugins
from rightcall.model.record import Record
from rightcall.models.catalog import ROLES, ModelCatalog, project_models
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.hosts import HOSTS, address_of, host_label
from rightcall.models.prices import built_in_prices
from rightcall.models.provider_kinds import SHELVES, provider_names
from rightcall.models.resolver import check, endpoint_of


@click.group(cls=CommandGroup)
def providers() -> None:
    """List model providers and what each requires."""


@providers.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List providers and how to name their models."""
    installed = provider_names()[len(SHELVES) :]
    if as_json:
        others = [{"prefix": name, "usage": f"{name}:MODEL", "built_in": False} for name in installed]
        print_json([*({**to_plain(shelf), "built_in": True} for shelf in SHELVES), *others])
        return
    for shelf in SHELVES:
        tell(f"{shelf.usage:<34} {shelf.about}")
    for name in installed:
        tell(f"{name + ':MODEL':<34} of {plugins('providers')[name].package}")
    for note in name_clashes("providers", [shelf.prefix for shelf in SHELVES]):
        tell(f"note: {note}", err=True)
    tell("\nnext:\n  rightcall providers show openai:gpt-5-mini")


@providers.command("check")
@click.argument("suite", type=click.Path(path_type=Path), required=False)
def check_(suite: Path | None, as_json: JsonOption = False) -> None:
    """Check every named model and every role: which host it asks, which key it sends, and what is missing.

    With SUITE, the models and roles of that suite; without, the project's own models and defaults. No model is asked.
    Exit code 1 if there is a problem.
    """
    rows = run_blocking(check_models(suite))
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            where = f" at {row.host}" if row.host else ""
            key = f", key {row.key}" if row.key else ""
            tell(f"{row.role:<20} {row.model}{where}{key}")
            for problem in row.problems:
                tell(f"{'':<20} problem: {problem}")
        if not rows:
            tell(
                "no models are named; add some under [tool.rightcall.models] in pyproject.toml, or models: in a suite"
            )
    raise click.exceptions.Exit(1 if any(row.problems for row in rows) else 0)


@providers.command()
@click.argument("name")
def show(
    name: str,
    base_url: Annotated[str | None, Option("Server URL [default: the provider's]")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a provider requires; with a model (openai:gpt-5-mini), also whether it is usable."""
    prefix, _, model = name.partition(":")
    shelf = next((shelf for shelf in SHELVES if shelf.prefix == prefix), None)
    if shelf is None and prefix not in provider_names():
        names = provider_names()
        raise ConfigError(f"unknown provider '{prefix}'; {suggestion(prefix, names) or ', '.join(names)}")
    family = f"{prefix.removesuffix('-responses')}:"
    prices = {n: to_plain(p) for n, p in built_in_prices().models.items() if n.startswith(family)}
    problems = asyncio.run(check(name, base_url=base_url)) if model or prefix == "keyword" else None
    about = to_plain(shelf) if shelf else {"prefix": prefix}
    if as_json:
        dated = {"date": built_in_prices().date, "models": prices} if prices else None
        print_json({**about, "prices": dated, "problems": problems})
        return
    for field in ("usage", "about", "needs"):
        if about.get(field):
            tell(f"{field:<7} {about[field]}")
    for priced, price in prices.items():
        tell(f"price   {priced:<34} ${price['input']:g} in, ${price['output']:g} out per million tokens")
    for problem in problems or []:
        tell(f"problem {problem}")
    if problems == []:
        tell("ready   no problems found")


class CheckedModel(Record, frozen=True):
    """A role or a name with its model: the host it asks, the variable with its key, and what is wrong."""

    role: str
    model: str
    host: str = ""
    key: str = ""
    problems: tuple[str, ...] = ()


async def check_models(suite: Path | None) -> list[CheckedModel]:
    """The models of a suite with its roles, or those of the project with its defaults."""
    asked: list[tuple[str, object]] = []
    if suite is None:
        catalog = project_models()
    else:
        from rightcall.run.cost_estimate import role_models
        from rightcall.run.suite import load_suite
        from rightcall.run.suite_plan import plan_suite

        plan = plan_suite(load_suite(suite), suite.parent, start_nothing=True)
        catalog, asked = plan.models, role_models(plan)
    return [await _check_model(role, model) for role, model in [*asked, *_catalog_models(catalog)]]


def _catalog_models(catalog: ModelCatalog) -> list[tuple[str, ModelEndpoint]]:
    models = [(f"models.{name}", endpoint) for name, endpoint in catalog.endpoints.items()]
    defaults = [(f"default_{role}", catalog.default(role)) for role in ROLES]
    return models + [(role, endpoint) for role, endpoint in defaults if endpoint is not None]


async def _check_model(role: str, model: object) -> CheckedModel:
    if not isinstance(model, str | ModelEndpoint):
        return CheckedModel(role, str(getattr(model, "name", "") or type(model).__name__))
    endpoint = endpoint_of(model)
    try:
        address = address_of(endpoint.prefix, endpoint.base_url)
    except RightCallError as error:
        return CheckedModel(role, endpoint.model, problems=(str(error),))
    if address is None:
        return CheckedModel(role, endpoint.model, problems=tuple(await check(endpoint)))
    key = endpoint.key_env or (HOSTS[endpoint.prefix].key_variable if address.source != "written" else "")
    host = host_label(address.url)
    return CheckedModel(role, endpoint.model, host, key, tuple(await check(endpoint)))
