"""TD9: what comes back."""
