"""Requests without a model: what they ask for, which values they state, and which tools they leave alone."""

from __future__ import annotations

import random

import pytest

from rightcall.core.errors import ConfigError
from rightcall.model import Tool
from rightcall.model.tool import Annotations
from rightcall.wings.generate.actions import action_of
from rightcall.wings.generate.plannable_tools import dangerous_neighbour, plannable, request_actions
from rightcall.wings.generate.synthesizer import Synthesizer
from rightcall.wings.generate.values import sample_arguments


@pytest.mark.parametrize(
    ("name", "description", "action"),
    [
        ("list_users", "Returns the list of users, including their roles.", "get the list of users"),
        ("get_issue", "Retrieves a specific issue (by number).", "get an issue"),
        ("git_reset", "Unstages all staged changes", "unstage all staged changes"),
        ("remove", "Permanently deletes your account. Cannot be undone.", "permanently delete my account"),
        ("slack_reply", "Reply to a specific thread", "reply to a thread"),
        ("scan", "This tool can be used to scan a folder.", "scan a folder"),
        ("scan", "Use this tool when you need to scan a folder; it is fast.", "scan a folder"),
        ("page", "Notion | Retrieve a page\nError Responses: 400", "get a page"),
        ("fetch", "Fetches and extracts the text of a page.", "fetch and extract the text of a page"),
        ("get_weather", "Current weather of a city.", ""),
        ("invoice_create", "", "create invoice"),
        ("enable_ipv6", "Enable IPv6 on a server.", "enable IPv6 on a server"),
        ("get_image", "Get, download, and show an image.", "get, download, and show an image"),
        ("fetch_file", "Fetch a file (e.g. an image (like !a.png) of a page).", "fetch a file"),
        ("list_models", "Example cURL request: curl https://example.com", ""),
        ("get_goals", "Get my goals for steps, calories, etc.", "get my goals for steps, calories"),
        ("diagnose_dag_run", "", "diagnose dag run"),
        ("download_it", "Download a paper via Sci-Hub.", "download a paper via Sci-Hub"),
        ("search_coins", "Progressive search to find a coin.", ""),
        ("list_servers", "List all servers for the current user.", "list all servers for me"),
        ("crawl", "Starts a crawl, polls until it is done.", "start a crawl"),
    ],
)
def test_a_description_becomes_what_a_person_asks_for(name: str, description: str, action: str) -> None:
    assert action_of(Tool(name, description)) == action


def value(name: str, /, tool: str = "do_it", about: str = "", **schema: object) -> object:
    definition = {"type": "object", "properties": {name: {"type": "string", **schema}}, "required": [name]}
    arguments = sample_arguments(Tool(tool, about, definition), frozenset([name]), random.Random(3))
    assert arguments is not None
    return arguments[name]


@pytest.mark.parametrize(
    ("name", "schema", "pattern"),
    [
        ("owner", {}, r"[a-z-]+"),
        ("repo", {}, r"[a-z-]+"),
        ("branch_name", {}, r"[a-z0-9.-]+"),
        ("image_path", {}, r"\S+\.(jpg|png)"),
        ("output_dir", {}, r"[^.]+"),
        ("timestamp", {}, r"\d{4}-\d\d-\d\dT\S+Z"),
        ("thread_ts", {"description": "In the format '1234567890.123456'."}, r"1234567890\.123456"),
        ("since", {"description": "First day, YYYY-MM-DD."}, r"\d{4}-\d\d-\d\d"),
        ("scope", {"description": "One of 'local', 'remote' or 'all'."}, r"local|remote|all"),
        ("branch_type", {"description": "'local' (default) or 'remote'."}, r"local|remote"),
        ("issue_key", {"description": "Key of the issue (e.g., 'PROJ-123')."}, r"PROJ-123"),
        ("city", {"description": "City (e.g. San Francisco, CA)."}, r"San Francisco"),
        ("target_timezone", {}, r"[A-Z]\w+/\w+"),
        ("issue_number", {"type": "number"}, r"\d+"),
        ("count", {"type": "number"}, r"\d+"),
        ("limit", {"type": "integer", "description": "How many (1-3)."}, r"[123]"),
        ("namespace", {"pattern": "^[a-z]{3,20}$"}, r"payments|web|monitoring"),
    ],
)
def test_values_follow_what_is_documented(name: str, schema: dict[str, object], pattern: str) -> None:
    import re

    assert re.fullmatch(pattern, str(value(name, **schema)))


def test_a_query_is_sql_where_the_tool_says_so() -> None:
    assert str(value("query", "run_query", "Executes SQL in the warehouse.")).startswith("SELECT ")


@pytest.mark.parametrize("seed", range(20))
def test_the_ends_of_a_range_are_in_order_and_no_text_is_used_twice(seed: int) -> None:
    names = ("min_price", "max_price", "start_date", "end_date", "from_city", "to_city")
    kinds = ({"type": "number"}, {"type": "number"}, *({"type": "string"},) * 4)
    tool = Tool("search", "", {"type": "object", "properties": dict(zip(names, kinds, strict=True))})
    low, high, start, end, source, target = sample_arguments(
        tool, frozenset(names), random.Random(seed)
    ).values()
    assert low <= high and start <= end and source != target


