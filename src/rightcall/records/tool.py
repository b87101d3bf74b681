"""A tool as a model sees it, and what a skill adds to one."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rightcall.core.seam import load
from rightcall.records.record import Record, Sequenced, Several


class SkillFile(Record, frozen=True):
    """A file of a skill besides `SKILL.md`: its path below the folder, and a digest of its content."""

    path: str
    hash: str


class Skill(Record, frozen=True, metaclass=Sequenced):
    """A folder with a `SKILL.md`, as read. The name and the description, by which it is chosen, are the tool's.

    `hash` is a digest of the body and the files: what is done once it is loaded. `tokens` is the estimated size of the
    body. `allowed_tools` are those that its front matter allows, each as written. `by_model` and `by_user` say who may
    load it. `fields` are further keys of the front matter.
    """

    folder: str
    tokens: int = 0
    hash: str = ""
    allowed_tools: Several[str] = ()
    files: Several[SkillFile] = ()
    by_model: bool = True
    by_user: bool = True
    fields: dict[str, Any] = {}
    body: str = ""


ToolKind = Literal["tool", "skill", "agent"]
"""What a model chooses by name and description: a tool, a skill that it loads, an agent that it gives work to."""


IdempotencyKind = Literal["key", "args", "none"]
"""How repeats of a call are recognized: by a key, by equal arguments, or not at all."""


class Annotations(Record, frozen=True):
    """A tool's hints about its effects; None means not stated."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Tool(Record, frozen=True, metaclass=Sequenced):
    """Name, description and the JSON Schema of the input, with optional hints about effects.

    `roles` are those of callers who may use the tool; without any, everybody may. Models do not see them. `kind` says
    whether a call runs a tool, loads a skill or gives work to an agent; providers are sent tools only. `skill` is what
    was read in the folder of a skill.
    """

    name: str
    description: str = ""
    input_schema: dict[str, Any] = msgspec.field(default_factory=lambda: {"type": "object", "properties": {}})
    output_schema: dict[str, Any] | None = None
    title: str = ""
    annotations: Annotations = Annotations()
    roles: Several[str] = ()
    kind: ToolKind = "tool"
    skill: Skill | None = None

    @classmethod
    def read(cls, definition: dict[str, Any], where: str = "the tool") -> Tool:
        """A tool from a definition in any provider's format: Anthropic's, OpenAI's, MCP's, Gemini's or Bedrock's."""
        tool: Tool = load("services", "spellings").read_tool(definition, where)
        return tool

    def write(self, spelling: str) -> dict[str, Any]:
        """The definition in a provider's format, such as `anthropic`, `openai` (chat completions) or `mcp`."""
        definition: dict[str, Any] = load("services", "spellings").write_tool(self, spelling)
        return definition

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of each parameter by name; empty when the schema declares none."""
        properties = self.input_schema.get("properties")
        return properties if isinstance(properties, dict) else {}

    def lacks(self, parameter: str) -> bool:
        """Whether the schema lists its parameters, and this is none of them."""
        schema = self.input_schema
        parameters = self.parameters
        listed = schema.get("additionalProperties", not parameters) in (False, None)
        combined = ("patternProperties", "allOf", "anyOf", "oneOf", "$ref")
        return listed and parameter not in parameters and not any(word in schema for word in combined)

    @property
    def needs_arguments(self) -> bool:
        return bool(self.input_schema.get("required"))

    def defaults(self) -> dict[str, Any]:
        """Parameters that have a default in the schema, with that default."""
        return {
            name: schema["default"]
            for name, schema in self.parameters.items()
            if isinstance(schema, dict) and "default" in schema
        }
