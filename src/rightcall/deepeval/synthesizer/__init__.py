"""DeepEval's synthesizer of goldens."""

from rightcall.core.seam import load
from rightcall.deepeval.synthesizer.types import Evolution

Synthesizer = load("services", "synthesizer")

__all__ = ["Evolution", "Synthesizer"]
