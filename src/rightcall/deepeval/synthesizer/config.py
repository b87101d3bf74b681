"""The configurations of a synthesizer."""

from rightcall import (
    ContextConstructionConfig,
    ConversationalStylingConfig,
    EvolutionConfig,
    FiltrationConfig,
    StylingConfig,
)

__all__ = [
    "ContextConstructionConfig",
    "ConversationalStylingConfig",
    "EvolutionConfig",
    "FiltrationConfig",
    "StylingConfig",
]
