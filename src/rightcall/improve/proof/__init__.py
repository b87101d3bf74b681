"""`improve`: changes of definitions, tried on some goldens and proven on others that were not used to choose them.

protocol       from proposals to a patch: what is tried, in which order, and what is accepted
options        how much may be tried, and who proposes: rewriter and gepa_engine, descriptions by a model
material       shared by all of them: goldens to tune on, goldens for proof, and how often they were used as proof
prospects      what proof can show, simulated, and what it takes
arms           variants of the agent, run at the same time on the same goldens
preselection   which proposals are better on tune, and which of their sentences have no effect
judgement      the result of a proposal in proof, and its effect on other tools
file_patch     edits as a patch of the user's files
"""
