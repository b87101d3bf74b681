"""Rewritten descriptions from a model: it sees a finding, the failed cases of tune, and the old text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rightcall.core.errors import ProviderError
from rightcall.improve.findings import RunFinding
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.proposals import Proposal, ProposalTask, proposal_for
from rightcall.model.golden import AnyGolden, request_of
from rightcall.model.message import Message
from rightcall.model.tool import Tool
from rightcall.models.base import ModelRequest, Prompt, Settings
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.resolver import resolve

SYSTEM = (
    "You rewrite the description of one tool so that a model chooses it rightly. Reply with the new description alone. "
    "Say what the tool is for and, where it is confused with another, what it is not for. Be no longer than needed. "
    "Never copy values, names or sentences from the examples. Use no words such as always, must or best."
)
EXAMPLES = 5
LONGEST = 1_000
VARIANTS = 3


class Rewriter:
    """Asks a model for descriptions; made for `ImproveOptions.rewrite`."""

    def __init__(self, model: str | ModelEndpoint, *, seed: int = 0) -> None:
        self._model, self._seed = model, seed

    async def __call__(self, task: ProposalTask) -> list[Proposal]:
        """A few texts for each tool that a stated finding names; none when the model gives no usable answer."""
        by_name = {tool.name: tool for tool in task.tools}
        findings = [
            (finding, name) for finding in task.found.stated for name in finding.tools if name in by_name
        ]
        prompt = Prompt(SYSTEM, (), Settings(max_tokens=400, temperature=0.7))
        proposals: list[Proposal] = []
        async with resolve(self._model) as provider:
            provider.prepare(prompt)
            for finding, name in findings[:VARIANTS]:
                question = _question(finding, by_name[name], task.tune)
                messages = (Message("user", question),)
                requests = [
                    ModelRequest(prompt, messages, golden_id=f"rewrite {name}", trial=n, seed=self._seed + n)
                    for n in range(VARIANTS)
                ]
                replies = await asyncio.gather(
                    *(provider.complete(r) for r in requests), return_exceptions=True
                )
                texts = [
                    _text(reply.message.content) for reply in replies if not isinstance(reply, BaseException)
                ]
                failed = [reply for reply in replies if isinstance(reply, BaseException)]
                if failed and not all(isinstance(reply, ProviderError) for reply in failed):
                    raise failed[0]
                proposals += _proposals(finding, by_name[name], texts)
        return proposals


def _proposals(finding: RunFinding, tool: Tool, texts: Sequence[str]) -> list[Proposal]:
    fresh = [text for text in dict.fromkeys(texts) if text and text != tool.description]
    return [
        proposal_for(
            finding,
            (ProposedChange(tool.name, ("description",), tool.description, text),),
            "model",
            f"rewrite {tool.name} {number}",
            f"a model's text for {finding.cause}",
        )
        for number, text in enumerate(fresh, start=1)
    ]


def _question(finding: RunFinding, tool: Tool, tune: Sequence[AnyGolden]) -> str:
    ids = set(finding.goldens)
    asked = [request_of(golden) for golden in tune if golden.id in ids][:EXAMPLES]
    lines = [
        f"Tool: {tool.name}",
        f"Description now: {tool.description}",
        f"Problem: {finding.what}",
        *finding.evidence,
    ]
    return "\n".join([*lines, "Requests that went wrong:", *(f"- {text[:300]}" for text in asked)])


def _text(reply: str) -> str:
    return " ".join(reply.strip().strip('"').split())[:LONGEST]
