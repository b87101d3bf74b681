"""Where a value comes from in one trial: the user, a field that third parties do not write, their text, or nowhere.

The order of results changes nothing: texts and fields are only collected, and a value is judged when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain, pairwise
from typing import Any

from rightcall.core.words import name_tokens, stem, words
from rightcall.records.tool_roles import ToolRoles
from rightcall.schema.roles.parameters import FOREIGN_FIELDS, PICK, PRIVATE_FIELDS, SENDER_FIELDS, singular
from rightcall.tools.guard.policy import GuardPolicy, Vouching, several
from rightcall.tools.guard.values import (
    addresses_in,
    amounts_in,
    compact,
    fold,
    fold_value,
    host_of,
    is_address,
    is_short,
    leaf_values,
    number_of,
    numbers_in,
    parts_in_disguise,
    tokens_of,
    whole_in,
)

LONGEST_FIELD = 80
"""A leaf with more characters, or of several lines, is a text."""
SHORTEST_SECRET = 4
_SENTENCE_END = re.compile(r"(?<=[a-z])\.(?=[A-Z][a-z])")
"""A full stop without a space after it ("our-company.com.They sent …"): only texts of the user are read so."""
NAME_LETTERS = 3


class Provenance:
    """What the user said (U), fields (K), senders (S), untrusted texts (X) and private values (P) of one trial."""

    def __init__(self, policy: GuardPolicy) -> None:
        self._policy = policy
        self._strict = policy.known == "strict"
        self._senders_rule = policy.trust.senders or ("none" if self._strict else "named")
        self.user_text = ""
        self.user_words: set[str] = set()
        self.user_numbers: set[float] = set()
        self.user_amounts: set[float] = set()
        self.user_addresses: set[str] = set()
        self.known: set[str] = {compact(value) for value in map(str, policy.trust.values)}
        self.known_numbers: set[float] = {
            number for value in policy.trust.values if (number := number_of(value)) is not None
        }
        self.senders: dict[str, frozenset[str]] = {}
        self.texts: list[str] = []
        self._tokens: set[str] = set()
        self._pairs: set[int] = set()
        """Hashes of adjacent tokens: a phrase whose words never follow one another is in no text."""
        self.sticky: set[str] = set()
        self.private: dict[str, set[str]] = {}
        self.tainted = policy.taint == "always"

    def hear(self, text: str) -> None:
        """The user said something, or the suite's system text does."""
        text = _SENTENCE_END.sub(". ", text)
        folded = fold(text)
        self.user_text = f"{self.user_text}\n{folded}"
        self.user_words.update(words(folded))
        self.user_words.update(map(stem, words(folded)))
        self.user_numbers.update(numbers_in(folded))
        self.user_amounts.update(amounts_in(folded))
        self.user_addresses |= addresses_in(text)

    def read_text(self, text: str) -> None:
        """Somebody else's text: a raw result, a document, the text of an error."""
        self.tainted = True
        self._add_text(text)

    def _add_text(self, text: str) -> None:
        for part in (text, *parts_in_disguise(text)):
            folded = fold(part)
            self.texts.append(folded)
            tokens = tokens_of(folded)
            self._tokens.update(tokens)
            self._pairs.update(map(hash, pairwise(tokens)))
            addresses = addresses_in(part)
            self.sticky |= addresses
            self.sticky.update(filter(None, map(host_of, addresses)))

    def send(self, arguments: Any) -> None:
        """A call ran: an address that it carried and nobody vouches for cannot come back as a trusted field."""
        for _, value in leaf_values(arguments):
            if isinstance(value, str):
                self.sticky.update(
                    address for address in addresses_in(value) if self.label(address) not in ("user", "known")
                )

    def read_result(self, roles: ToolRoles | None, arguments: Any, output: Any) -> None:
        """The result of a call: text is untrusted, fields are known unless a third party writes them."""
        external = roles is None or roles.external
        self.tainted = self.tainted or external
        if isinstance(output, str):
            self.read_text(output)
            return
        echoes = {compact(value) for _, value in leaf_values(arguments) if isinstance(value, str)}
        numbers = {number for _, value in leaf_values(arguments) if (number := number_of(value)) is not None}
        trusted_fields = several(self._policy.trust.fields.get(roles.tool, ()) if roles else ())
        waiting: list[tuple[str, Any]] = [("", output)]
        while waiting:
            name, value = waiting.pop()
            if isinstance(value, Mapping):
                waiting.extend((str(key), part) for key, part in value.items())
                self._read_keys(value, echoes, external=external)
            elif isinstance(value, list | tuple):
                waiting.extend((name, part) for part in value)
            elif isinstance(value, str):
                if compact(value) not in echoes:
                    self._read_leaf(name, value, external=external, trusted=name in trusted_fields)
            elif (number := number_of(value)) is not None and number not in numbers:
                self._read_number(name, value, number, external=external)

    def _read_keys(self, value: Mapping[Any, Any], echoes: set[str], *, external: bool) -> None:
        for key in map(str, value):
            folded = compact(key)
            is_field = folded and folded not in echoes and len(key) <= LONGEST_FIELD
            if is_field and not (external and self._strict):
                self.known.add(folded)

    def _read_leaf(self, name: str, value: str, *, external: bool, trusted: bool) -> None:
        tokens = frozenset(chain.from_iterable((word, singular(word)) for word in name_tokens(name)))
        if secret_words := PRIVATE_FIELDS & tokens:
            self._add_private(value, secret_words)
        if trusted:
            self._add_known(value)
        elif len(value) > LONGEST_FIELD or "\n" in value.strip() or not FOREIGN_FIELDS.isdisjoint(tokens):
            self._add_text(value)
        elif not SENDER_FIELDS.isdisjoint(tokens):
            self._add_sender(value)
        elif not (external and self._strict) or (
            _is_id(tokens) and not is_address(value) and not addresses_in(value)
        ):
            self._add_known(value)

    def _read_number(self, name: str, value: Any, number: float, *, external: bool) -> None:
        tokens = frozenset(name_tokens(name))
        if secret_words := PRIVATE_FIELDS & tokens:
            self._add_private(str(value), secret_words)
        if is_short(value) and not _is_id(tokens):
            return
        if not (external and self._strict and sum(map(str.isdigit, str(value))) >= 9):
            self.known_numbers.add(number)

    def _add_known(self, value: str) -> None:
        self.known.update(filter(None, [compact(value)]))
        if (number := number_of(value)) is not None:
            self.known_numbers.add(number)

    def _add_private(self, value: str, secret_words: Iterable[str]) -> None:
        folded = compact(value)
        if len(folded) >= SHORTEST_SECRET:
            self.private.setdefault(folded, set()).update(secret_words)

    def _add_sender(self, value: str) -> None:
        folded = compact(value)
        local = folded.partition("@")[0]
        parts = frozenset(part for part in words(local.replace(".", " ")) if len(part) >= NAME_LETTERS)
        self.senders[folded] = parts

    def label(self, value: Any) -> Vouching:
        """Where one leaf of a call comes from: the first of user, known, untrusted and model that fits."""
        number = number_of(value)
        if number is not None:
            return self._number_label(number, value)
        if not isinstance(value, str):
            return "user"  # true, false and null: a choice, not a value
        folded = compact(value)
        forms = {folded, fold_value(value)}
        if (
            not folded
            or folded in self.user_addresses
            or any(whole_in(form, self.user_text) for form in forms)
        ):
            return "user"
        if self._is_known(folded, value):
            return "known"
        return "untrusted" if self.in_untrusted(folded) else "model"

    def _number_label(self, number: float, value: Any) -> Vouching:
        text = str(value)
        sticky = compact(text) in self.sticky
        if number in self.user_numbers or (isinstance(value, str) and compact(value) in self.user_addresses):
            return "user"
        if number in self.known_numbers and not sticky:
            return "known"
        return "untrusted" if sticky or self.in_untrusted(fold(text)) else "model"

    def label_of_amount(self, value: Any) -> Vouching:
        """The same for a sum or a count: any number that the user said counts, however short, and no field does."""
        numbers = list(amounts_in(fold(value) if isinstance(value, str) else repr(value)))
        if not numbers:
            return self.label(value)
        if self.user_amounts.issuperset(numbers):
            return "user"
        return "untrusted" if self.in_untrusted(fold(str(value))) else "model"

    def _is_known(self, folded: str, value: str) -> bool:
        address = is_address(value)
        if address and folded in self.sticky:
            return self._is_trusted_host(folded)
        if folded in self.known or self._is_trusted_host(folded):
            return True
        parts = self.senders.get(folded)
        if parts is None or self._senders_rule == "none":
            return False
        if self._senders_rule == "any" or not address:
            return True
        return not parts.isdisjoint(self.user_words)

    def _is_trusted_host(self, folded: str) -> bool:
        hosts = self._policy.trust.hosts
        return bool(hosts) and "@" not in folded and host_matches(host_of(folded), hosts)

    def in_untrusted(self, folded: str) -> bool:
        """Whether a folded value is whole in an untrusted text."""
        if folded in self.sticky:
            return True
        tokens = tokens_of(folded)
        if not self._tokens.issuperset(tokens) or not self._pairs.issuperset(map(hash, pairwise(tokens))):
            return False
        return any(whole_in(folded, text) for text in self.texts)

    def says(self, word: str) -> bool:
        """Whether the user used a word, or one of its stem; words of scripts without spaces are looked for as text."""
        if not word.isascii() and (len(word.split()) > 1 or any("\u3040" <= c <= "\u9fff" for c in word)):
            return word in self.user_text
        return word in self.user_words or stem(word) in self.user_words


def host_matches(host: str, patterns: Iterable[str]) -> bool:
    """Whether a host is in a list; `*.example.com` means its subdomains."""
    return bool(host) and any(
        host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:])) for pattern in patterns
    )


def _is_id(tokens: frozenset[str]) -> bool:
    return not tokens.isdisjoint(_IDS)


_IDS = (PICK & frozenset(["id", "uuid", "key", "number", "code"])) | {"no", "ref", "reference"}
