"""TD2: descriptions of tools."""
