"""TD5: tools that a model confuses."""
