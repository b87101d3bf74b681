"""The operators, by what they change: functions named as users type them, listed in `OPERATORS` of their file.

Each makes one bug from right behaviour and says whether it is provably wrong, by construction and never by its score.

    arguments  operators that change the value of an argument
    calls      operators that change which calls are made, how often and in what order
    results    operators that change what is taken from results, said in the answer or left in the world
"""
