"""Which tools templates write no golden for, and why: a wrong golden costs more than a missing one."""

from __future__ import annotations

import datetime
import random
import re

import pytest

from rightcall.model import Tool
from rightcall.wings.generate.plannable_tools import plannable, tool_refusals
from rightcall.wings.generate.sample_dates import date_form, is_about_the_past
from rightcall.wings.generate.synthesizer import Synthesizer
from rightcall.wings.generate.values import sample_arguments


def tool(name: str, about: str, *required: str, **kinds: object) -> Tool:
    properties = {word: {"type": "string"} for word in required} | kinds
    return Tool(name, about, {"type": "object", "properties": properties, "required": list(required)})


BODY = {"type": "object", "properties": {"name": {"type": "string"}}}
POINTS = {
    "type": "array",
    "items": {"type": "object", "properties": {"label": {"type": "string"}, "value": {"type": "number"}}, "required": ["value"]},
}  # fmt: skip
VARIABLES = {"type": "array", "items": {"enum": ["wind", "rain", "snow", "sun", "fog", "hail"]}}


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (tool("put_page", "Replaces all contents of a page.", "page_id", body=BODY), "what to write"),
        (tool("create_space", "Creates a space.", "account_id", space=BODY), "new thing needs"),
        (tool("read_any", "Reads any data. ALWAYS use jq to filter.", "city", jq={"type": "string"}), "recommends"),
        (tool("api_delete", "Deletes a resource.", "path",
              path={"type": "string", "description": "API path, e.g. '/workspaces'."}), "value of path"),
        (tool("find_flights", "Searches flights by departure and arrival plus date.", "date",
              dep={"type": "string"}, arr={"type": "string"}), "departure"),
        (tool("draw_chart", "Draws a bar chart.", "points", points=POINTS), "value of points"),
        (tool("get_weather", "Gets the weather of a city.", "city", hourly=VARIABLES), "chosen by a list"),
        (tool("get_waves", "Gets the marine forecast.", "lat", "lon", lat={"type": "number"},
              lon={"type": "number"}), "certain kind"),
        (tool("remove_rows", "Removes all rows that match the filter from a table.", "table",
              filter={"type": "object"}), "names filter"),
        (tool("add_comment", "Adds a comment.", "text", task_id={"type": "string"}, page_id={"type": "string"}),
         "belongs to"),
        (tool("search_notes", "Searches the notes of a team.", "team", query={"type": "string", "description": "In JQL."}),
         "what to do"),
        (tool("set_airport", "Moves to an airport.", "code_of_airport",
              code_of_airport={"type": "string", "pattern": "^[A-Z]{4}$", "description": "IATA airport code"}), "value of"),
        (tool("delete_cell", "Deletes cells from a notebook.", notebook_name={"type": "string"},
              cell_index={"type": "object", "description": "Index of the cell. Omit when passing cell_id."},
              cell_id={"type": "object"}), "one of several"),
        (tool("get_booking", "`:uid` of a booking", params={"type": "object", "properties": {"uid": {"type": "string"}},
                                                            "required": ["uid"]}), "required parts"),
        (tool("delete_entry", "Deletes an entry. Use term for one-way lists or guid for others.", "list_id",
              term={"type": "object"}, guid={"type": "object"}), "recommends"),
        (tool("import_csv", "Imports a file.", "csv_content"), "value of csv_content"),
        (tool("write_class", "Creates a class. The body must be valid Apex code.", "body"), "value of body"),
        (tool("get_gene", "Gets a gene. PREREQUISITE: Use the 'think' tool FIRST.", "gene_id"), "another call first"),
        (tool("assign_issue", "Assigns an issue to a user or unassigns it.", "issue_key"), "which"),
        (tool("move_page", "Moves a page to a new parent.", "page_id", parent={"type": "object"}), "parent"),
        (tool("get_trends", "Gets trends based on region and category.", region={"type": "string"},
              category={"type": "string"}), "based on"),
        (tool("get_books", "Gets books.", "id_value", id_value={"type": "string", "description": "Value of the identifier."}),
         "value of id_value"),
        (tool("get_logs", "Gets logs.", "logql"), "value of logql"),
        (tool("list_attributes", "Lists the attributes of a trace.", "trace_id",
              scope={"type": "string", "description": "Strongly recommended: without it everything is returned."}),
         "recommended"),
        (tool("set_up", "Sets up the tests of an app.", "a", "b", "c", a={"enum": ["x", "y"]}, b={"enum": ["x", "y"]},
              c={"enum": ["x", "y"]}), "fit together"),
        (tool("api_request", "Makes a request to the service.", "method", method={"enum": ["GET", "PUT"]},
              path={"type": "string"}, url={"type": "string", "description": "Full URL (alternative to path)."}), "choice"),
        (tool("publish_site", "Publishes a site to specified domains.", "site_id",
              custom_domains={"type": "array", "items": {"type": "string"}}), "names custom_domains"),
        (tool("get_skill", "Gets a recipe. Available: check_all, copy_all, trace_one.", "skill_name"), "lists values"),
        (tool("list_issues", "Lists the issues of a city. Always add the team.", "city", options=BODY), "always"),
        (tool("add_public_key", "Adds an SSH key.", "key"), "value of key"),
        (tool("create_letter", "Creates a letter.", "content",
              content={"type": "string", "description": "The letter as HTML."}), "value of content"),
        (tool("tiers", "Requires the Enterprise plan. Tags are part of it.", "city"), "read as a request"),
    ],
    ids=lambda value: value.name if isinstance(value, Tool) else "",
)  # fmt: skip
def test_a_tool_whose_golden_could_be_wrong_is_refused_with_the_reason(refused: Tool, reason: str) -> None:
    users = tool("list_users", "Lists all users.")
    assert reason in tool_refusals([users, refused])[refused.name]
    assert plannable([users, refused]) == [users]


