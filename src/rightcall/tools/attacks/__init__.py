"""Planting: what an attacker wrote, put into copies of what the agent reads, and the search for the canaries in it.

trial_plants    the plants of one trial: which are due at a read
call_stage      the stage of a call that applies them to its result, or answers with an error
placement       where in a result a text goes
text_wrap       how a text is disguised
tool_list       poisoned, shadowed and replaced definitions
request         documents, history and the user's own words
canary_search   a canary in any of its forms

Worlds, mocks and results stay as they were: planting changes what is handed to the agent. To add a wrap, add its
name to `model.safety.Wrap` and a line in `text_wrap.WRAPPERS`.
"""
