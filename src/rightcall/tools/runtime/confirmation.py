"""Confirmation tokens: proof that exactly this operation was shown before it is done."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from rightcall.tools.idempotency.store import ClaimRequest, IdempotencyStore
from rightcall.tools.runtime.context import CallContext


@dataclass
class Confirmations:
    """Issues and checks tokens. Each is bound to a task, a tool and its arguments, and works once.

    Processes that share `secret` and the store accept each other's tokens.
    """

    store: IdempotencyStore
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    ttl_s: float = 600.0

    def issue(self, context: CallContext, tool: str, fingerprint: str) -> str:
        """A token for one operation of this task."""
        expires = f"{context.clock.now() + self.ttl_s:.3f}"
        nonce = secrets.token_urlsafe(12)
        return f"{nonce}.{expires}.{self._mac(context, tool, fingerprint, nonce, expires)}"

    def problem(self, token: str, context: CallContext, tool: str, fingerprint: str) -> str:
        """Why a token is refused, or "" when it is good; a good one is used up by this."""
        nonce, _, rest = token.partition(".")
        expires, _, mac = rest.rpartition(".")
        expected = self._mac(context, tool, fingerprint, nonce, expires)
        if not hmac.compare_digest(mac.encode("utf-8", "replace"), expected.encode()):
            return "it does not belong to this operation with these arguments"
        now = context.clock.now()
        if float(expires) <= now:
            return "it has expired"
        wish = ClaimRequest(
            f"confirmation:{nonce}", fingerprint, secrets.token_hex(8), now, self.ttl_s, self.ttl_s
        )
        return "" if self.store.begin(wish).verdict == "run" else "it has been used already"

    def _mac(self, context: CallContext, tool: str, fingerprint: str, nonce: str, expires: str) -> str:
        parts = (context.run, context.task, str(context.trial), tool, fingerprint, nonce, expires)
        text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return base64.urlsafe_b64encode(hmac.digest(self.secret, text, hashlib.sha256)[:18]).decode()
