"""GitHub: a step summary, annotations for the first failures, and the comment on a pull request."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.core.redaction.clean_text import without_keys
from rightcall.core.text import percent, workflow_command
from rightcall.show.markdown import MOST_CASES, markdown
from rightcall.show.text import count, one_line
from rightcall.show.view.grouped_trials import GoldenRow, failed_goldens
from rightcall.show.view.run import RunView, run_view

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


SUMMARY = "GITHUB_STEP_SUMMARY"
MOST_ANNOTATIONS = 10
"""GitHub's limit of annotations of each kind per step."""
LARGEST_SUMMARY = 1024 * 1024


def publish(store: Store, run: str, environment: Mapping[str, str]) -> list[str]:
    """Add the run to the step summary; returns the annotations, which the caller prints."""
    view = run_view(store, run)
    failed, left_out = failed_goldens(store, run, MOST_CASES)
    add_to_summary(environment, markdown(view, failed, left_out))
    return list(annotation_lines(view, failed, left_out))


def add_to_summary(environment: Mapping[str, str], text: str) -> None:
    """Add Markdown to the summary of this step, which is dropped as a whole when it is too large."""
    if path := environment.get(SUMMARY):
        short = without_keys(text).encode()[:LARGEST_SUMMARY].decode(errors="ignore")
        with Path(path).open("a", encoding="utf-8") as summary:
            summary.write(short + "\n")


def annotation_lines(view: RunView, failed: Sequence[GoldenRow], left_out: int) -> Iterator[str]:
    """Workflow commands: an error for each golden that failed, danger first, a warning without an answer."""
    room = MOST_ANNOTATIONS - 1 if len(failed) + left_out > MOST_ANNOTATIONS else MOST_ANNOTATIONS
    for row in failed[:room]:
        level = "warning" if row.outcome == "error" and not row.danger else "error"
        title = one_line(f"{row.danger_text} {row.name}".strip(), 160)
        yield workflow_command(level, row.why, {"title": title})
    more = len(failed) - room + left_out
    if more > 0:
        total = view.summary.total
        rate = "none" if total.pass_rate is None else percent(total.pass_rate, 1)
        title = f"{count(more)} more goldens did not pass"
        yield workflow_command("error", f"{rate} of {count(total.cases)} passed", {"title": title})


SECONDS = 30
MOST_PAGES = 20


class PullRequest:
    """One pull request on GitHub, or an installation of it at `GITHUB_API_URL`."""

    def __init__(self, api: str, repository: str, number: int, token: str) -> None:
        self._base = f"{api.rstrip('/')}/repos/{repository}"
        self._number = number
        self._token = token

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> PullRequest:
        """The pull request that a workflow runs for; a `ConfigError` names what is missing."""
        token = environment.get("GITHUB_TOKEN", "")
        repository = environment.get("GITHUB_REPOSITORY", "")
        if not token:
            raise ConfigError(
                "posting a comment requires GITHUB_TOKEN with the permission pull-requests: write"
            )
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[\w-][\w.-]*", repository):
            raise ConfigError(f"GITHUB_REPOSITORY must be OWNER/NAME, got '{repository}'")
        number = _number(environment)
        if not number:
            raise ConfigError("this workflow run has no pull request to comment on")
        return cls(environment.get("GITHUB_API_URL") or "https://api.github.com", repository, number, token)

    def put_comment(self, text: str) -> str:
        """Create the comment, or replace the one with the same first line; returns its URL."""
        text = without_keys(text)
        marker = text.partition("\n")[0]
        for page in range(1, MOST_PAGES + 1):
            comments = self._call("GET", f"/issues/{self._number}/comments?per_page=100&page={page}")
            for comment in comments:
                first = str(comment.get("body", "")).partition("\n")[0].strip()
                if first == marker.strip() and _may_be_ours(comment):
                    answer = self._call("PATCH", f"/issues/comments/{int(comment['id'])}", {"body": text})
                    return str(answer.get("html_url", ""))
            if len(comments) < 100:
                break
        return str(self._call("POST", f"/issues/{self._number}/comments", {"body": text}).get("html_url", ""))

    def _call(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310  a URL from the workflow's own environment
            self._base + path,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "authorization": f"Bearer {self._token}",
                "accept": "application/vnd.github+json",
                "content-type": "application/json",
                "user-agent": "rightcall",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:  # noqa: S310
                return json.loads(reply.read() or b"{}")
        except urllib.error.HTTPError as error:
            hint = "; the token of a pull request from a fork cannot write" if error.code == 403 else ""
            raise InfrastructureError(
                f"GitHub answered {error.code} to {method} {path.partition('?')[0]}{hint}"
            ) from None
        except (OSError, ValueError) as error:
            raise InfrastructureError(f"cannot reach GitHub: {error}") from None


def _may_be_ours(comment: Mapping[str, Any]) -> bool:
    """Whether someone with write access made it: whoever made a comment can edit the verdict in it afterwards."""
    user = comment.get("user") or {}
    rights = comment.get("author_association")
    return rights in (None, "OWNER", "MEMBER", "COLLABORATOR") or user.get("type") == "Bot"


def _number(environment: Mapping[str, str]) -> int:
    if match := re.fullmatch(r"refs/pull/(\d+)/.*", environment.get("GITHUB_REF", "")):
        return int(match[1])
    event = environment.get("GITHUB_EVENT_PATH", "")
    try:
        payload = json.loads(Path(event).read_text("utf-8")) if event else {}
        return int((payload.get("pull_request") or {}).get("number") or payload.get("number") or 0)
    except (OSError, ValueError, TypeError, AttributeError):
        return 0
