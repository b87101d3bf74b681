"""What a stopping controller returns."""

from rightcall.synthesis import end, proceed

__all__ = ["end", "proceed"]
