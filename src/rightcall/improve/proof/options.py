"""The options of `improve`: how much it may try, and who makes proposals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated

from rightcall.core.options import Option, StoreOption
from rightcall.improve.model_texts import Rewriter
from rightcall.improve.proposals import Proposer
from rightcall.providers.endpoint import ModelEndpoint


@dataclass(frozen=True, kw_only=True)
class ImproveLimits:
    """How much may be tried."""

    proposals: Annotated[int, Option("Maximum proposals to try", ge=1, le=50)] = 10
    trials: Annotated[int, Option("Trials per golden in the proof", ge=1, le=100)] = 3
    budget: Annotated[
        int | None, Option("Maximum number of agent calls; refuse to start if more are needed", ge=1)
    ] = None
    unproven: Annotated[
        bool, Option("Write the best patch even if there are too few goldens to prove it")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ImproveOptions(ImproveLimits):
    """`rewrite` gives further proposals, such as those of a model.

    `announce` is called with a sentence about the next step, before it costs anything.
    """

    rewrite: Proposer | None = None
    announce: Callable[[str], None] = lambda sentence: None


@dataclass(frozen=True, kw_only=True)
class ImproveRequest(ImproveLimits):
    """What `rightcall improve` and `rightcall.improve` are asked for."""

    model: Annotated[
        str | None,
        Option(
            "Model that rewrites descriptions, in addition to what findings and lint propose: provider:model[@URL]"
            " or a name from models",
        ),
    ] = None
    store: StoreOption = None

    def options(
        self, writer: str | ModelEndpoint | None, announce: Callable[[str], None] = lambda sentence: None
    ) -> ImproveOptions:
        """The options of the protocol; `writer` is the model that rewrites."""
        limits = {field.name: getattr(self, field.name) for field in fields(ImproveLimits)}
        return ImproveOptions(**limits, rewrite=Rewriter(writer) if writer else None, announce=announce)
