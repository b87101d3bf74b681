"""TD0: the definition is not what JSON Schema or a provider can read."""
