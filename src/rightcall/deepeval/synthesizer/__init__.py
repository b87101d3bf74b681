"""DeepEval's synthesizer of goldens."""

from rightcall.wings.generate.config import Evolution
from rightcall.wings.generate.synthesizer import Synthesizer

__all__ = ["Evolution", "Synthesizer"]
