"""What can be learned from stored runs, and which change helps.

run_analysis     why a run fails: streamed from the store, or from results in memory
findings         the result: symptoms and evidence, causes/, hypotheses, ranked
expected_path, step_funnel   the steps that goldens expect, and where trials leave them
proposals        changes worth trying, where each can act, what they become (patch), what they may not do (leakage)
proof/           `improve`: changes of definitions, tried on some goldens and proven on others
changes          what changed between two runs, and which flipped goldens that touches (attribution)
bisection        which of several changes broke goldens
lint_evidence    lint rules ranked by the mistakes made with the tools they flag
perturbations/, perturbed_run   harmless changes, paired with clean runs
model_texts      what a model writes for either: rewritten descriptions, paraphrases
golden_doubts, doubts/   goldens that are probably wrong, one file for each reason (doubt, suspect, golden_edit)
votes            agents that agree, by maker; call_difference: how calls differ from a golden
past_evidence    what agents did in stored runs (past_runs) and files; doubt_decisions: keep, edit, drop
robustness       what faults and harmless changes did to a run
dataset_quality, dataset_statistics   what a dataset can show, and what it contains
"""
