"""DeepEval's synthesizer of goldens."""

from rightcall import Evolution, Synthesizer

__all__ = ["Evolution", "Synthesizer"]
