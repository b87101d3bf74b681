"""Reasons to doubt a golden: functions of a suspect, named as their code in `improve/doubt.py`.

Two look at more than one golden, in `comparisons`: contradictions compare requests, discrimination compares agents.

    demands  doubts from what a golden demands, without asking an agent
"""
