"""TD9: results."""
