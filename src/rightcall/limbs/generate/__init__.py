"""Where test cases come from: goldens from tools, documents, contexts, other goldens, or a description.

    command       `rightcall generate`; sources: the work that was typed      review   accepting and finishing drafts
    synthesizer   Synthesizer: the methods under DeepEval's names, and their async forms
    setup         the settings of a synthesizer, the models it opens, what is shared by all of its work
    plans         call plans sampled from schemas
    values        arguments of a plan, drawn from what schemas state; examples: what a model writes for the rest
    config        settings, and the options of the command
    verify        checks of a golden: schema, mock, words (statement), independent solvers, duplicates
    documents     text of files, and contexts: related pieces
    scribe        requests to a model, step by step; prompts/: its prompts
    tool_jobs     goldens from tools and skills, conversations      text_jobs   from contexts, a description, goldens
    run_proposals expected calls proposed from what an agent did in a run
    production    from jobs to drafts: pool, sink, store, resume
    simulator     ConversationSimulator: conversations with simulated users, as test cases

To add a method: a function that turns its input into jobs, and a method of `Synthesizer`.
"""
