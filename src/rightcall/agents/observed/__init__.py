"""Agents of other frameworks, observed while they run: hook → events → trajectory.

observed_agent   `observe(agent)`: an agent of a known framework, or a function, ready to be evaluated
kind             this kind of agent, ready to run
session          one trial: several turns with one agent, and what was observed so far
voices           who speaks: requests of a client below a framework, inside its tools, or apart from it
request_desk     what requests carry to the model where the agent's own code runs the tools: faults, planted texts
sent_request     a request on its way, in any wire format: its results, tools and instructions
recorder         what one adapter hears; the only place that joins calls with their results
adapter          what an adapter is; hooks: how process-wide hooks stay local to a trial
catalog          every adapter with the tested versions and its limitations
values           values of frameworks as plain JSON; why an agent stopped, from what it raised
provider_outage  whether what ended an agent is an outage of a model's provider

    framework_names  which agent runs, as frameworks say it: the same for callbacks and for spans
    model_answers    answers of a model with their calls, as they are noted and as a trajectory has them
"""
