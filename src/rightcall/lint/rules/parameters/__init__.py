"""TD3: parameters."""
