"""`vertex:MODEL`: Gemini models of a Google Cloud project.

The access token comes from `GOOGLE_OAUTH_ACCESS_TOKEN` or, with the extra `vertex`, from this machine's credentials.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from rightcall.core.errors import ConfigError, MissingExtraError
from rightcall.models.gemini import GeminiProvider

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class VertexProvider(GeminiProvider):
    """Gemini by project and location (`GOOGLE_CLOUD_PROJECT`, `GOOGLE_CLOUD_LOCATION`)."""

    prefix: ClassVar[str] = "vertex"
    models_path: ClassVar[str] = ""
    key_header: ClassVar[str] = "authorization"
    _credentials: Any = None

    @property
    def path(self) -> str:
        """Below the project and location of the environment."""
        project = os.environ.get("GOOGLE_CLOUD_PROJECT", "").strip()
        if not project:
            raise ConfigError(f"{self.name} needs a project; set GOOGLE_CLOUD_PROJECT")
        place = os.environ.get("GOOGLE_CLOUD_LOCATION", "").strip() or "global"
        model = quote(self.model, safe="")
        return (
            f"/v1/projects/{quote(project, safe='')}/locations/{quote(place, safe='')}"
            f"/publishers/google/models/{model}:generateContent"
        )

    def authorization(self, key: str) -> Mapping[str, str]:
        """An access token."""
        return {"authorization": f"Bearer {key}"}

    def signature(self, body: bytes) -> Mapping[str, str] | None:
        """A token of this machine's credentials, renewed when it has expired, unless a key was sent."""
        if not self._gets_vendor_key() or self._key()[1] or self.key_header in self._endpoint.header_values():
            return None
        try:
            import google.auth  # type: ignore[import-not-found,unused-ignore]
            import google.auth.transport.requests  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise MissingExtraError(
                f"{self.name} without GOOGLE_OAUTH_ACCESS_TOKEN", "google-auth", "vertex"
            ) from None
        try:
            if self._credentials is None:
                self._credentials, _ = google.auth.default(scopes=[SCOPE])
            if not self._credentials.valid:
                self._credentials.refresh(google.auth.transport.requests.Request())
        except google.auth.exceptions.GoogleAuthError as error:
            raise ConfigError(f"{self.name}: {str(error).splitlines()[0][:200]}") from None
        return {"authorization": f"Bearer {self._credentials.token}"}
