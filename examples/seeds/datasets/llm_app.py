"""What the examples of this folder evaluate: an application, and a judge, both scripted so that they need no key."""

from __future__ import annotations

from rightcall import ToolCall, scripted


def your_llm_app(question: str) -> str:
    """In place of your application."""
    return {"What is your name?": "My name is Ada.", "What can you do?": "I answer questions."}.get(
        question, "Fish."
    )


def verdict(request):
    """In place of a model that judges: only an answer about fish is beside the point."""
    passed = "Fish" not in request.messages[-1].content
    reason = "it answers the question" if passed else "it is about fish"
    return ToolCall("give_verdict", {"verdict": "pass" if passed else "fail", "reason": reason})


JUDGE = scripted(verdict, "judge")
