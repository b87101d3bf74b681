"""A scripted writer that words plans as people do and is wrong three times in ten, and a reader that knows the text alone.

The writer's mistakes are those of models: it leaves a value out, changes one, asks for something else, or adds a wish.
"""

from __future__ import annotations

import random
import re

from rightcall.limbs.generate.plans import Schedule, plan_of
from rightcall.records import ToolCall
from tests.limbs.generate.builders import BY_NAME, PLANNED, Model

WORDINGS = {
    "get_weather": ("What's it like outside in {city}{units}?", "How is the weather in {city} right now{units}?"),
    "get_forecast": ("What will the weather in {city} be over the next {days} days?", "Forecast for {city}, next {days} days."),
    "convert_currency": ("How much is {amount} {from_currency} in {to_currency}?", "Turn {amount} {from_currency} into {to_currency} for me."),
    "find_order": ("Which order did {email} place last?", "Look up the latest order of {email}, would you?"),
    "refund_order": ("Give the money back for order {order_id}{reason}.", "Order {order_id} should be refunded{reason}."),
    "create_event": ("Put “{title}” into my calendar on {date}{duration_minutes}.", "Calendar: “{title}” on {date}{duration_minutes}."),
    "send_message": ("Text “{message}” to “{contact}”{urgent}.", "Let “{contact}” know by text: “{message}”{urgent}."),
    "book_table": ("Table for {guests} at “{restaurant}”{time}, please.", "Reserve “{restaurant}” for {guests} people{time}."),
    "search_products": ("Show me “{query}” in the shop{max_price}{sort}.", "What “{query}” does the shop have{max_price}{sort}?"),
    "set_timer": ("Timer, {minutes} minutes{label}.", "Wake me in {minutes} minutes with a timer{label}."),
    "translate_text": ("How do you say “{text}” in {target_language}?", "Put “{text}” into {target_language}."),
    "play_song": ("Play the song “{title}”{volume}.", "I want to hear the song “{title}”{volume}."),
}  # fmt: skip
OPTIONAL = {
    "units": " in {}", "reason": ", it was {}", "duration_minutes": ", {} minutes long", "urgent": " ({})", "time": " at {}",
    "max_price": " up to {} dollars", "sort": " sorted by {}", "label": " labelled “{}”", "volume": " at volume {}",
}  # fmt: skip
CHAT = (
    "Thanks, you are a star!",
    "Good morning to you.",
    "Never mind, all done.",
    "Are you a robot?",
    "Haha, good one.",
)
WISH = " And tell me a joke about 7 cats."


def writer(seed: int, share_wrong: float = 0.3) -> Model:
    """A model that writes by these wordings and solves by reading."""

    def write(request):
        index = int(request.golden_id.partition("-")[0])
        slot = Schedule(list(PLANNED.values()), seed).take(index + 1)[index]
        plan = plan_of(slot, PLANNED, seed=seed, attempt=request.trial)
        rng = random.Random(f"{seed}/{index}/{request.trial}")
        if slot.kind == "none":
            return rng.choice(CHAT) if rng.random() > share_wrong else "Play the song “Yesterday”."
        fault = rng.choice(("drop", "change", "swap", "add")) if rng.random() < share_wrong else ""
        said = [sentence(call.tool, dict(call.arguments), plan.missing, rng, fault) for call in plan.calls]
        return " Also: ".join(said) + (WISH if fault == "add" else "")

    return Model({"request": write}, lambda request: read(request.messages[0].content))


def sentence(tool, arguments, missing, rng, fault):
    if fault == "swap":
        tool = rng.choice([name for name in WORDINGS if name != tool])
    words = rng.choice(WORDINGS[tool])
    if fault == "change":
        name = rng.choice(list(arguments))
        arguments[name] = {"true": False}.get(str(arguments[name]), f"{arguments[name]}9")
    for name in re.findall(r"{(\w+)}", words):
        value = None if name == missing or (fault == "drop" and rng.random() < 0.6) else arguments.get(name)
        if isinstance(value, bool):
            value = "it is urgent" if value else "no hurry"
        if name in OPTIONAL:
            words = words.replace(f"{{{name}}}", OPTIONAL[name].format(value) if value is not None else "")
        else:
            words = words.replace(f"{{{name}}}", "it" if value is None else str(value))
    return words


READINGS = (
    ("get_forecast", r"weather in (?P<city>.+?) be over the next (?P<days>\w+) days|Forecast for (?P<city2>.+?), next (?P<days2>\w+) days"),
    ("get_weather", r"(?:outside|weather) in (?P<city>.+?)(?: right now)?(?: in (?P<units>celsius|fahrenheit))?\?"),
    ("convert_currency", r"(?:How much is|Turn) (?P<amount>[\d.]+) (?P<from_currency>\w+) in(?:to)? (?P<to_currency>\w+)"),
    ("find_order", r"(?:did|order of) (?P<email>\S+@[\w.-]+\w)"),
    ("refund_order", r"[Oo]rder (?P<order_id>[A-Z]{2}-\d+)(?: should be refunded)?(?:, it was (?P<reason>[\w ]+))?"),
    ("create_event", r"“(?P<title>[^”]*)” (?:into my calendar )?on (?P<date>[\d-]+)(?:, (?P<duration_minutes>\d+) minutes long)?\."),
    ("send_message", r"Text “(?P<message>[^”]*)” to “(?P<contact>[^”]*)”(?: \((?P<urgent>[^)]*)\))?|Let “(?P<contact2>[^”]*)” know by text: “(?P<message2>[^”]*)”(?: \((?P<urgent2>[^)]*)\))?"),
    ("book_table", r"Table for (?P<guests>\d+) at “(?P<restaurant>[^”]*)”(?: at (?P<time>[\d:]+))?|Reserve “(?P<restaurant2>[^”]*)” for (?P<guests2>\d+) people(?: at (?P<time2>[\d:]+))?"),
    ("search_products", r"(?:Show me|What) “(?P<query>[^”]*)” (?:in the shop|does the shop have)(?: up to (?P<max_price>[\d.]+) dollars)?(?: sorted by (?P<sort>\w+))?"),
    ("set_timer", r"(?:Timer,|Wake me in) (?P<minutes>\d+) minutes(?: with a timer)?(?: labelled “(?P<label>[^”]*)”)?"),
    ("translate_text", r"(?:How do you say|Put) “(?P<text>[^”]*)” in(?:to)? (?P<target_language>[A-Z]\w+)"),
    ("play_song", r"the song “(?P<title>[^”]*)”(?: at volume (?P<volume>\d+))?"),
)  # fmt: skip


def read(text):
    """What the text asks for; a question back when something needed is not there."""
    calls = []
    for part in text.split(" Also: "):
        found = next(
            ((tool, match) for tool, pattern in READINGS if (match := re.search(pattern, part))), None
        )
        if found is None:
            continue
        tool, match = found
        said = {name.rstrip("2"): value for name, value in match.groupdict().items() if value is not None}
        arguments = {
            name: as_typed(BY_NAME[tool].parameters[name], value)
            for name, value in said.items()
            if value != "it"
        }
        if set(BY_NAME[tool].input_schema["required"]) <= set(arguments):
            calls.append(ToolCall(tool, arguments))
    return calls or "Could you tell me more?"


def as_typed(schema, value):
    kind = schema.get("type")
    if kind == "boolean":
        return value == "it is urgent"
    try:
        return int(value) if kind == "integer" else float(value) if kind == "number" else value
    except ValueError:
        return value
