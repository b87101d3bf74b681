"""Models by the names a project gives them: `models:` of a suite and `[tool.rightcall.models]` of pyproject.toml.

    [tool.rightcall.models]
    small = {model = "openai:gpt-5-mini"}
    private = {model = "openai:qwen3-32b", base_url = "http://127.0.0.1:8000/v1", key_env = "LOCAL_KEY"}
    default_judge = "small"

A name has no colon. What a suite says comes before what the project says; the environment is asked last, and only for
defaults: RIGHTCALL_DEFAULT_JUDGE, RIGHTCALL_DEFAULT_GENERATOR and RIGHTCALL_DEFAULT_USER.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InputError, RightCallError, suggestion
from rightcall.core.redaction.clean_text import hide_variables
from rightcall.files.documents import read_document
from rightcall.providers.endpoint import ModelEndpoint, endpoint_problems
from rightcall.providers.hosts import split_address
from rightcall.providers.provider_kinds import hint_for, model_problem

Role = Literal["judge", "generator", "user"]
ROLES: tuple[Role, ...] = ("judge", "generator", "user")
TABLE = "[tool.rightcall.models]"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")


class ModelCatalog(msgspec.Struct, frozen=True):
    """Named models, and the default model of each role: a name or `provider:model`."""

    endpoints: Mapping[str, ModelEndpoint] = msgspec.field(default_factory=dict)
    defaults: Mapping[Role, str] = msgspec.field(default_factory=dict)

    def over(self, other: ModelCatalog) -> ModelCatalog:
        """This catalog, with those of another for what it lacks."""
        return ModelCatalog({**other.endpoints, **self.endpoints}, {**other.defaults, **self.defaults})

    def endpoint(self, model: str | ModelEndpoint) -> ModelEndpoint:
        """The endpoint of a name or of `provider:model`, either with `@URL`; an unknown name raises a `ConfigError`."""
        if isinstance(model, ModelEndpoint):
            return model
        name, url = split_address(model)
        if ":" in name:
            return ModelEndpoint(model)
        if name not in self.endpoints:
            raise ConfigError(self._unknown(name))
        return self.endpoints[name].at(url)

    def default(self, role: Role) -> ModelEndpoint | None:
        """The model that a role has when none is named: the files' default, else the environment's."""
        written = self.defaults.get(role)
        try:
            if written:
                return self.endpoint(written)
            stated = os.environ.get(variable_of(role), "").strip()
            return self.endpoint(stated) if stated else None
        except ConfigError as error:
            where = f"default_{role}" if written else variable_of(role)
            raise ConfigError(*(f"{where}: {problem}" for problem in error.problems)) from None

    def require_default(self, role: Role, who: str) -> ModelEndpoint:
        """The default of a role; without one a `ConfigError` says which line to add."""
        default_model = self.default(role)
        if default_model is None:
            raise ConfigError(f"{who} requires a model; {line_to_add(role)}")
        return default_model

    def _unknown(self, name: str) -> str:
        meant = suggestion(name, self.endpoints) or hint_for(name)
        if self.endpoints and name not in meant and not suggestion(name, self.endpoints):
            meant = f"models with a name: {', '.join(sorted(self.endpoints))}; or use provider:model"
        return f"unknown model '{name}'; {meant}"


def line_to_add(role: Role) -> str:
    """How to give a role a default, in one line."""
    return (
        f'name one, or add default_{role} = "openai:gpt-5-mini" under {TABLE} in pyproject.toml'
        f" (models: {{default_{role}: …}} in a suite, {variable_of(role)} in the environment)"
    )


def variable_of(role: Role) -> str:
    return f"RIGHTCALL_DEFAULT_{role.upper()}"


def read_models(
    written: Mapping[str, Any], where: str, base_catalog: ModelCatalog | None = None
) -> ModelCatalog:
    """A catalog from a table of a file, over a `base_catalog` one; one `ConfigError` lists every problem."""
    endpoints: dict[str, ModelEndpoint] = {}
    defaults: dict[Role, str] = {}
    problems: list[str] = []
    for name, value in written.items():
        role = next((role for role in ROLES if name == f"default_{role}"), None)
        try:
            if role is not None:
                defaults[role] = convert(value, str, f"{where}.{name}")
            else:
                endpoints[name] = _endpoint(name, value, f"{where}.{name}")
        except ConfigError as error:
            problems += error.problems
        except RightCallError as error:
            problems.append(str(error))
    catalog = ModelCatalog(endpoints, defaults).over(base_catalog or ModelCatalog())
    for role, name in defaults.items():
        try:
            catalog.endpoint(name)
        except ConfigError as error:
            problems += [f"{where}.default_{role}: {problem}" for problem in error.problems]
    if problems:
        raise ConfigError(*problems)
    for endpoint in endpoints.values():
        hide_variables(endpoint.secret_variables, endpoint.secret_values)
    return catalog


def _endpoint(name: str, value: Any, where: str) -> ModelEndpoint:
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{where}: a model's name has letters, digits, '_', '-' and '.', and no colon")
    if name.startswith("default_"):  # a misspelt role would otherwise be a model that nobody asks
        roles = ", ".join(f"default_{role}" for role in ROLES)
        raise ConfigError(f"{where}: no such role; there are {roles}")
    if isinstance(value, ModelEndpoint):
        endpoint = value
    else:
        endpoint = convert({"model": value} if isinstance(value, str) else value, ModelEndpoint, where)
    problem = model_problem(endpoint.model)
    problems = [problem] if problem else endpoint_problems(endpoint)
    if problems:
        raise ConfigError(*(f"{where}: {text}" for text in problems))
    return endpoint


def project_models(folder: Path | None = None) -> ModelCatalog:
    """The models of the nearest pyproject.toml, in `folder` [default: the working folder] or a parent."""
    start = (folder or Path()).absolute()
    for place in (start, *start.parents):
        path = place / "pyproject.toml"
        if path.is_file():
            return _project_catalog(path, path.stat().st_mtime_ns, path.stat().st_size)
    return ModelCatalog()


def bare_model(name: str) -> str:
    """A model as DeepEval's users write it: a name of the project's models, else OpenAI's.

    A name that looks like a misspelt one of the project is left as it is, so that the error suggests that one.
    """
    if ":" in split_address(name)[0]:
        return name
    named = project_models().endpoints
    meant = suggestion(name, named) if not name.startswith(("gpt", "chatgpt", "o1", "o3", "o4")) else ""
    return name if name in named or meant else f"openai:{name}"


@lru_cache(maxsize=16)
def _project_catalog(path: Path, changed: int, size: int) -> ModelCatalog:
    """The catalog of a file, read again when the file changed: a judge asks for it once per case."""
    table: Any = read_document(path) if size and path.read_bytes().strip() else {}
    for key in ("tool", "rightcall", "models"):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise InputError(str(path), f"{TABLE} is not a table: {key} is {table!r}")
    return read_models(table, f"{path}: {TABLE}") if table else ModelCatalog()
