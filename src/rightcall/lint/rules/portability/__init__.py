"""TD7: portability between providers."""
