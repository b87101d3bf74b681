"""TD8: poisoned definitions."""
