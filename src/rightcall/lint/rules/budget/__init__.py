"""TD6: tokens and number of tools."""
