"""Runs agents: from a golden to a trajectory.

agent         Agent: what is tested, and where its model is asked
open_agent    an agent ready to run; function, model: two kinds
kinds         which kind an agent is, and what keeps it from running
agent_loop    ask, run tools, return results, until done or a limit is reached; or one request, nothing run
conversation/ live conversations: both sides, scripted and simulated users
performers    goldens that name another model; trials recorded and replayed
agent_function  a user's function: what its parameters get; callable_agent: what it may return
trial_values    what an agent takes besides the text, made for each trial
watched_trial   a trial of such an agent, with its first request; kept_state: agents that carry one trial into the next
agent_session   agents with sessions: observed frameworks, services, commands; their tools, mocked
observed/       agents of other frameworks: the protocol of adapters, their sessions and what they record
remote/         agents behind an address or a command: http and exec
model_retries    retries with jitter; concurrency that adapts to the provider
limits        limits of a case and of a run
pool          concurrent cases

"""
