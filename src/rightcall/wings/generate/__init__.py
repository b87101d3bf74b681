"""Where test cases come from: goldens from tools, documents, contexts, other goldens, or a description.

    synthesizer   Synthesizer: the methods under DeepEval's names, and their async forms
    setup         the settings of a synthesizer, the models it opens
    plans         call plans sampled from schemas
    plannable_tools   tools that a request can be written for, and why not (needed_parameters, tool_conditions)
    values        arguments of a plan (scalars, patterns, pools: where they are drawn from)
    value_kinds   what a definition says of a value (documented_values, understood_values, file_kinds, parameter_roles)
    config        settings, and evolutions: methods that make an input harder or rarer
    verify        checks of a golden: schema, mock, words (statement), independent solvers, duplicates
    documents     text of files; chunks, contexts: related pieces
    templates     requests without a model; phrases/: their words, one file per language
    scribe        requests to a model, step by step; prompts/: its prompts
    steps         judging, rewriting, labelling: shared steps
    run_proposals expected calls proposed from what an agent did in a run
    production    from jobs to drafts: pool, sink, store, resume
    ways/         one file per method
    simulator     ConversationSimulator: conversations with simulated users, as test cases
    simulator_setup   what it needs: the agent, user profiles, graphs; control: stop controllers

To add a method: a file in `ways/` that turns its input into jobs, and a method of `Synthesizer`.

    actions         what a tool does, in the words of somebody who asks for it
    coverage_count  how much of a set of tools the goldens cover: tools, parameters, choices, kinds
    estimate        the cost of generation, estimated before any request
    kit             shared resources of generation, created once per run
    purpose_gaps    what the purpose of a tool names and a call would not say: which thing, of what, by what, to where
    schema_parts    the parts of a tool's schema: a parameter's schema, its type, its text, its items
    skill_goldens   trigger goldens from skills, without a model
"""
