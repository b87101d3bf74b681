"""What brings the rooms together: datasets, tools and metrics meet here.

suite, plan, selection   suite.yaml, and a run made ready: every problem found, nothing spent yet
runner, sink             runs a plan; results are on disk before they count
outcome, early, gating   verdicts, ending early, deciding about stored runs
recorded                 score recorded behaviour
estimate                 what a run would send
"""
