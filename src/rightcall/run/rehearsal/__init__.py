"""Behaviour without a model: made from a golden, played through mocks in a fresh world, judged by the suite's criteria.

grounds         where a value stands: the request, the context, an earlier result
toolset         facts about the tools that goldens are offered
expected_value  a value that an expectation accepts
known_good      a trajectory made from a golden; edits: the same with other calls
call_key        what two calls share that are the same for a reader
own_behaviour   whether what a golden expects passes it
stage           plays calls through the suite's mocks and worlds
trial           scores behaviour: passed, failed or not judged
"""
