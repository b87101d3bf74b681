"""The incident that this linter exists for: two tools that delete, one of them for good."""

from __future__ import annotations

import pytest

from tests.lint.clean import codes, lint_tools

USER_ID = {"type": "object", "properties": {"user_id": {"type": "string"}}, "required": ["user_id"]}
BEFORE = [
    {"name": "delete_user", "description": "Delete a user from the system.", "input_schema": USER_ID},
    {"name": "delete_account", "description": "Delete an account from the system.", "input_schema": USER_ID},
]
AFTER = [
    {
        "name": "deactivate_user_session",
        "description": "Ends the login session of a user, who has to log in again. The account and all data stay "
        "as they are; "
        "this can be undone at any time. Use it for logout requests and security incidents.",
        "input_schema": {
            "type": "object",
            "properties": {
                "user_id": {"type": "string", "description": "Identifier of the user, from find_user."},
                "reason": {
                    "type": "string",
                    "enum": ["user_request", "security_incident", "admin_action"],
                    "description": "Why, for the audit log.",
                },
            },
            "required": ["user_id", "reason"],
        },
    },
    {
        "name": "permanently_delete_account",
        "description": "PERMANENTLY deletes an account with all its data; this cannot be undone. Use it only when "
        "the owner asked "
        "for it and confirmed. Do not use it to log somebody out: for that use deactivate_user_session.",
        "input_schema": {
            "type": "object",
            "properties": {
                "user_id": {"type": "string", "description": "Identifier of the user, from find_user."},
                "confirmation_token": {
                    "type": "string",
                    "description": "Token from the e-mail that asked for confirmation.",
                },
            },
            "required": ["user_id", "confirmation_token"],
        },
    },
]


def test_the_two_delete_tools_are_an_error_that_says_why() -> None:
    report = lint_tools(BEFORE)
    (pair,) = [d for d in report.diagnostics if d.code == "TD502"]
    assert (pair.severity, pair.tool, pair.others) == ("error", "delete_account", ("delete_user",))
    assert "both say delete, user, system" in pair.message and "both take user_id" in pair.message
    assert "what each destroys and what it leaves" in pair.hint
    unwarned = [d.tool for d in report.diagnostics if d.code == "TD401" and d.severity == "error"]
    assert unwarned == ["delete_user", "delete_account"]


def test_the_rewritten_pair_has_no_errors_and_is_not_confusable() -> None:
    report = lint_tools(AFTER)
    assert report.counts()["error"] == 0
    assert {"TD401", "TD402", "TD502", "TD505"}.isdisjoint(codes(report))


@pytest.mark.parametrize(
    ("description", "warned"),
    [
        ("Delete a sandbox inbox.", True),
        ("Delete a sandbox inbox and all its messages.", False),
        ("Delete a suppression. Delivery will resume.", False),
        ("Delete an address from the list, so tracking applies to it again.", False),
        ("Delete an inbox and the folder of a user.", True),
    ],
)
def test_a_deletion_that_says_what_goes_or_how_it_is_undone_is_no_error(description, warned):
    tools = [{"name": "delete_inbox", "description": description, "input_schema": USER_ID}]
    assert ("TD401" in codes(lint_tools(tools))) == warned


@pytest.mark.parametrize(
    ("text", "warned"), [("Inbox.", True), ("Inbox. Optional if INBOX_ID is set.", False)]
)
def test_an_id_that_its_text_calls_optional_need_not_be_required(text, warned):
    schema = {"type": "object", "properties": {"inbox_id": {"type": "string", "description": text}}}
    tools = [{"name": "get_inbox", "description": "Show an inbox.", "input_schema": schema}]
    assert ("TD312" in codes(lint_tools(tools))) == warned
