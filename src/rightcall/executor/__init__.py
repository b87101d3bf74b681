"""Runs agents: from a golden to a trajectory.

agent         Agent (what is tested) and Session (an agent made ready for a run)
single_turn   one request, tools offered but never run
agent_loop    ask, run tools, tell, until done or a limit
conversation/ conversations held live: both sides of them, scripted and simulated users
models        goldens that name another model
user          a user's own agent; returns: what it may return
asking        retries with jitter; throttle: as many at once as the provider bears
pool          many cases at once
prompts, recorder, limits
"""

from rightcall.executor.agent import Agent, Performer, Session, agent_problems, model_problems
from rightcall.executor.asking import Asker, Patience
from rightcall.executor.conversation import SimulationNode, UserSetup
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
    "SimulationNode",
    "UserSetup",
    "agent_problems",
    "model_problems",
]
