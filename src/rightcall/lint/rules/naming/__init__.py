"""TD1: names of tools and parameters."""
