"""Runs agents: from a golden to a trajectory.

agent         Agent (what is tested) and Session (an agent made ready for a run)
single_turn   one request, tools offered but never run
agent_loop    ask, run tools, tell, until done or a limit
user          a user's own agent
observed      agents talked to in sessions: observed frameworks, services, commands; tool_desk: their tools, mocked
asking        retries with jitter; throttle: as many at once as the provider bears
pool          many cases at once
prompts, recorder, limits
"""

from rightcall.executor.agent import Agent, Performer, Session, agent_problems
from rightcall.executor.asking import Asker, Patience
from rightcall.executor.limits import Limits, RunLimits
from rightcall.executor.pool import Pool

__all__ = [
    "Agent",
    "Asker",
    "Limits",
    "Patience",
    "Performer",
    "Pool",
    "RunLimits",
    "Session",
    "agent_problems",
]
