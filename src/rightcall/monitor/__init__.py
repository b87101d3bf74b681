"""Production watched."""
