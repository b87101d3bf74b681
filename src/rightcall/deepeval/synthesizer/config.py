"""The configurations of a synthesizer."""

from rightcall.wings.generate.config import (
    ContextConstructionConfig,
    ConversationalStylingConfig,
    EvolutionConfig,
    FiltrationConfig,
    StylingConfig,
    VerificationConfig,
)

__all__ = [
    "ContextConstructionConfig",
    "ConversationalStylingConfig",
    "EvolutionConfig",
    "FiltrationConfig",
    "StylingConfig",
    "VerificationConfig",
]
