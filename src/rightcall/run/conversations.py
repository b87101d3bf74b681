"""Conversations of a plan: how many a golden stands for, and what would prevent one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rightcall.agents.agent import Agent, is_function
from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.conversation.agent_side import NO_BEGINNING
from rightcall.agents.conversation.dialogue_loop import Users
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.core.codec import stable_repr
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError
from rightcall.providers.catalog import ModelCatalog
from rightcall.records.golden import ConversationalGolden
from rightcall.run.suite import UserConfig


def conversation_problem(golden: ConversationalGolden, agent: Agent, user: UserSetup | Users | None) -> str:
    """Why a conversation cannot be run; empty when it can."""
    model: Any = agent.model
    if is_function(model) and not AgentFunction.of(model, agent.with_).takes_turns:
        return ""  # it takes the golden and runs the conversation itself
    if golden.given and hasattr(model, "session"):
        return "golden '{}' {}; {}".format(golden.id, *NO_BEGINNING)
    if golden.is_simulated and user is None:
        hint = "add the user's turns, or set the model that plays the user (user: {model: …} in the suite)"
        reason = "simulate is true" if golden.simulate else "has no user turn left"
        return f"golden '{golden.id}' {reason}, and there is no simulated user; {hint}"
    if not golden.is_simulated and not golden.script:
        return f"golden '{golden.id}' has no user turn left, and simulate is false"
    return ""


def user_setup(config: UserConfig, folder: Path, models: ModelCatalog) -> UserSetup:
    """Who plays users, as configured in a suite."""
    return UserSetup(
        model=config.model,
        personas=config.personas,
        max_turns=config.max_turns,
        language=config.language,
    ).bound(models)


def simulator_fingerprint(user: UserSetup | Users) -> str:
    """A hash of what two runs with the same simulated users have in common."""
    if isinstance(user, UserSetup):
        return user.fingerprint
    return hex_digest(stable_repr(user))


def as_user(user: Any) -> UserSetup | Users | None:
    """Who plays the users, from a model, a suite's mapping, or custom users."""
    if user is None or isinstance(user, UserSetup):
        return user and user.bound()
    if isinstance(user, Mapping):
        unknown = [name for name in user if name not in UserSetup.__dataclass_fields__]
        if unknown:
            fields = ", ".join(UserSetup.__dataclass_fields__)
            raise ConfigError(f"user: unknown field {unknown[0]!r}; fields: {fields}")
        return UserSetup(**user).bound()
    if hasattr(user, "user"):
        users: Users = user
        return users
    return UserSetup(user).bound()
