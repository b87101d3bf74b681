"""What a stopping controller returns."""

from rightcall.core.seam import load

end, proceed = load("services", "end_simulation"), load("services", "proceed_simulation")

__all__ = ["end", "proceed"]
