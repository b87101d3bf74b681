"""The models that a suite names: its own `models:` over those of the project."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from rightcall.models.catalog import ModelCatalog, project_models, read_models
from rightcall.run.suite import Suite


def suite_models(suite: Suite, folder: Path) -> ModelCatalog:
    """The catalog of a suite; its project is that of its folder, or of the working folder if that has no models."""
    project = project_models(folder)
    if not project.endpoints and not project.defaults:
        project = project_models()
    if not suite.models:
        return project
    catalog = read_models(suite.models, "models", project)
    own = {
        name: msgspec.structs.replace(endpoint, model=beside(endpoint.model, folder))
        for name, endpoint in catalog.endpoints.items()
        if name in suite.models
    }
    return ModelCatalog({**catalog.endpoints, **own}, catalog.defaults)


def project_files(folder: Path) -> list[Path]:
    """The pyproject.toml that may name models for suites in a folder: the nearest one."""
    start = folder.absolute()
    paths = [place / "pyproject.toml" for place in (start, *start.parents)]
    return [path for path in paths if path.is_file()][:1]


def beside(name: str, folder: Path) -> str:
    """A model that is a file in the suite's folder, relative to the working folder; any other name is unchanged."""
    prefix, _, file = name.partition(":")
    if prefix not in ("scripted", "recorded", "local") or not file or not (folder / file).is_file():
        return name
    return f"{prefix}:{os.path.relpath(folder / file)}"
