"""Text without secrets: those that the user declared verbatim and in other spellings, others as they are detected."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from rightcall.core.redaction.detector import replace_secrets
from rightcall.core.redaction.secret_spellings import SplitSecrets, spellings

HIDDEN = "[secret]"

_SECRET_VARIABLE = re.compile(
    r"(^|_)((API|ACCESS)?_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIAL|SECRET_KEY_BASE)S?(_?\d+)?$",
    re.IGNORECASE,
)
_SHORTEST = 8  # a shorter value would blank out ordinary words

_HIDDEN_VARIABLES: set[str] = set()
_HIDDEN_VALUES: set[str] = set()


def scrub(text: str, *secrets: str) -> str:
    """The text without anything that is, or looks like, a key. `secrets` values are always removed."""
    return scrubber(*secrets)(text)


def scrubber(*secrets: str) -> Callable[[str], str]:
    """`scrub` for many texts: the environment is read once.

    Values of environment variables named like secrets (`…_API_KEY`, `…_TOKEN`) are added to the known ones. Their other
    spellings are removed too: `secret_spellings`.
    """
    without_declared = secret_replacer(lambda value: HIDDEN, *secrets)

    def clean(text: str) -> str:
        return replace_secrets(without_declared(text), lambda kind, secret: HIDDEN)

    return clean


def secret_replacer(replacement: Callable[[str], str], *declared: str) -> Callable[[str], str]:
    """A function that replaces the known secrets and those of the environment, in each of their spellings."""
    secrets = {value for value in (*declared, *environment_secrets()) if value}
    forms = {form: replacement(value) for value in sorted(secrets) for form in spellings(value)}
    longest_first = dict(sorted(forms.items(), key=lambda pair: len(pair[0]), reverse=True))
    split = SplitSecrets({form: new for form, new in longest_first.items() if len(form) >= _SHORTEST})

    def clean(text: str) -> str:
        for form, new in longest_first.items():
            if form in text:
                text = text.replace(form, new)
        return split(text)

    return clean


def environment_secrets() -> list[str]:
    """Values of the environment variables that are named like secrets, or that someone named as one."""
    values = [
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and (name in _HIDDEN_VARIABLES or _SECRET_VARIABLE.search(name))
    ]
    return [*values, *_HIDDEN_VALUES]


def hide_variables(names: Iterable[str], values: Iterable[str] = ()) -> None:
    """Treat these variables (`key_env`, `${NAME}` in headers) and written values as secrets in this process."""
    _HIDDEN_VARIABLES.update(names)
    _HIDDEN_VALUES.update(value for value in values if len(value) >= _SHORTEST)
