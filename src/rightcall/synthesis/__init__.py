"""Where test cases come from: goldens from tools, documents, contexts, other goldens, or a description.

    synthesizer   Synthesizer: the ways under the names users know; async_synthesizer: the ways themselves
    setup         the settings of a synthesizer, the models it opens
    plans         call plans sampled from schemas; values, patterns, pools: their arguments
    verify        whether a golden is right: schema, mock, words, independent solvers (solver, statement)
    evolutions    ways to make an input harder or rarer
    documents     text of files; chunks, contexts: pieces of it that belong together
    templates     requests without a model; phrases/: their words, one file per language
    scribe        asking a model step by step; prompts/: what it is asked
    steps         judging, rewriting, labelling: what several ways share
    production    from jobs to drafts: pool, sink, store, resume
    ways/         one file per way
    simulator     ConversationSimulator: conversations with simulated users, as test cases
    profiles, control, callbacks, graph_words   its parts: users made up, who may stop, the agent, graphs with a model

To add a way: a file in `ways/` that turns what it is given into jobs, and a method of `Synthesizer`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.synthesis.config import (
        ContextConstructionConfig as ContextConstructionConfig,
        ConversationalStylingConfig as ConversationalStylingConfig,
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
    from rightcall.synthesis.evolutions import Evolution as Evolution
    from rightcall.synthesis.production import (
        Production as Production,
        SynthesisProgress as SynthesisProgress,
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
                "ContextConstructionConfig ConversationalStylingConfig EvolutionConfig "
                "FiltrationConfig StylingConfig VerificationConfig "
            ),
            "control": "end proceed",
            "coverage_count": "coverage",
            "estimate": "GenerationEstimate estimate_generation",
            "evolutions": "Evolution",
            "production": "Production SynthesisProgress",
            "simulator": "ConversationSimulator SimulationNode",
            "synthesizer": "Synthesizer",
            "verify": "Verifier",
        },
    )
