"""DeepEval's path of `Evolution`."""

from rightcall import Evolution

__all__ = ["Evolution"]
