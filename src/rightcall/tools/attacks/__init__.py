"""Planting: what an attacker wrote, put into copies of what the agent reads, and the search for the canaries in it.

trial_plants    the plants of one trial: due at a read, or before the first request; where in a result a text goes,
                and how it is disguised
call_stage      the stage of a call that applies them to its result, or answers with an error
tool_list       poisoned, shadowed and replaced definitions
canary_search   a canary in any of its forms

Worlds, mocks and results stay as they were: planting changes what is handed to the agent. To add a wrap, add its
name to `model.safety.Wrap` and a line in `trial_plants.WRAPPERS`.
"""
