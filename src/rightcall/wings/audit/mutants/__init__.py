"""The operators, by what they change: functions named as users type them, listed in `OPERATORS` of their file.

Each makes one bug from right behaviour and says whether it is provably wrong, by construction and never by its score.
"""
