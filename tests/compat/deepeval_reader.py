"""Run by an interpreter that has DeepEval: reads a file the way DeepEval's users do and prints what it found."""

import json
import sys

from deepeval.dataset import EvaluationDataset


def tool(call):
    return {
        "name": call.name,
        "type": getattr(call.type, "value", call.type),
        "description": call.description,
        "reasoning": call.reasoning,
        "output": call.output,
        "input_parameters": call.input_parameters,
    }


def tools(calls):
    return [tool(call) for call in calls] if calls else None


def turn(found):
    return {
        "role": found.role,
        "content": found.content,
        "user_id": found.user_id,
        "tools_called": tools(found.tools_called),
        "metadata": found.metadata,
    }


def told(golden):
    names = ("name", "comments", "additional_metadata", "custom_column_key_values")
    found = {name: getattr(golden, name) for name in names}
    found["context"] = golden.context or None
    found["must"] = golden.expectations.must if golden.expectations else None
    if hasattr(golden, "scenario"):
        names = ("scenario", "expected_outcome", "user_description")
        found |= {name: getattr(golden, name) for name in names}
        found["persona_name"] = golden.persona.name if golden.persona else None
        return found | {"turns": [turn(item) for item in golden.turns or ()]}
    names = ("input", "actual_output", "expected_output", "source_file", "token_cost", "input_token_count")
    found |= {name: getattr(golden, name) for name in names}
    return found | {
        "tools_called": tools(golden.tools_called),
        "expected_tools": tools(golden.expected_tools),
    }


def main(paths):
    for path in paths:
        dataset = EvaluationDataset()
        getattr(dataset, f"add_goldens_from_{path.rpartition('.')[2]}_file")(path)
        print("FOUND " + json.dumps([told(golden) for golden in dataset.goldens]))


main(sys.argv[1:])
