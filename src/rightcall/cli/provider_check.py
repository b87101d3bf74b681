"""`rightcall providers check`: the host, the key and the problems of every named model and every role."""

from __future__ import annotations

from pathlib import Path

from rightcall.core.errors import RightCallError
from rightcall.model.record import Record
from rightcall.models.catalog import ROLES, ModelCatalog, project_models
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.hosts import HOSTS, address_of, host_label
from rightcall.models.resolver import check, endpoint_of


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
        from rightcall.run.asked_hosts import role_models
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