def test_no_golden_calls_a_refused_tool() -> None:
    tools = [
        tool("list_users", "Lists all users."),
        tool("put_page", "Replaces a page.", "page_id", body=BODY),
    ]
    goldens = Synthesizer(seed=5).generate_goldens_from_tools(tools, 12)
    assert {call.tool for golden in goldens for call in golden.expected_calls} == {"list_users"}


PATTERNS = [
    (r"^\d{4}-\d{2}-\d{2}$", "%Y-%m-%d"), (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z$", "%Y-%m-%dT%H:%M:%SZ"),
    (r"^\d{2}:\d{2}$", "%H:%M"), (r"^\d{2}/\d{2}/\d{4}$", "%m/%d/%Y"), (r"^\d{4}-\d{2}$", "%Y-%m"), (r"^\d{8}$", "%Y%m%d"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "form"), PATTERNS)
def test_a_pattern_of_dates_gets_dates_that_exist(pattern: str, form: str) -> None:
    for seed in range(30):
        days = tool(
            "get_days", "Gets the rain of a day.", "date", date={"type": "string", "pattern": pattern}
        )
        arguments = sample_arguments(days, frozenset(["date"]), random.Random(seed))
        assert arguments is not None
        datetime.datetime.strptime(arguments["date"], form)  # raises for a day that does not exist


@pytest.mark.parametrize("pattern", [r"^\d{8}$", r"^[A-Z]{3}$", r"^.+$", r"^\w+$", r"(", r"^\d+$"])
def test_other_patterns_are_no_dates(pattern: str) -> None:
    assert date_form(pattern, "account_number") == ""


@pytest.mark.parametrize(
    ("name", "text", "is_past"),
    [
        ("get_archive", "Gets historical weather.", True), ("list_events", "Lists events of a service.", True),
        ("search_flights", "Searches flights.", False), ("create_task", "Creates a task that is due.", False),
        ("add_worklog", "Logs time on a task.", True), ("get_forecast", "Gets a forecast.", False),
    ],
)  # fmt: skip
def test_dates_lie_where_the_tool_looks(name: str, text: str, is_past: bool) -> None:
    assert is_about_the_past(f"{name}\n{text}") is is_past


@pytest.mark.parametrize(
    ("text", "most"), [("Title, at most 12 characters.", 12), ("Title (max 12 chars)", 12), ("12 characters or less", 12)]
)  # fmt: skip
@pytest.mark.parametrize("flavour", ["plain", "unicode"])
def test_a_text_is_no_longer_than_its_documentation_allows(text: str, most: int, flavour: str) -> None:
    note = tool("add_note", "Adds a note.", "title", title={"type": "string", "description": text})
    for seed in range(20):
        arguments = sample_arguments(note, frozenset(["title"]), random.Random(seed), flavour=flavour)  # type: ignore[arg-type]
        assert arguments is not None and len(arguments["title"]) <= most


def test_paths_are_absolute_where_the_text_asks_for_it() -> None:
    read = tool(
        "read_note", "Reads a note.", "path", path={"type": "string", "description": "Absolute path."}
    )
    arguments = sample_arguments(read, frozenset(["path"]), random.Random(1))
    assert arguments is not None and re.match(r"/\w+/", arguments["path"])


@pytest.mark.parametrize("seed", range(6))
def test_two_calls_of_one_tool_are_about_two_things(seed: int) -> None:
    get = tool("get_paper", "Gets a paper.", "paper_id", limit={"type": "integer"})
    for golden in Synthesizer(seed=seed).generate_goldens_from_tools([get], 20):
        ids = [call.args["paper_id"] for call in golden.expected_calls]
        assert len(set(ids)) == len(ids)


def test_the_words_of_a_docstring_count_as_those_of_a_parameter() -> None:
    about = "Gets a report.\n\nArgs:\n    kind: One of 'daily' or 'weekly'.\n"
    values = {sample_arguments(tool("get_report", about, "kind"), frozenset(["kind"]), random.Random(s))["kind"] for s in range(9)}  # type: ignore[index]  # fmt: skip
    assert values == {"daily", "weekly"}


@pytest.mark.parametrize(
    ("name", "schema", "pattern"),
    [
        ("date", {"description": "The date in YYYY-MM-DD format."}, r"\d{4}-\d\d-\d\d"),
        ("project_identifier", {"description": "Identifier of a project (PR-*)."}, r"PR-\d+"),
        ("project_id", {"description": "Starts with 'prj_'."}, r"prj_\d+"),
        ("user_name", {"description": "Username of the user"}, r"[a-z]+"),
        ("view_id", {"description": "Has a class of `total` or `mean`."}, r"[A-Z]-\d+"),
        ("property_key", {"description": "Only alphanumeric characters and underscores."}, r"[a-z_]+"),
        ("email", {"description": "Email ID of the user"}, r"\S+@\S+"),
        ("variant_id", {"description": "Such as 'chr7:g.140753336A>T'."}, r"chr7:g\.140753336A>T"),
    ],
)
def test_values_follow_the_form_that_a_text_shows(name: str, schema: dict[str, object], pattern: str) -> None:
    get = tool("get_it", "Gets it.", name, **{name: {"type": "string", **schema}})
    for seed in range(5):
        arguments = sample_arguments(get, frozenset([name]), random.Random(seed))
        assert arguments is not None and re.fullmatch(pattern, arguments[name])


@pytest.mark.parametrize(
    ("name", "action"), [("reopenIssue", "reopen issue"), ("teams-list", "list teams"), ("invoice_create", "create invoice")]
)  # fmt: skip
def test_the_verb_of_a_name_is_found_wherever_it_stands(name: str, action: str) -> None:
    from rightcall.wings.generate.actions import name_action

    assert name_action(name) == action


def test_one_of_a_list_and_its_members_are_no_twins() -> None:
    tools = [
        tool("get_run", "Gets a run.", "run_id"),
        tool("get_runs", "Gets the runs of a project.", "project_id"),
    ]
    assert plannable(tools) == tools


def test_the_same_calls_are_asked_for_once() -> None:
    tools = [tool("list_users", "Lists all users."), tool("get_user", "Gets a user.", "user_id")]
    goldens = Synthesizer(seed=4).generate_goldens_from_tools(tools, 25)
    assert (
        sum(1 for golden in goldens if [call.tool for call in golden.expected_calls] == ["list_users"]) == 1
    )


def test_a_constant_that_may_be_left_out_may_be_given() -> None:
    target = {"type": "object", "properties": {"kind": {"const": "dataset"}, "project_id": {"type": "string"}},
              "required": ["project_id"]}  # fmt: skip
    list_all = tool("list_releases", "Lists the releases of a dataset.", "target", target=target)
    golden = next(
        g for g in Synthesizer(seed=3).generate_goldens_from_tools([list_all], 6) if g.expected_calls
    )
    plain, full = golden.expected_calls[0].args["target"]["one_of"]
    assert full == {**plain, "kind": "dataset"}


def test_one_of_two_spellings_of_the_same_thing_is_stated() -> None:
    from rightcall.wings.generate.needed_parameters import least_parameters

    text = {"type": "string"}
    add = tool("add_branch", "Adds a branch.", "branch", project_id=text, project_key=text)
    assert set(least_parameters(add) or ()) in ({"branch", "project_id"}, {"branch", "project_key"})


def test_greetings_do_not_fill_up_what_repeats() -> None:
    goldens = Synthesizer(seed=4).generate_goldens_from_tools([tool("list_users", "Lists all users.")], 20)
    assert sum(golden.metadata["generated"]["plan"] == "none" for golden in goldens) <= 4


def test_a_hostile_pattern_costs_no_time() -> None:
    slow = {"type": "string", "pattern": r"^(\w+)*!$", "description": f"For example '{'a' * 55}'."}
    get = tool("get_it", "Gets an item.", "code_name", code_name=slow)
    plannable([get])
    assert sample_arguments(get, frozenset(["code_name"]), random.Random(1)) is None
