"""User profiles, generated before the conversation: afterwards nothing may be made up."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.errors import ProviderError
from rightcall.executor import Asker, Deadline
from rightcall.executor.conversation import UserFault
from rightcall.model.message import Message
from rightcall.model.trajectory import Usage
from rightcall.providers import ModelRequest, Prompt, Settings

ATTEMPTS = 3
SYSTEM = """You make up one fictitious person for a test of a service. Nobody real may be meant.
Answer with one line for each item, in their order, as `item: value`, and with nothing else."""


async def made_profile(
    asker: Asker, items: Sequence[str], seed: int, settings: Settings
) -> tuple[str, Usage]:
    """A fictitious person with a value for each item; `UserFault` when the model gives none."""
    prompt = Prompt(SYSTEM, (), settings)
    spent, missing = Usage(), list(items)
    for attempt in range(ATTEMPTS):
        wish = Message("user", "Items:\n" + "\n".join(items))
        request = ModelRequest(prompt, (wish,), "profile#user", seed, (seed + 1000 * attempt) & 0x7FFFFFFF)
        try:
            reply = await asker.ask(request, Deadline(120.0))
        except (ProviderError, TimeoutError) as error:
            raise UserFault(f"cannot generate a profile: {error}", spent) from None
        spent = spent.plus(reply.usage)
        values = read_profile(reply.message.content, items)
        missing = [item for item in items if item not in values]
        if not missing:
            return "\n".join(f"{item}: {values[item]}" for item in items), spent
    raise UserFault(f"cannot generate a profile: nothing for {', '.join(missing[:3])}", spent)


def read_profile(text: str, items: Sequence[str]) -> dict[str, str]:
    """The values of the items in a model's lines; other lines are ignored."""
    wanted = {item.casefold(): item for item in items}
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.strip(" -*•\t").partition(":")
        item = wanted.get(name.strip(" *`\"'").casefold())
        if colon and item and value.strip():
            found.setdefault(item, value.strip(" *"))
    return found
