"""DeepEval's path of `Evolution`."""

from rightcall.core.seam import load

Evolution = load("services", "synthesizer_configs").Evolution

__all__ = ["Evolution"]
