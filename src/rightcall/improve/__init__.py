"""What can be learned from stored runs, and which change helps.

run_analysis     why a run fails: streamed from the store, or from results in memory
findings         the result: symptoms and evidence, causes/, hypotheses, ranked
proposals        changes worth trying, where each can act, and what definitions become (improvement)
proof/           `improve`: changes of definitions, tried on some goldens and proven on others
changes          what changed between two runs, in code too, and which flipped goldens that touches (attribution)
reference        what changed since failing goldens last passed
robustness       what faults and harmless changes (perturbations, paraphrases) did to a run, paired with a clean one
model_texts      what a model writes: rewritten descriptions, variants of a text
variant          an agent with other definitions, for all that try some
golden_doubts, doubt_reasons   goldens that are probably wrong, by reason (doubt)
votes            agents that agree, by maker; call_difference: how calls differ from a golden
past_evidence    what agents did in stored runs and files
dataset_quality  what a dataset contains, and what it can show

    argument_kind  the kind of an argument error: a closed list, derived from the values, never from message text
    counters       what analysis keeps of a run: counters by golden, symptom, parameter and tool, never a trajectory
    golden_facts   what analysis reads of a golden
    hypothesis     a possible cause of some failures, with its evidence and the proposed change
    improvement    the result of `improve`, and the patch of definitions
    rank           from hypotheses to a ranked list in which every failed trial is explained once
    run_matrix     more than two runs: goldens by runs, and a group of runs over time
    run_setup      the setup of a run in readable form: definitions, system prompt, settings
    suspicion      which doubts explain failures of a run
    symptom        one failed trial, one symptom: the first thing that went wrong, derived only from failure codes
    units          units of numbers
"""
