"""Google ADK: a plugin of the runner. Its callbacks return None: a value would replace what happens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from time import perf_counter
from typing import Any

from rightcall.agents.observed.adapter import Adapter, AgentTalk, Watch
from rightcall.agents.observed.values import framework_usage, plain
from rightcall.limbs.adapters.team_tools import team_tools
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message
from rightcall.records.tool import Tool

CONFIRMATION = "adk_request_confirmation"
"""The function call by which ADK asks; the call in question is among its arguments."""


def adk_answers(watch: Watch) -> list[Any]:
    """The parts of a message that answers what the agent waits for; empty when nobody answers any of it."""
    from google.genai import types

    answers = []
    for request in watch.memory.pop("requests", ()):
        asked = (request.args or {}).get("originalFunctionCall") or {}
        name = str(asked.get("name") or "")
        arguments = asked.get("args")
        call_id = str(asked.get("id") or "")
        approval = watch.decide(name, arguments, call_id)
        if approval.arguments is not None:
            watch.memory["edited", call_id] = approval.arguments
        if not approval.open:
            answers.append((request.id, request.name, {"confirmed": approval.granted}))
    for name, arguments, call_id in watch.memory.pop("pending", ()):
        approval = watch.decide(name, arguments, call_id)
        rule = watch.rule(name)
        if not approval.open and rule is not None:
            answers.append((call_id, name, _result(approval, rule.value)))
    return [
        types.Part(function_response=types.FunctionResponse(id=id_, name=name, response=response))
        for id_, name, response in answers
    ]


def _result(approval: Approval, value: Any) -> dict[str, Any]:
    """What a long-running tool gave in the end: the value of the approver's line, or the decision."""
    if isinstance(value, dict) and approval.decision != "edited":
        return dict(value)
    fields = {"message": approval.message} if approval.message else {}
    return {"status": approval.decision, **fields, **(approval.arguments or {})}


async def asks_first(tool: Any, arguments: Any, context: Any) -> bool:
    """Whether ADK asks before this call, or was told not to run it: then it is not for the desk."""
    check = getattr(tool, "check_require_confirmation", None)
    if check is None or not await check(arguments, context):
        return False
    confirmation = context.tool_confirmation
    return confirmation is None or not confirmation.confirmed


def note_pending(watch: Watch, tool: Any, arguments: Any, context: Any, result: Any) -> bool:
    """Note a call that waits: ADK asks about it, or a long-running tool has no result yet."""
    call = tool.name, plain(arguments), str(context.function_call_id or "")
    asked = call[-1] in (context.actions.requested_tool_confirmations or {})
    without_result = result is None or (isinstance(result, dict) and result.get("status") == "pending")
    if not asked and not (getattr(tool, "is_long_running", False) and without_result):
        return False
    watch.recorder.decided(Approval("waiting"), *call)
    if not asked:
        watch.memory.setdefault("pending", []).append(call)
    return True


NAME = "google_adk"
USER = "rightcall"
ANSWER = "set_model_response"
"""The tool by which an agent with an output schema and tools gives its answer."""


class _RunnerTalk(AgentTalk):
    """Turns in one session of an in-memory runner."""

    _runner: Any = None
    _session: Any = None

    async def say(self, text: str) -> Any:
        from google.adk.apps import App
        from google.adk.runners import InMemoryRunner
        from google.genai import types

        watch = self._watch
        if self._runner is None:
            app = App(name=USER, root_agent=self._agent, plugins=[_plugin_class()(watch)])
            self._runner = InMemoryRunner(app=app)
            self._session = await self._runner.session_service.create_session(
                app_name=USER, user_id=USER, **watch.values
            )
        message = watch.given(text)
        if isinstance(message, str):
            message = types.Content(role="user", parts=[types.Part(text=message)])
        final = await self._reply(message)
        while answers := adk_answers(watch):
            final = await self._reply(types.Content(role="user", parts=answers))
        return watch.output(final) if watch.output else final

    async def _reply(self, message: Any) -> str | None:
        """The answer to one message; what the agent waits for is noted."""
        final = None
        self._watch.memory["requests"] = requests = []
        events = self._runner.run_async(user_id=USER, session_id=self._session.id, new_message=message)
        async for event in events:
            requests += [call for call in event.get_function_calls() if call.name == CONFIRMATION]
            if event.is_final_response() and event.content and event.content.parts:
                final = "".join(part.text or "" for part in event.content.parts)
        return final

    async def aclose(self) -> None:
        if self._runner is not None:
            await self._runner.close()


class GoogleADK(Adapter):
    """Runs an agent in an in-memory runner with our plugin."""

    conversation = _RunnerTalk

    def tools(self, agent: Any) -> list[Tool]:
        from google.adk.tools import FunctionTool

        definitions = []
        for source in _tools_of_agent(agent):
            tool = FunctionTool(source) if callable(source) and not hasattr(source, "run_async") else source
            declared = tool._get_declaration() if hasattr(tool, "_get_declaration") else None
            if declared is not None:
                definitions.append(_definition(declared))
        return team_tools(definitions)

    def parameters(self, agent: Any) -> dict[str, Any]:
        return {"state": dict[str, Any] | None}


ADAPTER = GoogleADK()


def _tools_of_agent(agent: Any) -> Iterator[Any]:
    """The tools of an agent and of those below it, and of each the one that transfers to others; or the tool itself."""
    from google.adk.flows.llm_flows.agent_transfer import _get_transfer_targets
    from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool

    yield from getattr(agent, "tools", None) or ([] if hasattr(agent, "sub_agents") else [agent])
    if targets := _get_transfer_targets(agent):
        yield TransferToAgentTool([target.name for target in targets])
    for part in getattr(agent, "sub_agents", None) or ():
        yield from _tools_of_agent(part)


