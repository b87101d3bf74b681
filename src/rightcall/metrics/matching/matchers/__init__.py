"""Matchers: value or MISSING → score in [0, 1]. One file a subject; `compile.KINDS` names them."""
