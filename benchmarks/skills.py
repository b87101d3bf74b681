"""Time to read calls as loads of skills, and to lint many skills.

python -m benchmarks skills [--skills 10000]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from rightcall.lint.engine import lint
from rightcall.lint.source.tools import read_skill_set
from rightcall.model.call import ToolCall
from rightcall.model.skill_load import SkillIndex
from rightcall.model.tool import Skill, SkillFile, Tool

CALLS = {
    "loader": ToolCall("Skill", {"skill": "skill-7"}, status="ok"),
    "file reader": ToolCall("read_file", {"file_path": "/srv/skills/skill-7/SKILL.md"}, status="ok"),
    "shell": ToolCall("Bash", {"command": "cat .claude/skills/skill-7/SKILL.md | head -50"}, status="ok"),
    "other shell": ToolCall(
        "Bash", {"command": "python scripts/check.py --all out/report.json"}, status="ok"
    ),
    "other tool": ToolCall("get_weather", {"city": "Hue", "days": 5}, status="ok"),
}
REPEATS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--skills", type=int, default=1000)
    count = parser.parse_args().skills
    skills = {
        name: Tool(name, kind="skill", skill=Skill(name, files=(SkillFile("references/a.md", "1"),)))
        for name in (f"skill-{number}" for number in range(100))
    }
    index = SkillIndex(skills)
    for what, call in CALLS.items():
        begun = time.process_time()
        for _ in range(REPEATS):
            index.skill_call(call)
        print(f"{what:<12} {(time.process_time() - begun) / REPEATS * 1e6:6.1f} µs a call")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(count):
            write_skill(root / f"skill-{number}", number)
        begun = time.process_time()
        report = lint([read_skill_set(root)])
        seconds = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"lint of {count:,} skills: {seconds:.1f} s of CPU, {memory:.0f} MB, {len(report.diagnostics)} findings"
    )


def write_skill(folder: Path, number: int) -> None:
    """A skill of words that no other has."""
    words = [f"w{(number * 37 + at * 101) % 9973}" for at in range(18)]
    folder.mkdir()
    body = "\n".join(f"Step {at}: handle {words[at % 18]} and write the result down." for at in range(60))
    head = f"Handles {' '.join(words[:9])}. Use when the user asks about {' '.join(words[9:])}."
    text = f"---\nname: {folder.name}\ndescription: {head}\n---\n# {folder.name}\n\n{body}\n"
    (folder / "SKILL.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