@cache
def _plugin_class() -> Any:
    """The notes as a plugin; made here, because its base is of an optional package."""
    from google.adk.plugins.base_plugin import BasePlugin

    class TrialPlugin(_TrialNotes, BasePlugin):
        def __init__(self, watch: Watch) -> None:
            _TrialNotes.__init__(self, watch)
            BasePlugin.__init__(self, name="rightcall")

    return TrialPlugin


class _TrialNotes:
    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._asked: dict[str, float] = {}
        self._places: dict[str, tuple[int, str]] = {}  # by session: how deep it is, and inside which call
        self._inner: dict[str, tuple[int, str]] = {}  # the same of an agent that runs as a tool, by its name

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        with self._watch.guarded("before_model_callback"):
            self._asked[callback_context.agent_name] = perf_counter()
            recorder = self._watch.recorder
            contents = llm_request.contents
            recorder.asked(
                [*(_spoken_messages(contents) if recorder.turn_begins else ()), *_results(contents)]
            )

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        with self._watch.guarded("after_model_callback"):
            if not getattr(llm_response, "partial", False):
                started = self._asked.pop(callback_context.agent_name, None)
                taken = None if started is None else round((perf_counter() - started) * 1000, 3)
                place = self._place(callback_context)
                _note_answer(self._watch, callback_context.agent_name, llm_response, taken, place=place)

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> Any:
        if tool.name == ANSWER:
            return None
        call_id = str(tool_context.function_call_id or "")
        with self._watch.guarded("before_tool_callback"):
            if hasattr(tool, "agent"):
                depth, _ = self._place(tool_context)
                self._inner[tool.agent.name] = (depth + 1, call_id)
            self._watch.recorder.tool_started(id(tool_context), tool.name, tool_args, call_id)
            edited = self._watch.memory.pop(("edited", call_id), None)
            if edited is not None:
                tool_args.clear()
                tool_args.update(edited)
        if self._watch.desk is None or await asks_first(tool, tool_args, tool_context):
            return None

        async def real() -> Any:
            return await tool.run_async(args=tool_args, tool_context=tool_context)

        answer = await self._watch.desk.run(tool.name, plain(tool_args), call_id, real)
        self._watch.recorder.tool_ended(id(tool_context), answer.output, error=answer.failed)
        return answer.output if isinstance(answer.output, dict) else {"result": answer.output}

    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
        with self._watch.guarded("after_tool_callback"):
            if note_pending(self._watch, tool, tool_args, tool_context, result=result):
                return
            told = result["result"] if isinstance(result, dict) and result.keys() == {"result"} else result
            self._watch.recorder.tool_ended(id(tool_context), told, error=_is_refusal(result))

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: Any, tool_context: Any, error: Exception
    ) -> None:
        with self._watch.guarded("on_tool_error_callback"):
            self._watch.recorder.tool_ended(id(tool_context), error=error)

    def _place(self, context: Any) -> tuple[int, str]:
        """An agent used as a tool has its own runner and session, with the same plugins."""
        session = str(context.session.id)
        if not self._places:
            self._places[session] = (0, "")
        if session not in self._places:
            self._places[session] = self._inner.get(context.agent_name, (1, ""))
        return self._places[session]


def _is_refusal(result: Any) -> bool:
    """Whether ADK itself says that a tool failed: it does not exist, arguments are missing, there is no such skill."""
    return (
        isinstance(result, dict)
        and {"error"} <= result.keys() <= {"error", "error_code"}
        and isinstance(result["error"], str)
    )


def _spoken_messages(contents: Any) -> list[Message]:
    return [
        Message(
            "assistant" if content.role == "model" else "user",
            "".join(part.text for part in content.parts or () if part.text),
        )
        for content in contents or ()
    ]


def _results(contents: Any) -> list[Message]:
    """The results in the newest content: for a tool that does not exist, the model reads so there."""
    parts = (contents[-1].parts if contents else None) or ()
    results = [
        ToolResult(
            part.function_response.id or "",
            plain(part.function_response.response),
            _is_refusal(part.function_response.response),
            part.function_response.name or "",
        )
        for part in parts
        if part.function_response
    ]
    return [Message("tool", results=tuple(results))] if results else []


def _note_answer(
    watch: Watch, agent: str, response: Any, taken: float | None, place: tuple[int, str]
) -> None:
    parts = (response.content.parts if response.content else None) or ()
    asked = [part.function_call for part in parts if part.function_call]
    calls = [_call(function_call) for function_call in asked if function_call.name != ANSWER]
    text = "".join(part.text for part in parts if part.text and not getattr(part, "thought", False))
    token_counts = response.usage_metadata
    usage = framework_usage(
        getattr(token_counts, "prompt_token_count", None),
        getattr(token_counts, "candidates_token_count", None),
        getattr(token_counts, "cached_content_token_count", None),
    )
    watch.recorder.answered(
        text, calls, usage=usage, finish=str(response.finish_reason or ""), ms=taken, agent=agent,
        depth=place[0], parent=place[1],
    )  # fmt: skip


def _call(function_call: Any) -> ToolCall:
    arguments = plain(function_call.args or {})
    notes = (
        {"handoff": arguments.get("agent_name", True)} if function_call.name == "transfer_to_agent" else {}
    )
    return ToolCall(function_call.name or "", arguments, function_call.id or "", notes=notes)


def _definition(declared: Any) -> Tool:
    schema = getattr(declared, "parameters_json_schema", None)
    if schema is None and declared.parameters is not None:
        schema = declared.parameters.model_dump(mode="json", exclude_none=True)
    return Tool(declared.name, declared.description or "", plain(schema) if schema else Tool("").input_schema)
