"""The configurations of a synthesizer."""

from rightcall.core.seam import load

_configs = load("services", "synthesizer_configs")
ContextConstructionConfig = _configs.ContextConstructionConfig
FiltrationConfig = _configs.FiltrationConfig
StylingConfig = _configs.StylingConfig
VerificationConfig = _configs.VerificationConfig

__all__ = [
    "ContextConstructionConfig",
    "FiltrationConfig",
    "StylingConfig",
    "VerificationConfig",
]
