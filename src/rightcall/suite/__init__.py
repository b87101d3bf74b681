"""What brings the rooms together: datasets, tools and metrics meet here.

recorded    score recorded behaviour
check       goldens against the tools they speak of
tally       results added up as they come
"""
