"""Fault injection: what breaks, where and how often, and how the agent copes.

plan       fault plans, decided by a seed and written down before the run; the list of tools as the model sees it
inject     applies a plan to each call, and corrupts results
measures   what an agent did when tools failed, from the ledger and the calls; which calls only recover

To add a fault, add a name to `plan.FaultType` with its phase, and its case in `inject`.
"""
