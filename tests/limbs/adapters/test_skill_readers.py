"""Skills of real agents: OpenAI's sandbox, Pydantic AI, and agents that read files with a tool of their own."""

from __future__ import annotations

from typing import Any

import pytest
from agents.run_config import SandboxRunConfig
from agents.sandbox import Manifest, SandboxAgent
from agents.sandbox.capabilities import Shell, Skills
from agents.sandbox.capabilities.skills import LocalDirLazySkillSource
from agents.sandbox.entries import LocalDir
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from agents.sandbox.workspace_paths import SandboxPathGrant
from langchain.agents import create_agent
from langchain_core.tools import tool
from pydantic_ai import Agent as PydanticAgent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.capabilities import Capability
from pydantic_ai.models.function import FunctionModel

from agents import Agent, RunConfig, Runner, function_tool
from tests.limbs.adapters.kits.langchain import ScriptedChatModel
from tests.limbs.adapters.kits.openai_agents import ScriptedAgentsModel
from tests.limbs.adapters.script import Call, Journal
from tests.limbs.adapters.skill_contract import EXAMPLE, FILE, LOADED, SKILLS, SkillContract, judged, plan

pytestmark = pytest.mark.stories

ROOT = EXAMPLE / "skills"


def read_file(path: str) -> str:
    """Read a file below the root; what is wrong is told like a text."""
    file = EXAMPLE / path.lstrip("/")
    return file.read_text("utf-8") if file.is_file() else f"Error: {path} not found"


class ReaderContract(SkillContract):
    """An agent with the tool above. Nothing but its result says that a file is missing."""

    load = ("read_file", {"path": "/skills/minutes/SKILL.md"})
    read_file = ("read_file", {"path": f"/skills/minutes/{FILE}"})
    load_missing = ("read_file", {"path": "/other/minutes/SKILL.md"})
    loaded_by = "read"


class TestOpenAIReader(ReaderContract):
    def agent(self, respond: Any, name: str = "office") -> Any:
        return Agent(name, model=ScriptedAgentsModel(Journal(), respond), tools=[function_tool(read_file)])

    def delegating(self, respond: Any) -> Any:
        writer = self.agent(respond, "writer").as_tool("ask_writer", "Writes.")
        asks = plan(Call("ask_writer", {"input": "Write"}, "e1"))
        return Agent("boss", model=ScriptedAgentsModel(Journal(), asks), tools=[writer])


class TestLangChainReader(ReaderContract):
    def agent(self, respond: Any, name: str = "office") -> Any:
        return create_agent(
            ScriptedChatModel(journal=Journal(), respond_to=respond), [tool(read_file)], name=name
        )

    def delegating(self, respond: Any) -> Any:
        writer = self.agent(respond, "writer")

        @tool
        async def ask_writer(request: str) -> str:
            """Ask the writer."""
            state = await writer.ainvoke({"messages": [("user", request)]})
            return str(state["messages"][-1].text)

        asks = plan(Call("ask_writer", {"request": "Write"}, "e1"))
        return create_agent(ScriptedChatModel(journal=Journal(), respond_to=asks), [ask_writer], name="boss")


class SandboxContract(SkillContract):
    """Agents of OpenAI's sandbox on this machine. An agent object runs once at a time, so each run has its own."""

    options = {"via": "openai_agents"}
    skills: Any

    def office(self, respond: Any, name: str = "office") -> Any:
        return SandboxAgent(
            name, model=ScriptedAgentsModel(Journal(), respond), capabilities=[Shell(), type(self).skills()],
            default_manifest=Manifest(extra_path_grants=(SandboxPathGrant(path=str(ROOT)),)),
        )  # fmt: skip

    def agent(self, respond: Any) -> Any:
        return in_sandbox(lambda: self.office(respond))

    def delegating(self, respond: Any) -> Any:
        def boss() -> Any:
            writer = self.office(respond, "writer").as_tool("ask_writer", "Writes.", run_config=sandboxed())
            asks = plan(Call("ask_writer", {"input": "Write"}, "e1"))
            return Agent("boss", model=ScriptedAgentsModel(Journal(), asks), tools=[writer])

        return in_sandbox(boss)


class TestLazySkills(SandboxContract):
    load = ("load_skill", {"skill_name": "minutes"})
    read_file = ("exec_command", {"cmd": f"cat .agents/minutes/{FILE}"})
    load_missing = ("exec_command", {"cmd": "cat .agents/minutes/SKILL.md"})
    """It is in the sandbox only after `load_skill`; the shell succeeds, and tells the exit code in its text."""
    loaded_by = "tool"

    @staticmethod
    def skills() -> Any:
        return Skills(lazy_from=LocalDirLazySkillSource(source=LocalDir(src=ROOT)))


class TestMountedSkills(SandboxContract):
    load = ("exec_command", {"cmd": "sed -n '1,200p' .agents/minutes/SKILL.md"})
    read_file = ("exec_command", {"cmd": f"cat .agents/minutes/{FILE}"})
    load_missing = ("exec_command", {"cmd": "sed -n '1,200p' skills/minutes/SKILL.md"})
    loaded_by = "read"

    @staticmethod
    def skills() -> Any:
        return Skills(from_=LocalDir(src=ROOT))


class TestCapabilities(SkillContract):
    """Skills as capabilities of Pydantic AI that are loaded when they are needed."""

    load = load_missing = ("load_capability", {"id": "minutes"})
    loaded_by = "tool"

    def agent(
        self, respond: Any, name: str = "office", skills: tuple[str, ...] = ("minutes", "travel")
    ) -> Any:
        async def answer(messages: Any, info: Any) -> ModelResponse:
            turn = sum(isinstance(message, ModelResponse) for message in messages)
            reply = respond("", turn)
            calls = [ToolCallPart(call.name, call.text, call.id) for call in reply.calls]
            return ModelResponse([*calls, *([TextPart(reply.text)] if reply.text else [])])

        capabilities = [
            Capability(
                id=entry.name,
                description=entry.description,
                instructions=entry.skill.body,
                defer_loading=True,
            )
            for entry in SKILLS
            if entry.skill and entry.name in skills
        ]
        return PydanticAgent(FunctionModel(answer), capabilities=capabilities, name=name)

    def agent_without_minutes(self, respond: Any) -> Any:
        return self.agent(respond, skills=("travel",))

    def delegating(self, respond: Any) -> Any:
        writer = self.agent(respond, "writer")
        boss = self.agent(plan(Call("ask_writer", {"request": "Write"}, "e1")), "boss", ())

        @boss.tool_plain
        async def ask_writer(request: str) -> str:
            return str((await writer.run(request)).output)

        return boss

    def test_a_second_load_and_another_file(self):
        """It has no files, and refuses to load again."""
        outcomes, calls = judged(self.agent(plan(Call(*self.load, "c1"), Call(*self.load, "c2"))))
        assert outcomes == LOADED
        assert [(call.name, call.status) for call in calls] == [
            ("minutes", "ok"),
            ("load_capability", "error"),
        ]


def sandboxed() -> RunConfig:
    return RunConfig(sandbox=SandboxRunConfig(client=UnixLocalSandboxClient()))


def in_sandbox(make: Any) -> Any:
    async def run(golden: Any) -> Any:
        return (await Runner.run(make(), golden.input, run_config=sandboxed())).final_output

    return run
