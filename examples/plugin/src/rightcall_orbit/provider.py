"""A model `orbit:TOOL` that calls TOOL with the last word of the request as its only argument."""

from __future__ import annotations

from rightcall.model.call import ToolCall
from rightcall.model.message import Message
from rightcall.model.trajectory import Usage
from rightcall.models.base import ModelReply, ModelRequest, Provider
from rightcall.models.endpoint import ProviderOptions


class OrbitProvider(Provider):
    def __init__(self, tool: str) -> None:
        self.name, self._tool = f"orbit:{tool}", tool

    async def complete(self, request: ModelRequest) -> ModelReply:
        last = request.messages[-1]
        if last.role == "tool":
            message = Message("assistant", "Done.")
        else:
            tool = next(tool for tool in request.prompt.tools if tool.name == self._tool)
            parameter = next(iter(tool.input_schema["properties"]))
            word = last.content.rstrip("?.!").split()[-1]
            message = Message("assistant", calls=(ToolCall(self._tool, {parameter: word}, "call_0"),))
        return ModelReply(message, Usage(cost_usd=0.0), model="orbit")


def make(model: str, options: ProviderOptions) -> Provider:
    return OrbitProvider(model)
