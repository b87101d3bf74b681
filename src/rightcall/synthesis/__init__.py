"""Where test cases come from: goldens from tools, documents, contexts, other goldens, or a description.

    synthesizer   Synthesizer: the ways under the names users know; async_synthesizer: the ways themselves
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

from rightcall.synthesis.config import (
    ContextConstructionConfig,
    ConversationalStylingConfig,
    EvolutionConfig,
    FiltrationConfig,
    StylingConfig,
    VerificationConfig,
)
from rightcall.synthesis.control import end, proceed
from rightcall.synthesis.evolutions import Evolution
from rightcall.synthesis.production import Production
from rightcall.synthesis.simulator import ConversationSimulator, SimulationNode
from rightcall.synthesis.synthesizer import Synthesizer
from rightcall.synthesis.verify import Verifier

__all__ = [
    "ContextConstructionConfig",
    "ConversationSimulator",
    "ConversationalStylingConfig",
    "Evolution",
    "EvolutionConfig",
    "FiltrationConfig",
    "Production",
    "SimulationNode",
    "StylingConfig",
    "Synthesizer",
    "VerificationConfig",
    "Verifier",
    "end",
    "proceed",
]
