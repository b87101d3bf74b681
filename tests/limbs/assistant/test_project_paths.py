"""What a suite names stays in the project of an assistant."""

from __future__ import annotations

from pathlib import Path

import pytest

from rightcall.limbs.assistant.boundary import Project, RefusedPathError
from tests.limbs.assistant.client import make_project

AWAY = {
    "agent": "agent: {model: 'scripted:../x.jsonl'}",
    "user": "agent: {model: 'keyword:'}\nuser: {model: 'scripted:../x.jsonl'}",
    "judge": "agent: {model: 'keyword:'}\nmetrics: [\"rubric(model='scripted:../x.jsonl', rubric='x')\"]",
    "observed judge": "agent: {model: 'keyword:'}\nmetrics: [{observe: \"rubric(model='local:/x', rubric='x')\"}]",
    "cache of a judge": "agent: {model: 'keyword:'}\nmetrics: [\"rubric(model='keyword:', rubric='x', cache='../c.db')\"]",
}


@pytest.mark.parametrize("who", AWAY)
@pytest.mark.parametrize("folder", ["", "sub/"])
def test_paths_of_judges_and_users_stay_in_the_project(who, folder, tmp_path, monkeypatch):
    """From a suite in a folder, `../x` is inside the project, but a model may look for it in the working folder."""
    monkeypatch.chdir(make_project(tmp_path / "project"))
    Path("sub").mkdir()
    Path(f"{folder}away.yaml").write_text(
        f"dataset: {'../' if folder else ''}goldens.jsonl\n{AWAY[who]}\n", encoding="utf-8"
    )
    with pytest.raises(RefusedPathError, match="outside the project"):
        Project(Path()).suite(f"{folder}away.yaml")
