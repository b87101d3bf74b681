"""Reasons to doubt a golden, one file each: `reasons(suspect)`, named as its code in `improve/doubt.py`.

Two look at more than one golden: `contradiction` compares requests, `discrimination` compares agents.
"""
