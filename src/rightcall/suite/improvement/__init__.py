"""`improve`: changes of definitions, tried on some goldens and proven on others that nothing was chosen by.

protocol       from proposals to a patch: what is tried, in which order, and what is accepted
options        how much may be tried, and who proposes: rewriter and gepa_engine, descriptions by a model
material       what all of them work with; split: goldens to tune on, and goldens for proof
ledger         how often goldens have been used as proof, and the level that is left
prospects      what proof can show, and what it takes; power simulates it
arms           variants of the agent, run at the same time on the same goldens
preselection   which proposals are better on tune, and which of their sentences do nothing
judgement      what proof says of a proposal, and what it did to other tools
file_patch     edits as a patch of the user's files
"""
