"""TD7: what single providers refuse."""
