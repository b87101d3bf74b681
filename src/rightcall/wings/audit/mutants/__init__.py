"""The operators: one file each, named as users type it, with `mutate(scene, good)`.

Each makes one bug from right behaviour and says whether it is surely wrong, by construction and never by its score.
`BEYOND_CALLS = True` says that what it changes is not in the calls or the answer, such as their order.
"""
