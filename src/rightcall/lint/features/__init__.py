"""Facts about tools that several rules need, computed once for each tool and each set.

text        sentences, excerpts, styles of names; how many tokens a text costs
mentions    words and phrases that rules look for, and closed lists of values in prose
schemas     every schema inside a tool's input schema, with its path; validation
tool        ToolFeatures: all of it for one tool
toolset     SetFeatures: facts about tools offered together

    skill  facts about the folder of one skill, read while its rules run and released afterwards
"""
