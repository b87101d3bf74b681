"""Skills of deepagents, which its agents read as files, observed by the adapter `langchain`."""

from __future__ import annotations

from typing import Any

from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend

from tests.limbs.adapters.kits.langchain import ScriptedChatModel
from tests.limbs.adapters.script import Answer, Call, Journal
from tests.limbs.adapters.skill_contract import EXAMPLE, FILE, NOT_LOADED, SkillContract, judged, plan

PATH = "/skills/minutes/SKILL.md"


def model(respond: Any, journal: Journal | None = None) -> ScriptedChatModel:
    return ScriptedChatModel(journal=journal or Journal(), respond_to=respond)


def files() -> FilesystemBackend:
    return FilesystemBackend(root_dir=EXAMPLE, virtual_mode=True)


class TestSkills(SkillContract):
    load = ("read_file", {"file_path": PATH, "limit": 1000})
    read_file = ("read_file", {"file_path": f"/skills/minutes/{FILE}"})
    load_missing = ("read_file", {"file_path": "/other/minutes/SKILL.md"})
    loaded_by = "read"

    def agent(self, respond: Any) -> Any:
        return create_deep_agent(model=model(respond), skills=["/skills/"], backend=files())

    def delegating(self, respond: Any) -> Any:
        task = Call("task", {"description": "Write", "subagent_type": "writer"}, "t1")
        writer = {"name": "writer", "description": "Writes.", "system_prompt": "Write.", "skills": ["/skills/"],
                  "model": model(respond)}  # fmt: skip
        return create_deep_agent(model=model(plan(task)), backend=files(), subagents=[writer])

    def test_looking_for_files_loads_nothing(self):
        looks = (
            Call("ls", {"path": "/skills/minutes"}, "c1"),
            Call("grep", {"pattern": "decisions", "path": PATH}, "c2"),
            Call("glob", {"pattern": "/skills/**/SKILL.md"}, "c3"),
        )
        outcomes, calls = judged(self.agent(plan(*looks)))
        assert outcomes == NOT_LOADED and [call.name for call in calls] == ["ls", "grep", "glob"]


def test_the_catalogue_is_in_the_prompt_and_the_body_is_not():
    journal = Journal()
    agent = create_deep_agent(
        model=model(lambda user, turn: Answer("Finished."), journal), skills=["/skills/"], backend=files()
    )
    assert judged(agent)[0] == NOT_LOADED
    prompt = str(journal.requests[0])
    assert "Write the minutes of a meeting" in prompt and "three parts" not in prompt
