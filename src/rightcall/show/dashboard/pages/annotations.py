"""Tags on runs, and goldens made from what an agent did. Every route here changes data."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.core.errors import InputError
from rightcall.model import AnyGolden, CaseResult, ConversationalGolden, ExpectedCall, Golden, ToolCall
from rightcall.model.failure import FATAL
from rightcall.show.dashboard.links import bad_request, case_link, local_path, posted_fields, run_link
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.views import run_from_url, store_of
from rightcall.show.view.case import input_of
from rightcall.store.base import StoredCase


def tag(request: Request) -> Response:
    """Add a tag to a run, or remove it."""
    run, fields = run_from_url(request), fields_of(request)
    with bad_request():
        store_of(request).runs.tag(run.id, fields.get("tag", "").strip(), remove="remove" in fields)
    return RedirectResponse(_target(fields, run_link(run.id)), 303)


def keep_golden(request: Request) -> Response:
    """Add what the agent did to the draft of a dataset."""
    run, fields = run_from_url(request), fields_of(request)
    store = store_of(request)
    stored_case = store.runs.case(run.id, fields["id"])
    with bad_request():
        result = stored_case.trial(fields.get("trial"))
    golden = golden_from(stored_case, result, fields.get("golden_id", "").strip())
    alias = fields.get("alias", "").strip()
    with bad_request():
        version = store.datasets.add_to_draft(alias, golden, author="dashboard")
    back = _target(fields, case_link(run.id, stored_case.golden_id))
    return page(
        request,
        "golden_kept.html",
        run=run,
        golden=golden,
        alias=alias,
        version=version.version,
        goldens=version.goldens,
        back=back,
    )


def fields_of(request: Request) -> dict[str, str]:
    """The fields of the posted form and the URL: ids are in the URL, where every character is allowed."""
    fields = {**posted_fields(request), **request.query_params}
    if "/case/" in request.url.path and "id" not in fields:
        raise HTTPException(400, "the URL has no case id")
    return fields


def _target(fields: dict[str, str], otherwise: str) -> str:
    return local_path(fields.get("back", "") or otherwise)


def golden_from(case: StoredCase, result: CaseResult, golden_id: str = "") -> AnyGolden:
    """The case's golden with the calls of this trial as expected calls, every argument exact.

    A trial without calls becomes a golden that forbids them. A trial with a fatal failure is refused: no golden should
    expect a forbidden call.
    """
    trajectory = result.trajectory
    if trajectory is None:
        problem = "was stored without its trajectory, so there are no calls to expect"
        raise InputError(f"case {case.golden_id}", problem)
    if fatal := fatal_codes(result):
        problem = f"has {' and '.join(fatal)}, which no golden should expect"
        raise InputError(f"case {case.golden_id}, trial {result.trial}", problem)
    expected = tuple(expectation_from_call(call) for call in trajectory.calls)
    original = case.golden or Golden(input_of(None, trajectory.messages), category=result.category)
    fields: dict[str, Any] = {"expected_calls": expected, "no_calls": not expected}
    fields["id"] = golden_id or case.golden_id
    if not isinstance(original, ConversationalGolden):
        fields["any_of"] = ()
    return msgspec.structs.replace(original, **fields)


def fatal_codes(result: CaseResult) -> list[str]:
    """The fatal failures of a trial, by name."""
    return sorted({failure.code.replace("_", " ") for failure in result.codes if failure.code in FATAL})


def expectation_from_call(call: ToolCall) -> ExpectedCall:
    """An actual call as an expected one. Objects are marked as literal: one of their keys may be a matcher's name."""
    if call.arguments is None:
        return ExpectedCall(call.name, None)
    arguments = {
        n: {"exact": value} if isinstance(value, dict) else value for n, value in call.arguments.items()
    }
    return ExpectedCall(call.name, arguments)


routes = [
    Route("/runs/{run}/tags", tag, methods=["POST"]),
    Route("/runs/{run}/case/golden", keep_golden, methods=["POST"]),
]
