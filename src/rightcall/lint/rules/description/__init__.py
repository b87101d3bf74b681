"""TD2: what the text says of the tool."""
