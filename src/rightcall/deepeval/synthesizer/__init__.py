"""DeepEval's synthesizer of goldens.

config  the configurations of a synthesizer
types   DeepEval's path of `Evolution`
"""

from rightcall.core.seam import load
from rightcall.deepeval.synthesizer.types import Evolution

Synthesizer = load("services", "synthesizer")

__all__ = ["Evolution", "Synthesizer"]
