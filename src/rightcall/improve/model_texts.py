"""Texts that a model writes: several for the same question, and rewritten descriptions.

For a description it sees a finding, the failed cases of tune, and the old text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rightcall.core.errors import ProviderError
from rightcall.improve.findings import RunFinding
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.proposals import Proposal, ProposalTask, proposal_for
from rightcall.providers.base import ModelRequest, Prompt, Provider, Settings
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.resolver import resolve
from rightcall.records.golden import AnyGolden, request_of
from rightcall.records.message import Message
from rightcall.records.tool import Tool

VARIANTS = 3


async def ask_variants(provider: Provider, prompt: Prompt, question: str, name: str, seed: int) -> list[str]:
    """The answers, each in one line and without quotes around it, without those that the provider failed to give."""
    messages = (Message("user", question),)
    requests = [
        ModelRequest(prompt, messages, golden_id=name, trial=n, seed=seed + n) for n in range(VARIANTS)
    ]
    replies = await asyncio.gather(*map(provider.complete, requests), return_exceptions=True)
    texts = []
    for reply in replies:
        if not isinstance(reply, BaseException):
            texts.append(" ".join(reply.message.content.strip().strip('"').split()))
        elif not isinstance(reply, ProviderError):
            raise reply
    return texts


SYSTEM = (
    "You rewrite the description of one tool so that a model chooses it rightly. Reply with the new description alone. "
    "Say what the tool is for and, where it is confused with another, what it is not for. Be no longer than needed. "
    "Never copy values, names or sentences from the examples. Use no words such as always, must or best."
)
EXAMPLES = 5
LONGEST = 1_000


class Rewriter:
    """Asks a model for descriptions; made for `ImproveOptions.rewrite`."""

    def __init__(self, model: str | ModelEndpoint, *, seed: int = 0) -> None:
        self._model = model
        self._seed = seed

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
                texts = await ask_variants(provider, prompt, question, f"rewrite {name}", seed=self._seed)
                proposals += _proposals(finding, by_name[name], texts)
        return proposals


def _proposals(finding: RunFinding, tool: Tool, texts: Sequence[str]) -> list[Proposal]:
    shortened = dict.fromkeys(text[:LONGEST] for text in texts)
    fresh = [text for text in shortened if text and text != tool.description]
    return [
        proposal_for(
            finding,
            (ProposedChange(tool.name, ("description",), tool.description, text),),
            "model",
            f"rewrite {tool.name} {number}",
            why=f"a model's text for {finding.cause}",
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