def tool(name: str, about: str, *required: str, optional: tuple[str, ...] = (), **kinds: object) -> Tool:
    properties = {each: kinds.get(each, {"type": "string"}) for each in (*required, *optional)}
    return Tool(name, about, {"type": "object", "properties": properties, "required": list(required)})


USERS = tool("list_users", "Lists all users.")


@pytest.mark.parametrize(
    "other",
    [
        tool("get_page", "Gets a page of results.", "cursor"),
        tool("run", "Runs a script.", "script"),
        tool("old_list", "Deprecated: lists all users."),
        tool("read_doc", "Reads a document. You must call find_doc first.", "document_id"),
        tool("create_branch", "Creates a new branch in a project."),
        tool("search_users", "Searches for users."),
        tool("update_user", "Updates a user.", "user_id"),
        tool("set_mode", "Sets the mode.", "mode"),
        tool("manage", "Manages nodes.", "operation", optional=("name", "city"), operation={"enum": ["drain", "add"]}),
        tool("add_rows", "Adds rows to a table.", "rows", rows={"type": "array", "items": {}}),
        tool("save", "Saves an item.", "item", item={"type": "object", "additionalProperties": True}),
    ],
    ids=lambda other: other.name,
)  # fmt: skip
def test_tools_that_a_request_cannot_ask_for_fairly_are_left_out(other: Tool) -> None:
    assert plannable([USERS, other]) == [USERS]


def test_an_update_states_what_to_change() -> None:
    update = tool("update_user", "Updates a user.", "user_id", optional=("title",))
    goldens = Synthesizer(seed=2).generate_goldens_from_tools([update], 10)
    assert all({"user_id", "title"} <= set(g.expected_calls[0].args) for g in goldens if g.expected_calls)


def test_what_fits_another_tool_as_well_is_said_in_more_words_or_not_at_all() -> None:
    plain = tool("list_folder", "Lists the files of a folder.", "folder")
    sizes = tool("list_folder_sizes", "Lists the files of a folder, including sizes.", "folder")
    assert request_actions([plain, sizes]) == {
        "list_folder_sizes": "list the files of a folder, including sizes"
    }


def test_only_a_tool_with_an_effect_is_forbidden_beside_another() -> None:
    get, listing, delete = (
        tool("get_user", "Gets a user of the shop.", "user_id"),
        tool("list_orders", "Lists the orders of the shop."),
        tool("delete_user", "Deletes a user for good, with every order.", "user_id"),
    )
    assert dangerous_neighbour(get, [get, listing]) is None
    assert dangerous_neighbour(get, [get, listing, delete]) is delete
    hinted = Tool("wipe_orders", "Forgets the shop.", annotations=Annotations(read_only=True))
    assert dangerous_neighbour(get, [get, hinted]) is None


def test_a_request_with_missing_information_asks_to_be_asked() -> None:
    get = tool("get_user", "Gets a user of the shop.", "user_id")
    goldens = Synthesizer(seed=1).generate_goldens_from_tools([get], 12)
    missing = [golden for golden in goldens if golden.metadata["generated"]["plan"] == "missing"]
    assert missing and all("user id" in golden.input and golden.no_calls for golden in missing)


def test_without_a_model_nothing_is_generated_for_tools_that_cannot_be_asked_for() -> None:
    with pytest.raises(ConfigError, match="no request can be written for run without a model"):
        Synthesizer().generate_goldens_from_tools([tool("run", "Runs a script.", "script")], 3)


@pytest.mark.parametrize(
    ("name", "other", "text", "second"),
    [
        ("test_link", "net_test_net_link", "Checks that the link works.", "Checks that a link works."),
        ("open_door", "open_gate", "Opens the front door.", "Opens a front door!"),
        ("door_open", "open_door", "Opens the door.", "Unlocks the house."),
    ],
)
def test_twins_are_left_out_together(name: str, other: str, text: str, second: str) -> None:
    assert plannable([USERS, tool(name, text), tool(other, second)]) == [USERS]


UNION = {
    "anyOf": [
        {"type": "object", "properties": {"operation": {"const": "get"}, "params": {"type": "object"}}},
        {"type": "object", "properties": {"operation": {"const": "list"}}},
    ]
}
DEPLOY = {
    "type": "object",
    "properties": {"operation": {"const": "deploy"}, "params": {"type": "object", "required": ["site"]}},
    "required": ["operation"],
}


