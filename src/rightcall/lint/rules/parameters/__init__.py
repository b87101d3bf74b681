"""TD3: what a model must fill in."""
