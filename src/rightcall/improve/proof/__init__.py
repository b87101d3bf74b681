"""`improve`: changes of definitions, tried on some goldens and proven on others that were not used to choose them.

protocol       from proposals to a patch: what is tried, in which order, and what is accepted
options        how much may be tried, and who proposes: findings, or a model
material       shared by all of them: goldens to tune on, goldens for proof, and what these can show
arms           variants of the agent, run at the same time on the same goldens
judgement      which proposals must not be tried, which are better on tune; the result in proof, and on other tools
"""
