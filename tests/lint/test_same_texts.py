"""Two tools with one text: what counts as the same, and how bad it is."""

from __future__ import annotations

import pytest

from tests.lint.clean import lint_tools


def destructive(name: str, description: str, **parameters: object) -> dict[str, object]:
    schema = {"type": "object", "properties": parameters or {"user_id": {"type": "string"}}}
    return {"name": name, "description": description, "input_schema": schema}


@pytest.mark.parametrize(
    ("first", "second", "severities"),
    [
        (
            destructive("delete_account", "Removes the account of a user."),
            destructive("delete_user", "Removes an account of the user."),
            ["error"],
        ),
        (
            destructive("close_account", "Removed accounts are kept for a year."),
            destructive("hide_account", "A removed account is kept for one year."),
            [],
        ),
        (
            destructive("find_account", "Finds the account of a user."),
            destructive("look_up_user", "Find an account of users."),
            ["warning"],
        ),
        (
            destructive("close_account", "Ends the contract. Sends the last invoice."),
            destructive("delete_account", "Ends the contract. Asks the accountant."),
            [],
        ),
        (
            destructive("close_account", "Ends the contract with a customer. Sends the last invoice."),
            destructive("delete_account", "Ends the contract with a customer. Asks the accountant."),
            ["warning"],
        ),
        (
            destructive("close_account", "Ends the contract with a customer. For good: delete_account."),
            destructive("delete_account", "Ends the contract with a customer. Asks the accountant."),
            [],
        ),
        (
            destructive("add_note_before", "Adds a note before the text."),
            destructive("add_note_after", "Adds a note after the text."),
            [],
        ),
        (
            destructive("end_contract", "Ends the contract with a customer.", confirm={"type": "boolean"}),
            destructive("finish_contract", "Ends a contract with the customers."),
            ["error"],
        ),
    ],
)
def test_texts_that_differ_in_articles_and_endings_are_the_same(
    first: dict[str, object], second: dict[str, object], severities: list[str]
) -> None:
    found = lint_tools([first, second]).diagnostics
    assert [each.severity for each in found if each.code == "TD501"] == severities
