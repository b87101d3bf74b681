"""The settings in `[tool.rightcall.lint]` of the nearest pyproject.toml; errors name the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rightcall.errors import ConfigError, InputError


@dataclass(frozen=True)
class LintSettings:
    """The table and its file; both empty when no pyproject.toml has one."""

    table: dict[str, Any] = field(default_factory=dict)
    file: Path | None = None

    @property
    def where(self) -> str:
        """The location shown in errors."""
        return f"{self.file}: [tool.rightcall.lint]"

    def fields(self) -> dict[str, Any]:
        """The fields of a `LintConfig`; invalid ones raise a `ConfigError` that names the file."""
        from rightcall.lint import LintConfig, all_rules, config_from

        fields = config_from(self.table, self.where)
        if fields:
            try:
                LintConfig(**fields).chosen(all_rules())
            except ConfigError as error:
                raise ConfigError(*(f"{self.where}: {problem}" for problem in error.problems)) from None
        return fields

    def path(self, key: str) -> Path | None:
        """A path from the table, relative to the folder of pyproject.toml; None when absent."""
        value = self.table.get(key)
        if value is None or self.file is None:
            return None
        if not isinstance(value, str):
            raise ConfigError(f"{self.where}: {key} must be a path, got {value!r}")
        whole = self.file.parent / value
        return Path(value) if self.file.parent == Path.cwd() else whole


def find_settings() -> LintSettings:
    """The settings of the nearest pyproject.toml, in this folder or a parent."""
    import tomllib

    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            try:
                table: Any = tomllib.loads(path.read_text("utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise InputError(str(path), f"not valid TOML: {error}") from None
            for key in ("tool", "rightcall", "lint"):
                table = table.get(key, {})
                if not isinstance(table, dict):
                    raise InputError(str(path), f"[tool.rightcall.lint] is not a table: {key} is {table!r}")
            return LintSettings(table, path)
    return LintSettings()
