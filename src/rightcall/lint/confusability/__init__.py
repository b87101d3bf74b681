"""How likely a model confuses two tools, judging only from their definitions, with reasons.

    similarity  texts of tools as weighted words and pieces of words; names letter by letter
    pairs       which pairs are worth scoring, the score of each, and which words and parameters make it
    word_use    words of tools compared with words of requests

The score is 0.5 · similarity of the texts + 0.3 · share of common parameters + 0.2 · similarity of the names,
times 0.85 when the texts distinguish the two, 0.9 when the effects differ, 0.8 when only one destroys. On public
results of 71 models such a score ranks pairs that are really confused above others with an AUC of about 0.7 to 0.85:
a good reason to look, not a proof. User requests, where known, say more than the definitions.
"""
