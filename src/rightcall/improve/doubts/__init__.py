"""Reasons to doubt a golden: functions of a suspect, named as their code in `improve/doubt.py`.

    agents   doubts from what several agents do instead
demands  doubts from what a golden demands, without asking an agent
"""
