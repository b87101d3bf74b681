"""What a stopping controller returns."""

from rightcall.wings.generate.control import end, proceed

__all__ = ["end", "proceed"]
