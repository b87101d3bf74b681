"""The three evaluators are metrics by name: tools_selected, tools_avoided and tool_selection (F1 of the names)."""

import rightcall as rc

golden = rc.Golden("Read README.md", expected_calls=(rc.ExpectedCall("readFile"),))
negative = rc.Golden("Tell me a joke", category="negative", forbidden_calls=("readFile", "deleteFile"))


def measured(golden, *names):
    case = rc.TestCase(golden, rc.Trajectory(calls=tuple(rc.ToolCall(name, {"path": "."}) for name in names)))
    run = rc.score_cases([case], measure=["tools_selected", "tools_avoided", "tool_selection"])
    (result,) = run.results
    values = {
        name: round(result.metrics[name].value, 2)
        for name in ("tools_selected", "tools_avoided", "tool_selection")
    }
    print(names, values)
    return values


assert measured(golden, "readFile") == {"tools_selected": 1, "tools_avoided": 1, "tool_selection": 1}
assert measured(golden, "readFile", "listFiles")["tool_selection"] == 0.67  # precision 1/2, recall 1
assert measured(golden, "listFiles")["tools_selected"] == 0
assert measured(golden, "readFile", "readFile")["tool_selection"] == 0.67  # a repetition never counts twice
assert measured(negative)["tools_avoided"] == 1
assert measured(negative, "deleteFile")["tools_avoided"] == 0
