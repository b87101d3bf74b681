"""All tools of a project as one toolbox, served over stdio."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from rightcall.tools.definitions.function import FunctionTool
from rightcall.tools.mcp.server import serve_stdio
from rightcall.tools.runtime.policy import Policy, ToolRules
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.wings.assistant.definition_tools import DefinitionTools
from rightcall.wings.assistant.project import Project
from rightcall.wings.assistant.reply import with_explained_errors
from rightcall.wings.assistant.run_tools import RunTools
from rightcall.wings.assistant.suite_tools import SuiteTools


def project_toolbox(project: Project, *, read_only: bool = False) -> Toolbox:
    """The tools that an assistant gets. With `read_only` those that write or run are neither shown nor callable."""
    holders: list[Any] = [DefinitionTools(project), RunTools(project), SuiteTools(project)]
    tools = [
        _bound(attribute, holder)
        for holder in holders
        for attribute in vars(type(holder)).values()
        if isinstance(attribute, FunctionTool)
    ]
    shown = [bound_tool for bound_tool in tools if bound_tool.tool.annotations.read_only or not read_only]
    return Toolbox(shown, execute="real", rules=ToolRules(policy=Policy(read_only=read_only)))


async def serve_project(project: Project, *, read_only: bool = False) -> None:
    """Serve a project over standard input and output until the client disconnects."""
    await serve_stdio(project_toolbox(project, read_only=read_only), "rightcall")


async def serve_assistant(folder: Path, store_url: str | None, *, trust: bool, read_only: bool) -> None:
    """Serve the project in a folder: `rightcall mcp`."""
    await serve_project(Project(folder, store_url, trust), read_only=read_only)


def _bound(function_tool: FunctionTool, holder: Any) -> FunctionTool:
    method = function_tool.function.__get__(holder)
    return dataclasses.replace(function_tool, function=with_explained_errors(method))
