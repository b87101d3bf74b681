"""The shelf of models: providers, models that run here, and whether this machine can use them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from rightcall.cli.output import print_json, print_next, tell
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError, RightCallError, suggestion
from rightcall.core.event_loop import run_blocking
from rightcall.core.seam import name_clashes, plugins
from rightcall.model.record import Record
from rightcall.models.catalog import ROLES, ModelCatalog, project_models
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.hosts import HOSTS, address_of, host_label
from rightcall.models.prices import built_in_prices
from rightcall.models.provider_kinds import SHELVES, provider_names
from rightcall.models.resolver import check, endpoint_of
from rightcall.models.weights import MODELS, list_models, model_path, pull_model


class Listing(NamedTuple):
    """What is shown: a value for programs, lines or pairs of a name and a text for people, notes below."""

    value: Any
    lines: Sequence[str | tuple[str, str]]
    notes: Iterable[str] = ()
    exit_code: int = 0


def models() -> Listing:
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


def model(name: str) -> Listing:
    """What a provider requires, whether a model is usable, or the models of a suite or a project."""
    if Path(name).exists():
        return _checked_models(None if Path(name).is_dir() else Path(name))
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


def download_model(name: str, *, as_json: bool) -> None:
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


class CheckedModel(Record, frozen=True):
    """A role or a name with its model: the host it asks, the variable with its key, and what is wrong."""

    role: str
    model: str
    host: str = ""
    key: str = ""
    problems: tuple[str, ...] = ()


def _checked_models(suite: Path | None) -> Listing:
    rows = run_blocking(check_models(suite))
    lines = []
    for row in rows:
        where = f" at {row.host}" if row.host else ""
        key = f", key {row.key}" if row.key else ""
        lines.append(f"{row.role:<20} {row.model}{where}{key}")
        lines += [f"{'':<20} problem: {problem}" for problem in row.problems]
    nothing = (
        "no models are named; add some under [tool.rightcall.models] in pyproject.toml, or models: in a suite"
    )
    return Listing(rows, lines or [nothing], exit_code=1 if any(row.problems for row in rows) else 0)


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
