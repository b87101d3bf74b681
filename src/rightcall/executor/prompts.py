"""The constant part of requests, built once and shared."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import msgspec

from rightcall.errors import ConfigError, InputError
from rightcall.model.codec import convert
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.providers import Prompt, Settings
from rightcall.tools.definitions import offered_tools

REMEMBERED = 256


class Prompts:
    """The prompt of each golden: the suite's own, unless the golden narrows the tools or has a system text or settings.

    Providers encode a prompt once, by identity, so goldens with equal prompts share one object.
    """

    def __init__(self, system: str, tools: Mapping[str, Tool], settings: Settings, seed: int) -> None:
        self.tools, self._seed = tools, seed
        self.common = Prompt(system, tuple(tools.values()), settings)
        self._special: dict[tuple[str, tuple[str, ...], str], Prompt] = {}

    def prompt_of(self, golden: Golden) -> Prompt:
        if golden.tools is None and golden.system is None and golden.settings is None:
            return self.common
        system = self.common.system if golden.system is None else golden.system
        offered = tuple(offered_tools(golden, self.tools).values())
        if any(not isinstance(tool, str) for tool in golden.tools or ()):
            return Prompt(
                system, offered, self._settings(golden)
            )  # tools defined in the golden: rarely shared
        key = (system, tuple(tool.name for tool in offered), repr(golden.settings))
        if key not in self._special:
            if len(self._special) >= REMEMBERED:
                self._special.clear()
            self._special[key] = Prompt(system, offered, self._settings(golden))
        return self._special[key]

    def _settings(self, golden: Golden) -> Settings:
        return settings_of(golden, self.common.settings)

    def seed_of(self, golden: Golden, trial: int) -> int:
        """The sampling seed of a trial: different for each, reproducible from the run's seed."""
        return zlib.crc32(f"{self._seed}/{golden.id}/{trial}".encode(), self._seed & 0xFFFFFFFF) & 0x7FFFFFFF


def settings_of(golden: Golden, settings: Settings) -> Settings:
    """The agent's settings overridden by the golden's; an unknown one is a `ConfigError`."""
    if not golden.settings:
        return settings
    try:
        own = convert(golden.settings, Settings, f"golden '{golden.id}': settings")
    except InputError as error:
        raise ConfigError(str(error)) from None
    return msgspec.structs.replace(settings, **{name: getattr(own, name) for name in golden.settings})
