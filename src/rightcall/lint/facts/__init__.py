"""Data for the rules: word lists and sources.

verbs       verbs in tool names and the effects they imply
words       words that say little, generic names, acronyms, units
background.json   how common words are in tool definitions, for the confusability score
"""
