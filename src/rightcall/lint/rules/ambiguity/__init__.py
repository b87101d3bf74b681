"""TD5: tools that a model mixes up."""
