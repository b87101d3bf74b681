"""Single-turn mode: one request with the tools, whose calls are recorded but not run."""

from __future__ import annotations

from rightcall.errors import ProviderError
from rightcall.executor.deadline import Deadline
from rightcall.executor.limits import Limits
from rightcall.executor.prompts import Prompts
from rightcall.executor.recorder import Recorder
from rightcall.executor.retrying_client import Asker
from rightcall.model.golden import Golden
from rightcall.model.message import Message
from rightcall.model.trajectory import StopReason, Trajectory
from rightcall.providers import ModelRequest


class SingleTurn:
    """Asks the model once per case."""

    def __init__(self, asker: Asker, prompts: Prompts, limits: Limits) -> None:
        self._asker, self._prompts, self._limits = asker, prompts, limits

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        """The calls the model chose. A provider failure is an `infra_error`, never an exception."""
        question = Message("user", golden.input)
        recorder = Recorder(question)
        request = ModelRequest(
            self._prompts.prompt_of(golden),
            (question,),
            golden.id,
            trial,
            self._prompts.seed_of(golden, trial),
        )
        try:
            reply = await self._asker.ask(request, Deadline(self._limits.seconds))
        except TimeoutError:
            return recorder.trajectory("limit", f"more than {self._limits.seconds:g} seconds")
        except ProviderError as error:
            return recorder.trajectory("infra_error", str(error))
        recorder.reply(reply)
        return recorder.trajectory(stop_reason(reply.stop))


def stop_reason(stop: str) -> StopReason:
    """The stop reason of a model, in the words of a trajectory."""
    return "refused" if stop == "refused" else "truncated" if stop == "truncated" else "done"
