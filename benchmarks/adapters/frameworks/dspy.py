"""DSPy: ReAct over an LM; it writes calls as fields of a text, one at a time, then `finish`, then the answer."""

from __future__ import annotations

import os
from typing import Any, ClassVar

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import dspy
from pydantic import BaseModel
from tests.limbs.adapters.script import Answer

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.toolbox import TOOLS

FINISH = "(finish)"


class Trip(BaseModel):
    city: str
    nights: int


class Travel(dspy.Signature):
    """Help travellers."""

    question: str = dspy.InputField()
    history: dspy.History = dspy.InputField()
    answer: str = dspy.OutputField()


class TravelTrip(dspy.Signature):
    """Help travellers."""

    question: str = dspy.InputField()
    answer: Trip = dspy.OutputField()


class DSPy(Framework):
    name = "dspy"
    cannot: ClassVar = {
        "parallel_calls": "ReAct makes one call at a time",
        "handoff": "modules call one another; they do not hand over",
        "streamed": "streaming wraps the module in another function",
        "broken_json": "the answer is text that DSPy parses: it asks again when it cannot",
    }

    limits: ClassVar = {
        "unknown_tool": "an answer that DSPy cannot parse, such as one that names an unknown tool, has no call",
        **dict.fromkeys(
            ("tool_raises", "invalid_arguments"),
            "DSPy shows the model the traceback of a failed tool: it names the line that runs observed tools",
        ),
    }

    def agent(self, setup: Setup) -> Any:
        def module(name: str, signature: Any, *more: Any) -> Any:
            lm = dspy.LM(
                f"openai/{setup.model(name)}",
                api_base=setup.base_url,
                api_key="k",
                cache=False,
                num_retries=0,
                timeout=setup.timeout,
            )
            agent = dspy.ReAct(
                signature, tools=[*TOOLS, *more], max_iters=STEPS if setup.shape == "limited" else 8
            )
            agent.set_lm(lm)
            return agent

        if setup.shape == "typed_answer":
            return module(TRAVEL, TravelTrip)
        if setup.shape == "sub_agent":
            expert = module(EXPERT, "question -> answer")

            async def ask_expert(input: str) -> str:
                """Ask the expert."""
                return str((await expert.acall(question=input)).answer)

            return module(TRAVEL, Travel, dspy.Tool(ask_expert, name=ASK_EXPERT))
        return module(TRAVEL, Travel)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        turns: list[Any] = []
        for text in says:
            given: dict[str, Any] = {"question": text}
            if "history" in agent.signature.input_fields:
                given["history"] = dspy.History(messages=list(turns))
            prediction = await agent.acall(**given)
            turns.append({"question": text, "answer": prediction.answer})
        return prediction.answer

    def scripted(self, answer: Answer) -> list[Answer]:
        """A text is said in two answers: `finish`, and the answer itself."""
        return [answer] if answer.calls else [Answer(FINISH, usage=answer.usage, cached=0), answer]

    def may_call(self, body: dict[str, Any]) -> bool:
        return "next_tool_name" in str(body["messages"][0])

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        if "next_tool_name" in str(body["messages"][0]):
            call = answer.calls[0] if answer.calls else None
            fields = {
                "next_thought": "…",
                "next_tool_name": call.name if call else "finish",
                "next_tool_args": call.text if call else "{}",
            }
        else:
            fields = {"reasoning": "…", "answer": answer.text}
        text = "".join(f"[[ ## {name} ## ]]\n{value}\n\n" for name, value in fields.items())
        return Answer(
            text + "[[ ## completed ## ]]", (), answer.cut, answer.ending, answer.usage, answer.cached
        )


FRAMEWORK = DSPy()
