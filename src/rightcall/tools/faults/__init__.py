"""Faults on purpose: what breaks, where and how often, and what the agent made of it.

plan       fault plans, decided by a seed and written down before the run
inject     making a plan happen, call by call; `corrupt` is what a fault does to a result
tool_list  the list of tools as a model is shown it
measures   what an agent did when things broke, read off the ledger and the calls

To add a fault, add a name to `plan.FaultType` with its phase, and its case in `inject` or `corrupt`.
"""
