"""DeepEval's path of `Evolution`."""

from rightcall.wings.generate.config import Evolution

__all__ = ["Evolution"]
