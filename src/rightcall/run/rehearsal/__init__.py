"""Behaviour without a model: made from a golden, played through mocks in a fresh world, judged by the suite's criteria.

values          a value that an expectation accepts, and where one stands: the request, an earlier result
toolset         facts about the tools that goldens are offered, and which calls of them are the same
known_good      a trajectory made from a golden, and whether what a golden expects passes it
stage           exchanges calls, and plays them through the suite's mocks and worlds
trial           scores behaviour: passed, failed or not judged
"""
