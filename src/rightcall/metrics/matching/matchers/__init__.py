"""Matchers: value or MISSING → score in [0, 1]. One file per subject; `compile.KINDS` lists them."""
