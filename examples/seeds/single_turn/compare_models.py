"""Two models on one dataset, compared golden by golden: is the difference more than chance?

Twenty requests to read a file. One model reads, the other lists the directory for eight of them.
"""

from file_tools import TOOLS

import rightcall as rc

goldens = [
    rc.Golden(f"Read chapter{i}.md", id=f"read-{i}", expected_calls=(rc.ExpectedCall("readFile"),))
    for i in range(20)
]


def model(wrong):
    def answer(request):
        lists = any(f"chapter{i}.md" in request.messages[-1].content for i in range(wrong))
        return rc.ToolCall("listFiles" if lists else "readFile", {"path": "."})

    return rc.Agent(rc.scripted(answer, f"wrong-{wrong}"), tools=TOOLS)


first, second = (rc.evaluate(model(wrong), goldens, group="models") for wrong in (0, 8))
(found,) = rc.compare(first, second)
print(
    f"{first.summary.overall.pass_rate:.0%} against {second.summary.overall.pass_rate:.0%}, p = {found.p_adjusted:.4f}"
)
assert found.p_adjusted < 0.05
