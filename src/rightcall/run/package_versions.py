"""The packages through which an agent's code may reach its model: another major version may behave differently."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from rightcall.agents.observed.catalog import ADAPTERS
from rightcall.decide.input_change import InputChange

MODEL_SDKS = (
    "anthropic",
    "boto3",
    "cohere",
    "google-genai",
    "groq",
    "litellm",
    "mistralai",
    "ollama",
    "openai",
)


def sdk_versions() -> dict[str, str]:
    """The installed model SDKs and agent frameworks."""
    versions = {}
    for name in sorted({*MODEL_SDKS, *(info.package for info in ADAPTERS)}):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def major_changes(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[InputChange, ...]:
    """Packages in both whose major version differs; RightCall itself is not among them."""
    return tuple(
        InputChange("version", name, f"{before[name]} → {now[name]}")
        for name in sorted(before.keys() & now.keys() - {"rightcall", "python"})
        if major(before[name]) != major(now[name])
    )


def minor_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """All other differences, as `openai 3.48.0 → 3.49.0`."""
    return [
        f"{name} {before[name]} → {now[name]}"
        for name in sorted(before.keys() & now.keys() - {"python"})
        if before[name] != now[name] and (name == "rightcall" or major(before[name]) == major(now[name]))
    ]


def major(text: str) -> str:
    return text.partition(".")[0]
