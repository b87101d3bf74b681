"""Inspect: the log of an evaluation of one sample. Usage: python inspect_export.py OUT.eval"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import Any

from loopback import QUESTION, SYSTEM, Loopback

server = Loopback()
os.environ |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{server.url}/v1", "INSPECT_DISPLAY": "none"}

from inspect_ai import Task, eval  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.model import get_model  # noqa: E402
from inspect_ai.solver import generate, system_message, use_tools  # noqa: E402
from inspect_ai.tool import ToolError, tool  # noqa: E402


@tool
def get_weather() -> Any:
    async def execute(city: str) -> str:
        """Weather of a city.

        Args:
            city: The city.
        """
        return '{"celsius": 31}'

    return execute


@tool
def book() -> Any:
    async def execute(city: str, seats: int) -> str:
        """Book seats.

        Args:
            city: The city.
            seats: How many.
        """
        raise ToolError("no seats left")

    return execute


task = Task([Sample(QUESTION)], solver=[system_message(SYSTEM), use_tools(get_weather(), book()), generate()])
(log,) = eval(
    task,
    model=get_model("openai/scripted", responses_api=False),
    log_dir=tempfile.mkdtemp(),
    log_format="eval",
)
print(log.status, log.samples[0].output.completion if log.samples else "")
shutil.copy(log.location.removeprefix("file://"), sys.argv[1])