@pytest.mark.parametrize(
    "other",
    [
        tool("sites", "Gets the state of a site.", "choice", choice=UNION),
        tool("deploy", "Deploys a site.", "choice", choice=DEPLOY),
        tool("deploy_site", "Deploys a site. Never assume that a site is new: ask the user.", "site_id"),
        tool("draw", "Draws an area.", "city", optional=("a", "b"),
             a={"type": "object", "description": "Either a or b must be specified."}, b={"type": "object"}),
        tool("replace_order", "Replaces an open order.", "order_id", optional=("price",),
             price={"type": "string", "description": "Required if the order was a limit order."}),
        tool("simplify", "Simplifies a road.", "meters",
             meters={"type": "number", "description": "Walking: use 0-500. Driving: use 1000-5000."}),
        tool("buy", "Buys shares.", "count", count={"type": "integer", "description": "In round lots."}),
        tool("measure", "Calculates times and distances of a trip.", "city", optional=("annotations",),
             annotations={"type": "string", "enum": ["duration", "distance"]}),
        tool("get_route", "Gets the way to the stops.", "stops",
             stops={"type": "string", "description": "A semicolon-separated list of 0-based indices."}),
        tool("get_product", "Gets a product.", "product",
             product={"type": "string", "description": "Product GID."}),
        tool("get_traces", "Gets traces.", "query", query={"type": "string", "description": "Trace query string."}),
        tool("choose", "Select and run one of the following operations.", "city"),
        tool("find_near", "Finds what is around a point. Use limit=1 for best results.", "city", optional=("limit",),
             limit={"type": "integer"}),
        tool("watch", "Watches a clip.", "clip_url", clip_url={"type": "string", "description": "YouTube URL."}),
    ],
    ids=lambda other: other.name,
)  # fmt: skip
def test_what_a_definition_leaves_open_is_not_asked_for(other: Tool) -> None:
    assert plannable([USERS, other]) == [USERS]


@pytest.mark.parametrize(
    ("name", "schema", "pattern"),
    [
        ("qty", {"type": "integer", "description": "Must be in round lots of 100."}, r"[1-9]00"),
        ("days", {"type": "integer", "description": "One of 7, 14 or 30."}, r"7|14|30"),
        ("amount", {"type": "integer", "example": 250}, r"250"),
        ("task_gid", {}, r"\d{16}"),
        ("project", {"description": "Unique identifier of the project."}, r"[A-Z]-\d+"),
        ("image_url", {}, r"https://\S+\.(png|jpg)"),
        ("point", {"description": "As latitude,longitude."}, r"-?\d+\.\d+,-?\d+\.\d+"),
    ],
)
def test_values_have_the_documented_form(name: str, schema: dict[str, object], pattern: str) -> None:
    import re

    assert re.fullmatch(pattern, str(value(name, **schema)))


@pytest.mark.parametrize("seed", range(8))
def test_both_ends_of_a_stay_are_stated_or_none(seed: int) -> None:
    stays = tool("get_room", "Gets a room.", "room_id", optional=("checkin", "checkout"),
                 checkin={"type": "string", "format": "date"}, checkout={"type": "string", "format": "date"})  # fmt: skip
    for golden in Synthesizer(seed=seed).generate_goldens_from_tools([stays], 8):
        for call in golden.expected_calls:
            assert ("checkin" in call.args) == ("checkout" in call.args)


@pytest.mark.parametrize("seed", range(8))
def test_coordinates_are_real_places_of_one_country(seed: int) -> None:
    from rightcall.wings.generate.pools import PLACES

    names = ("from_lat", "from_lon", "to_lat", "to_lon")
    way = tool("get_way", "Gets a way.", *names, **{name: {"type": "number"} for name in names})
    values = list(sample_arguments(way, frozenset(names), random.Random(seed)).values())
    start, end = tuple(values[:2]), tuple(values[2:])
    assert start != end and any({start, end} <= set(country) for country in PLACES)


def test_what_the_purpose_or_a_text_demands_is_stated() -> None:
    from rightcall.wings.generate.needed_parameters import least_parameters

    asset = tool("add_asset", "Adds an asset by symbol to a list.", "list_id", optional=("symbol",))
    assert least_parameters(asset) == ("list_id", "symbol")


def test_identifiers_are_details_rather_than_part_of_the_purpose() -> None:
    assert action_of(Tool("get_task", "Gets a task by its ID.")) == "get a task"
    assert action_of(Tool("ReverseTool", "")) == "reverse"


def test_topics_come_from_the_description_or_from_what_is_searched() -> None:
    docs = "Search the guides. Use it for questions about setup, funding, trading or events."
    assert value("query", "search_guides", docs) in ("setup", "funding", "trading", "events")
    assert " " in str(value("query", "search_customers", "Searches the customers."))


def test_both_forms_of_a_union_are_accepted() -> None:
    ids = {"oneOf": [{"type": "array", "items": {"type": "string"}, "minItems": 2}, {"type": "string"}]}
    get = tool("get_tasks", "Gets tasks.", "task_ids", task_ids=ids)
    golden = next(g for g in Synthesizer(seed=3).generate_goldens_from_tools([get], 6) if g.expected_calls)
    listed, *texts = golden.expected_calls[0].args["task_ids"]["one_of"]
    assert texts == [",".join(listed), ", ".join(listed)]
