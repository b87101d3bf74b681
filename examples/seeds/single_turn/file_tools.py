"""The tools that the examples here offer, and a model that chooses among them by a script."""

from __future__ import annotations

import rightcall as rc

PATH = {"type": "string", "description": "Path of the file or directory, such as src/main.py."}
TEXTS = {
    "readFile": "Read the contents of one file. Use listFiles to see what there is.",
    "writeFile": "Write a text to a file. Replaces what was in it.",
    "listFiles": "List the files of a directory.",
    "deleteFile": "Delete a file. This cannot be undone.",
}
TOOLS = [
    {
        "name": name,
        "description": text,
        "input_schema": {"type": "object", "properties": {"path": PATH}, "required": ["path"]},
    }
    for name, text in TEXTS.items()
]


def model(**changes):
    """A model that answers each prompt of file-tools.json; `changes` are other choices, by a word of the prompt."""
    choices = {"README": ["readFile"], "src": ["listFiles"], "project": ["listFiles"]} | changes

    def answer(request):
        prompt = request.messages[-1].content
        names = next((names for word, names in choices.items() if word in prompt), [])
        return [rc.ToolCall(name, {"path": "."}) for name in names] or "Paris, or a joke."

    return rc.scripted(answer)
