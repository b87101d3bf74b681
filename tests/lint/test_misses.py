"""Definitions that would hurt and were passed over: texts that contradict the name, the hints or the schema."""

from __future__ import annotations

import pytest

from tests.lint.test_precision import a_tool, severity_of

PROJECT = {"project_id": "Id of the project, from list_projects."}


def project_tool(name, description, **hints):
    return a_tool(name, description, tuple(PROJECT), hints, **PROJECT)


@pytest.mark.parametrize(
    ("name", "description", "hints", "severity"),
    [
        ("cleanup_drafts", "Permanently deletes all drafts.", {"readOnlyHint": True}, "error"),
        ("cleanup_drafts", "Shows drafts that nobody deletes.", {"readOnlyHint": True}, ""),
        ("delete_branch", "Deletes a branch for good.", {"destructiveHint": False}, "error"),
        ("delete_branch", "Moves a branch to the trash.", {"destructiveHint": False}, ""),
        ("delete_branch", "Deletes a branch for good.", {"destructiveHint": True}, ""),
    ],
)
def test_hints_that_the_text_contradicts_are_errors(name, description, hints, severity):
    assert severity_of("TD405", project_tool(name, description, **hints)) == severity


@pytest.mark.parametrize(
    ("name", "description", "severity"),
    [
        ("get_queue", "Deletes the oldest entries of a queue and returns them.", "error"),
        ("update_label", "Delete a label from the board.", "error"),
        ("delete_label", "Get one label of the board.", "error"),
        ("delete_label", "This tool will delete one label of the board.", ""),
        ("get_deleted", "Lists what was deleted.", ""),
        ("modify_columns", "This function allows deletion or addition of columns.", ""),
        ("write_file", "Overwrites a file with a text.", ""),
        ("create_view", "Lists the views of a table.", "warning"),
        ("create_report", "Get a new report of the month.", ""),
        ("remove_label", "Deletes a label from a card.", ""),
    ],
)
def test_a_name_and_a_text_of_opposite_effects_contradict_each_other(name, description, severity):
    assert severity_of("TD406", project_tool(name, description)) == severity


@pytest.mark.parametrize(
    ("text", "values", "severity"),
    [
        ("Order, one of 'newest' or 'oldest'.", ["asc", "desc"], "warning"),
        ("Order, one of 'asc' or 'desc'.", ["asc", "desc", "none"], ""),
        ("Order, one of 'ASC' or 'DESC'.", ["asc", "desc"], ""),
        ("Order, either ascending or descending.", ["asc", "desc"], ""),
        ("Order, one of 'first-last' or 'last-first'.", ["first_last", "lastFirst"], ""),
        ("Order, such as 'newest'.", ["asc", "desc"], ""),
    ],
)
def test_values_of_a_text_that_the_enum_rejects_are_found(text, values, severity):
    order = {"type": "string", "enum": values, "description": text}
    assert severity_of("TD304", a_tool("list_bills", "Lists bills, newest first.", order=order)) == severity


@pytest.mark.parametrize(("maximum", "severity"), [(50, "warning"), (100, ""), (None, "warning")])
def test_a_limit_of_a_text_that_the_schema_rejects_is_found(maximum, severity):
    limit = {"type": "integer", "description": "How many to return, at most 100."}
    limit |= {"maximum": maximum} if maximum is not None else {}
    assert severity_of("TD321", a_tool("list_bills", "Lists bills.", limit=limit)) == severity


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("create_payment", "warning"),
        ("create_refund", "warning"),
        ("create_note", "info"),
    ],
)
def test_a_payment_that_is_created_twice_is_paid_twice(name, severity):
    amount = {"type": "integer", "description": "Cents, in EUR."}
    assert severity_of("TD403", a_tool(name, "Creates one.", ("amount",), amount=amount)) == severity


@pytest.mark.parametrize(
    ("first", "second", "severity"),
    [
        (("remove_project", "Remove a project from the workspace."),
         ("delete_project", "Delete a project from the workspace."), "error"),
        (("archive_project", "Removes a project from the workspace."),
         ("delete_project", "Removes a project from the workspace permanently."), "error"),
        (("archive_project", "Hides a project. Its data stays; for removal use delete_project."),
         ("delete_project", "Deletes a project with all data. To hide it use archive_project."), ""),
        (("rollback_project", "Rolls back a project of the workspace to a date."),
         ("delete_project", "Deletes a project of the workspace at a date."), ""),
        (("delete_issue_reaction", "Delete the reaction of an issue."),
         ("delete_note_reaction", "Delete the reaction of a note."), ""),
        (("get_project", "Returns a project of the workspace."),
         ("delete_project", "Deletes a project of the workspace."), ""),
    ],
)  # fmt: skip
def test_two_tools_of_which_one_destroys_must_be_told_apart(first, second, severity):
    found = severity_of("TD502", project_tool(*first), project_tool(*second))
    assert found == severity or (not severity and found == "info")


@pytest.mark.parametrize(
    ("action", "severity"),
    [
        ({"type": "string", "description": "One of 'get_card', 'delete_card' or 'move_card'."}, "warning"),
        ({"type": "string", "enum": ["get", "delete"], "description": "What to do."}, "warning"),
        ({"type": "string", "description": "One of 'get_card' or 'list_cards'."}, ""),
    ],
)
def test_reading_and_deleting_in_one_parameter_is_found_in_the_text_too(action, severity):
    assert (
        severity_of("TD411", a_tool("manage_cards", "Manages cards.", ("action",), action=action)) == severity
    )


@pytest.mark.parametrize(
    ("description", "severity"),
    [
        (
            "Args:\n    project_id: Id of the project.\n\nReturns:\n    The queue of the project as a list.",
            "warning",
        ),
        (
            "    Args:\n        project_id: Id of the project.\n    Returns:\n        Its queue, a list.",
            "warning",
        ),
        (":param project_id: Id of the project in the tracker.\n:return: its queue as a list", "warning"),
        ("Show the open tasks in order.\n\nArgs:\n    project_id: Id of the project.", ""),
        ("Args:\n    project_id: Id of the project.\n\nLists what is left to do, oldest first.", ""),
        ("Returns: the tasks that are left to do, oldest first.", ""),
    ],
)
def test_sections_of_a_docstring_are_no_sentence(description, severity):
    assert severity_of("TD202", project_tool("get_queue", description)) == severity


@pytest.mark.parametrize(
    ("approve", "ask", "severity"),
    [
        ("approve_discount", "sync_ask_for_approval", "warning"),
        ("grant_access", "request_permission", "warning"),
        ("approve_discount", "list_approvals", ""),
        ("approve_request", "reject_request", ""),
        ("accept_permission_request", "decline_permission_request", "info"),
    ],
)
def test_a_tool_that_approves_beside_one_that_asks_is_a_warning(approve, ask, severity):
    pair = project_tool(approve, "Settles it at once."), project_tool(ask, "Sends a message to a manager.")
    assert severity_of("TD502", *pair) == severity


def test_a_tool_that_approves_may_name_the_one_that_asks():
    approve = project_tool("approve_discount", "Up to ten percent; beyond, use ask_for_approval.")
    assert (
        severity_of("TD502", approve, project_tool("ask_for_approval", "Sends a message to a manager.")) == ""
    )
