"""DeepEval's synthesizer of goldens.

config  the configurations of a synthesizer
"""

from rightcall.core.seam import load

Synthesizer = load("services", "synthesizer")

__all__ = ["Synthesizer"]
