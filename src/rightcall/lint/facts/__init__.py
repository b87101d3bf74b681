"""What the rules know about the world, apart from what they do with it.

verbs       verbs in names of tools and the effect they speak of
words       words that say little, generic names, acronyms, units
background.json   how common words are in tool definitions, for the confusability score
"""
