"""Live conversations: an agent on one side, a user on the other, turn by turn.

dialogue_loop the loop of both sides, until one ends it; what a user is, and the scripted one
agent_side    the agent's: a model with tools, a function called for each turn, or an agent that opens sessions
model_user    a user played by a model
personas      personas of simulated users, a golden as one conversation for each, their prompt, and how a reply ends it
"""
