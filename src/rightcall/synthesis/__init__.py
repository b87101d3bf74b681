"""Where test cases come from: goldens from tools, documents, contexts, other goldens, or a description.

    synthesizer   Synthesizer: the methods under DeepEval's names; async_synthesizer: the async methods
    setup         the settings of a synthesizer, the models it opens
    plans         call plans sampled from schemas; values, patterns, pools: their arguments
    config        settings, and evolutions: methods that make an input harder or rarer
    verify        checks of a golden: schema, mock, words, independent solvers (solver, statement), duplicates
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
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.synthesis.config import (
        ContextConstructionConfig as ContextConstructionConfig,
        ConversationalStylingConfig as ConversationalStylingConfig,
        Evolution as Evolution,
        EvolutionConfig as EvolutionConfig,
        FiltrationConfig as FiltrationConfig,
        StylingConfig as StylingConfig,
        VerificationConfig as VerificationConfig,
    )
    from rightcall.synthesis.control import end as end, proceed as proceed
    from rightcall.synthesis.coverage_count import coverage as coverage
    from rightcall.synthesis.estimate import (
        GenerationEstimate as GenerationEstimate,
        estimate_generation as estimate_generation,
    )
    from rightcall.synthesis.production import (
        Production as Production,
        SynthesisProgress as SynthesisProgress,
    )
    from rightcall.synthesis.run_proposals import (
        Disagreement as Disagreement,
        ExpectedDrafts as ExpectedDrafts,
        expected_drafts as expected_drafts,
    )
    from rightcall.synthesis.simulator import (
        ConversationSimulator as ConversationSimulator,
        SimulationNode as SimulationNode,
    )
    from rightcall.synthesis.synthesizer import Synthesizer as Synthesizer
    from rightcall.synthesis.verify import Verifier as Verifier
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "config": (
                "ContextConstructionConfig ConversationalStylingConfig Evolution EvolutionConfig "
                "FiltrationConfig StylingConfig VerificationConfig"
            ),
            "control": "end proceed",
            "coverage_count": "coverage",
            "estimate": "GenerationEstimate estimate_generation",
            "production": "Production SynthesisProgress",
            "run_proposals": "Disagreement ExpectedDrafts expected_drafts",
            "simulator": "ConversationSimulator SimulationNode",
            "synthesizer": "Synthesizer",
            "verify": "Verifier",
        },
    )
