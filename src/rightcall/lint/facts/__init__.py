"""What the rules know about the world, apart from what they do with it.

verbs       verbs in names of tools and the effect they speak of
words       words that say little, generic names, acronyms, units
providers   limits and keywords of each provider, read from `providers.json`, which is dated
sources     where each piece of advice comes from
background  how common words are in tool definitions, for the confusability score
"""
