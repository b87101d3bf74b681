"""Tools and requests of six subjects, written so that whoever reads the definitions finds the right call.

A tool's `wants` are templates of requests. Its parameters have pairs of a value and how users say it. `pair` names the
tool it is easily taken for; `apart` says what it is not for, in the words of that tool's requests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["free", "id", "enum", "unit", "date", "inferred", "form", "opaque"]


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: Kind
    text: str
    values: tuple[tuple[object, str], ...]
    unit: str = ""


@dataclass(frozen=True)
class ToolText:
    name: str
    text: str
    wants: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    pair: str = ""
    apart: str = ""


@dataclass(frozen=True)
class Domain:
    name: str
    tools: tuple[ToolText, ...]
    negatives: tuple[str, ...]
    generic: tuple[str, ...] = ("process_data", "handle_item", "run_task")
    broad: str = field(default="")


def _same(*values: str) -> tuple[tuple[object, str], ...]:
    return tuple((value, value) for value in values)


def _free(name: str, text: str, *values: str) -> Parameter:
    return Parameter(name, "free", text, _same(*values))


def _id(name: str, text: str, *values: str) -> Parameter:
    return Parameter(name, "id", text, _same(*values))


def _opaque(name: str, text: str, *values: str) -> Parameter:
    return Parameter(name, "opaque", text, _same(*values))


def _enum(name: str, text: str, **values: str) -> Parameter:
    return Parameter(name, "enum", text, tuple(values.items()))


def _unit(name: str, text: str, unit: str, *values: tuple[int, str]) -> Parameter:
    return Parameter(name, "unit", text, values, unit)


def _date(name: str, text: str) -> Parameter:
    said = (
        ("2027-03-03", "March 3rd, 2027"), ("2027-05-21", "21 May 2027"), ("2027-11-09", "November 9th, 2027"),
        ("2027-08-14", "14 August 2027"), ("2028-01-30", "January 30th, 2028"),
    )  # fmt: skip
    return Parameter(name, "date", text, said)


def _inferred(name: str, text: str, value: str) -> Parameter:
    return Parameter(name, "inferred", text, ((value, ""),))


def _form(name: str, text: str, *values: tuple[str, str]) -> Parameter:
    return Parameter(name, "form", text, values)


HOURS = ((120, "2 hours"), (180, "3 hours"), (240, "4 hours"), (300, "5 hours"), (60, "1 hours"))
PEOPLE = ("Aisha Khan", "Bruno Keller", "Chloe Dubois", "Dmitri Orlov", "Elena Rossi")
CITIES = ("Lisbon", "Osaka", "Toronto", "Nairobi", "Bergen", "Quito")

CALENDAR = Domain(
    "calendar",
    (
        ToolText(
            "create_event",
            "Put an entry with other people on the calendar.",
            (
                "Put a meeting with {guest} on the calendar",
                "Add an entry for a call with {guest} to the calendar",
                "Put a conference entry with {guest} on the calendar",
            ),
            (_free("guest", "Name of the person to invite", *PEOPLE),),
            "block_time",
            "quiet focus hours alone",
        ),
        ToolText(
            "block_time",
            "Put an entry on the calendar that keeps other people away.",
            (
                "Put a quiet entry named {label} on the calendar",
                "Put a focus entry {label} on the calendar",
                "Put hours alone for {label} on the calendar",
            ),
            (
                _free(
                    "label", "Title of the entry", "Writing", "Deep work", "Reading", "Budget review", "Lunch"
                ),
            ),
            "create_event",
            "meeting, call or conference",
        ),
        ToolText(
            "set_reminder",
            "Remind the user of something later; notify, alert or ping at a chosen day.",
            (
                "Remind me later on {day} about {topic}, it is {level}",
                "Alert and notify me on {day} of {topic}, {level}",
                "Ping and remind me on {day} of {topic}, {level}",
            ),
            (
                _date("day", "Day of the reminder"),
                _free("topic", "What it is about", "the rent", "the dentist", "the passport", "the taxes"),
                _enum("level", "How urgent it is", high="really pressing", normal="no rush", low="whenever"),
            ),
        ),
        ToolText(
            "snooze_alarm",
            "Delay a ringing alarm: postpone, silence or hold it for a while.",
            (
                "Postpone the ringing alarm by {delay} on my phone",
                "Delay the alarm for {delay} on my phone",
                "Silence the ringing alarm for {delay} on my phone",
            ),
            (
                _unit("delay", "How long it stays silent", "minutes", *HOURS),
                _inferred("device", "Which device rings", "phone"),
            ),
        ),
        ToolText(
            "move_meeting",
            "Reschedule: shift or move an agreed slot from one room to another.",
            (
                "Move the slot from {source} to {target}, code {q}",
                "Shift the agreed slot from {source} to {target}, code {q}",
                "Reschedule the slot from {source} into {target}, code {q}",
            ),
            (
                _free("source", "Room it leaves", "Oak", "Maple", "Cedar", "Birch"),
                _free("target", "Room it goes to", "Atrium", "Studio", "Library", "Garden"),
                _opaque("q", "Booking code of the slot", "BK71", "BK29", "BK88", "BK45"),
            ),
        ),
        ToolText(
            "share_schedule",
            "Send a colleague access to the weekly schedule; grant viewing of the week plan.",
            (
                "Send {member} access to the weekly schedule",
                "Grant {member} viewing of the week plan",
                "Send the weekly plan access to {member}",
            ),
            (
                _form(
                    "member",
                    "Staff number of the colleague",
                    ("EMP-0071", "staff 71"),
                    ("EMP-0138", "staff 138"),
                    ("EMP-0205", "staff 205"),
                    ("EMP-0364", "staff 364"),
                ),
            ),
        ),
    ),
    (
        "Who invented the calendar with twelve months",
        "What is a meeting for in general",
        "Why do people hate an alarm",
        "How many hours has a week on Mars",
        "Is a quiet room healthy for people",
        "Tell me a joke about a conference call",
        "What does the word schedule mean",
        "Which day of the week is named after Thor",
    ),
)

SHOP = Domain(
    "shop",
    (
        ToolText(
            "search_products",
            "Find articles in the shop catalogue by words.",
            (
                "Find {query} articles in stock in the shop",
                "Look in the shop catalogue to find available {query}",
                "Find new {query} articles in the catalogue",
            ),
            (_free("query", "Words to look for", "boots", "lamps", "tents", "kettles", "scarves"),),
            "search_orders",
            "past purchases or receipts bought earlier",
        ),
        ToolText(
            "search_orders",
            "Find articles of the shop by words in the buyer's list.",
            (
                "Find past purchases of {text} articles in the shop",
                "Find the receipts for {text} articles bought earlier in the shop",
                "Find {text} articles bought earlier in the list",
            ),
            (_free("text", "Words to look for", "boots", "lamps", "tents", "kettles", "scarves"),),
            "search_products",
            "anything new, available or in stock",
        ),
        ToolText(
            "ship_parcel",
            "Dispatch a parcel: deliver, ship or mail a package to a town.",
            (
                "Ship the parcel to {town} on {day}, {speed}",
                "Dispatch the package to {town} on {day}, {speed}",
                "Deliver the parcel to {town} on {day}, {speed}",
            ),
            (
                _free("town", "Town it goes to", *CITIES),
                _date("day", "Day it leaves"),
                _enum(
                    "speed",
                    "Speed of the delivery",
                    express="as fast as you can",
                    standard="the usual way",
                    economy="as cheap as it gets",
                ),
            ),
        ),
        ToolText(
            "reserve_item",
            "Hold goods for a customer: keep an item aside at the counter.",
            (
                "Keep the item aside for {period} at the counter",
                "Hold the goods for {period} at the counter",
                "Keep goods for the customer aside for {period}",
            ),
            (
                _unit("period", "How long it is kept", "minutes", *HOURS),
                _inferred("place", "Where it waits", "counter"),
            ),
        ),
        ToolText(
            "exchange_item",
            "Swap a bought size: trade or replace one size by another.",
            (
                "Swap size {old} for size {new}, slip {ref}",
                "Replace the size {old} by {new}, slip {ref}",
                "Trade the bought size {old} for {new}, slip {ref}",
            ),
            (
                _free("old", "Size that comes back", "S38", "S40", "S42", "S44"),
                _free("new", "Size that goes out", "S39", "S41", "S43", "S45"),
                _opaque("ref", "Number of the slip", "N301", "N455", "N612", "N778"),
            ),
        ),
        ToolText(
            "refund_payment",
            "Give money back: repay or reimburse a charge to the card.",
            (
                "Reimburse the charge on {card} in money",
                "Repay the money charge to {card}",
                "Give the money of the charge back to {card}",
            ),
            (
                _form(
                    "card",
                    "Token of the card",
                    ("CRD-0009", "card 9"),
                    ("CRD-0027", "card 27"),
                    ("CRD-0031", "card 31"),
                    ("CRD-0086", "card 86"),
                ),
            ),
        ),
    ),
    (
        "What makes good boots waterproof",
        "Who opened the first shop in London",
        "Why is money made of paper",
        "How heavy is a parcel on the moon",
        "Tell me a story about a counter clerk",
        "Is a size chart the same in Japan",
        "What does the word receipt come from",
        "Which catalogue was printed first",
    ),
)

FILES = Domain(
    "files",
    (
        ToolText(
            "delete_file",
            "Take a document away from the folder.",
            (
                "Take the document {path} away for good",
                "Remove the document {path} from the folder forever",
                "Take {path} away from the folder, erase it",
            ),
            (_free("path", "Path of the document", "a/plan.txt", "b/notes.md", "c/list.csv", "d/draft.odt"),),
            "archive_file",
            "keep, store or preserve a copy",
        ),
        ToolText(
            "archive_file",
            "Take a document away from the folder to another place.",
            (
                "Take the document {path} away but keep a copy",
                "Take the document {path} from the folder and preserve it",
                "Take {path} away from the folder and store it",
            ),
            (_free("path", "Path of the document", "a/plan.txt", "b/notes.md", "c/list.csv", "d/draft.odt"),),
            "delete_file",
            "erase for good or forever",
        ),
        ToolText(
            "export_report",
            "Write a summary out: print, export or save statistics as an output.",
            (
                "Export the statistics since {since} as {form}",
                "Print the summary of statistics since {since} as {form}",
                "Save the summary output since {since} as {form}",
            ),
            (
                _date("since", "First day that counts"),
                _enum(
                    "form",
                    "Kind of the output",
                    pdf="something to print",
                    xlsx="a spreadsheet",
                    html="a web page",
                ),
            ),
        ),
        ToolText(
            "lock_folder",
            "Protect a directory: lock, freeze or guard it against edits.",
            (
                "Lock the directory against edits for {span}, team wide",
                "Freeze the directory for {span}, team wide",
                "Guard the directory against edits for {span}, team wide",
            ),
            (
                _unit("span", "How long nobody edits", "minutes", *HOURS),
                _inferred("scope", "Whom it concerns", "team"),
            ),
        ),
        ToolText(
            "rename_batch",
            "Change names in bulk: rename many entries from one prefix to another.",
            (
                "Rename many entries from prefix {before} to {after}, job {n1}",
                "Change the names in bulk from {before} to {after}, job {n1}",
                "Change the prefix of entries from {before} to {after}, job {n1}",
            ),
            (
                _free("before", "Prefix now", "IMG", "DOC", "SCAN", "TMP"),
                _free("after", "Prefix later", "HOL", "INV", "ARC", "NEW"),
                _opaque("n1", "Id of the job", "J17", "J58", "J93", "J64"),
            ),
        ),
        ToolText(
            "restore_backup",
            "Recover a snapshot: bring back or roll back lost data.",
            (
                "Recover the lost data from {snapshot}",
                "Roll the lost data back to snapshot {snapshot}",
                "Bring the data back by {snapshot} recovery",
            ),
            (
                _form(
                    "snapshot",
                    "Snapshot to use",
                    ("SNAP-0003", "number 3"),
                    ("SNAP-0014", "number 14"),
                    ("SNAP-0052", "number 52"),
                    ("SNAP-0077", "number 77"),
                ),
            ),
        ),
    ),
    (
        "What is a directory in a phone book",
        "Who wrote the first summary of Hamlet",
        "Why is data called the new oil",
        "How old is the oldest document on earth",
        "Tell me a poem about a lost folder",
        "Is a prefix part of grammar",
        "What does copy mean in journalism",
        "Which statistics describe rain in Spain",
    ),
)

BANK = Domain(
    "bank",
    (
        ToolText(
            "pay_bill",
            "Send an amount from the account to a receiver.",
            (
                "Send the invoice amount of {payee} from the account",
                "Pay the due amount to the receiver {payee} by account",
                "Send {payee} the open amount of the invoice",
            ),
            (_free("payee", "Name of the receiver", *PEOPLE),),
            "send_gift",
            "birthday or wedding present",
        ),
        ToolText(
            "send_gift",
            "Send an amount to a receiver with a card from the account.",
            (
                "Send {payee} a birthday amount from the account",
                "Send a wedding amount to the receiver {payee}",
                "Send {payee} an amount as a present from the account",
            ),
            (_free("payee", "Name of the receiver", *PEOPLE),),
            "pay_bill",
            "due or open invoice",
        ),
        ToolText(
            "plan_transfer",
            "Schedule a standing order: repeat, recur or automate a payment.",
            (
                "Repeat the standing payment {rhythm} from {start}",
                "Automate the payment order {rhythm} from {start}",
                "Schedule a standing order {rhythm} from {start}",
            ),
            (
                _date("start", "First day"),
                _enum(
                    "rhythm",
                    "How often it happens",
                    weekly="each seven days",
                    monthly="at the end of every month",
                    yearly="once per twelve months",
                ),
            ),
        ),
        ToolText(
            "freeze_card",
            "Block plastic: suspend, freeze or disable a card that was stolen.",
            (
                "Suspend the stolen card for {pause}, debit",
                "Block the stolen card for {pause}, debit",
                "Disable the card plastic for {pause}, debit",
            ),
            (
                _unit("pause", "How long it stays blocked", "minutes", *HOURS),
                _inferred("type", "Sort of card", "debit"),
            ),
        ),
        ToolText(
            "convert_money",
            "Change cash: convert or swap one currency into another at the rate.",
            (
                "Convert cash from {give} into {take}, desk {x2}",
                "Swap the currency {give} into {take}, desk {x2}",
                "Change the currency {give} into {take} at the rate, desk {x2}",
            ),
            (
                _free("give", "Currency that is handed over", "EUR", "USD", "GBP", "CHF"),
                _free("take", "Currency that is received", "JPY", "SEK", "NOK", "CAD"),
                _opaque("x2", "Number of the desk", "D11", "D27", "D34", "D49"),
            ),
        ),
        ToolText(
            "show_balance",
            "Report savings: display the balance and statement of a deposit.",
            (
                "Display the savings balance of {deposit}",
                "Report the deposit statement for {deposit}",
                "Display the statement and balance of {deposit}",
            ),
            (
                _form(
                    "deposit",
                    "Key of the deposit",
                    ("DEP-0004", "pot 4"),
                    ("DEP-0019", "pot 19"),
                    ("DEP-0042", "pot 42"),
                    ("DEP-0073", "pot 73"),
                ),
            ),
        ),
    ),
    (
        "Who printed the first currency in China",
        "What is an account in a novel",
        "Why is plastic bad for the sea",
        "How rich is the receiver of a Nobel prize",
        "Tell me a riddle about a stolen crown",
        "Is a statement always true",
        "What does balance mean for a dancer",
        "Which amount of rain falls in Wales",
    ),
)

TRAVEL = Domain(
    "travel",
    (
        ToolText(
            "book_train",
            "Buy a seat for a trip between towns.",
            (
                "Buy a railway seat for a trip to {city}",
                "Buy a seat on the rail trip to {city}",
                "Get a station seat for the trip to {city} between towns",
            ),
            (_free("city", "Where the trip ends", *CITIES),),
            "book_coach",
            "bus or motorway",
        ),
        ToolText(
            "book_coach",
            "Buy a seat on the road for a trip between towns.",
            (
                "Buy a bus seat for a trip to {city}",
                "Buy a seat for the motorway trip to {city}",
                "Buy a bus seat for the trip to {city} between towns",
            ),
            (_free("city", "Where the trip ends", *CITIES),),
            "book_train",
            "railway, rail or station",
        ),
        ToolText(
            "reserve_hotel",
            "Lodge overnight: reserve accommodation, a bed or suite to sleep in.",
            (
                "Reserve accommodation to sleep from {arrival}, {board}",
                "Reserve an overnight bed from {arrival}, {board}",
                "Lodge me overnight in a suite from {arrival}, {board}",
            ),
            (
                _date("arrival", "First night"),
                _enum(
                    "board",
                    "Meals that are included",
                    none="only the room itself",
                    breakfast="with something in the morning",
                    full="with three meals",
                ),
            ),
        ),
        ToolText(
            "rent_bike",
            "Hire a bicycle: rent cycles or a scooter to ride.",
            (
                "Rent a bicycle to ride for {length}, adult",
                "Hire a scooter to ride for {length}, adult",
                "Hire cycles to ride for {length}, adult",
            ),
            (
                _unit("length", "How long the ride takes", "minutes", *HOURS),
                _inferred("frame", "Size of the frame", "adult"),
            ),
        ),
        ToolText(
            "change_seat",
            "Alter seating on board: switch a passenger from one row to another.",
            (
                "Switch the passenger from row {now} to row {then}, stub {k}",
                "Alter the seating on board from {now} to {then}, stub {k}",
                "Switch the row on board from {now} to {then}, stub {k}",
            ),
            (
                _free("now", "Row that is left", "R12", "R14", "R16", "R18"),
                _free("then", "Row that is taken", "R21", "R23", "R25", "R27"),
                _opaque("k", "Number on the stub", "T501", "T522", "T543", "T564"),
            ),
        ),
        ToolText(
            "track_luggage",
            "Trace baggage: locate or follow a missing suitcase.",
            (
                "Trace the missing suitcase {tag}",
                "Locate the missing baggage {tag}",
                "Follow the suitcase {tag} and locate it",
            ),
            (
                _form(
                    "tag",
                    "Label of the suitcase",
                    ("LUG-0006", "piece 6"),
                    ("LUG-0024", "piece 24"),
                    ("LUG-0063", "piece 63"),
                    ("LUG-0091", "piece 91"),
                ),
            ),
        ),
    ),
    (
        "Who built the first bicycle in Scotland",
        "What is a suite in classical music",
        "Why do towns lie at a river",
        "How long does a cat sleep overnight",
        "Tell me a rhyme about a suitcase",
        "Is a passenger pigeon extinct",
        "What does row mean in a quarrel",
        "Which seat has the king in parliament",
    ),
)

CLINIC = Domain(
    "clinic",
    (
        ToolText(
            "book_visit",
            "Give a patient an appointment at the practice.",
            (
                "Give the patient {name} a first appointment at the practice",
                "Give {name} an initial appointment as patient",
                "Give a new appointment at the practice to {name}",
            ),
            (_free("name", "Name of the patient", *PEOPLE),),
            "book_followup",
            "repeat, control or second check",
        ),
        ToolText(
            "book_followup",
            "Give a patient one more appointment at the practice.",
            (
                "Give the patient {name} a control appointment at the practice",
                "Give {name} a second appointment as patient",
                "Give a repeat appointment at the practice to {name}",
            ),
            (_free("name", "Name of the patient", *PEOPLE),),
            "book_visit",
            "first, initial or new",
        ),
        ToolText(
            "order_test",
            "Request laboratory analysis: examine, test or screen a blood sample.",
            (
                "Examine the blood sample on {day}, {urgency}",
                "Screen a laboratory sample on {day}, {urgency}",
                "Request a blood analysis on {day}, {urgency}",
            ),
            (
                _date("day", "Day of the sample"),
                _enum(
                    "urgency",
                    "Priority in the laboratory",
                    stat="at once please",
                    routine="in the normal queue",
                    later="after the holidays",
                ),
            ),
        ),
        ToolText(
            "rest_order",
            "Prescribe bed rest: excuse somebody from work, certify sick leave.",
            (
                "Certify sick leave for {span}, paid",
                "Prescribe rest and excuse from work for {span}, paid",
                "Excuse the sick from work for {span}, paid",
            ),
            (
                _unit("span", "How long the leave is", "minutes", *HOURS),
                _inferred("pay", "Whether it is paid", "paid"),
            ),
        ),
        ToolText(
            "switch_drug",
            "Substitute a medicine: replace one pill by another in the prescription.",
            (
                "Substitute the pill {stop} by {begin}, form {r}",
                "Replace the medicine {stop} with {begin}, form {r}",
                "Substitute medicine {stop} by {begin} in the prescription, form {r}",
            ),
            (
                _free("stop", "Medicine that ends", "Abilon", "Berivan", "Cortisal", "Dexorin"),
                _free("begin", "Medicine that starts", "Evolan", "Faloxin", "Gentaval", "Histazin"),
                _opaque("r", "Number of the form", "F210", "F322", "F434", "F546"),
            ),
        ),
        ToolText(
            "open_record",
            "Retrieve a chart: fetch the medical history and file of somebody.",
            (
                "Fetch the medical history of {chart}",
                "Retrieve the medical chart file {chart}",
                "Retrieve the history in the file of {chart}",
            ),
            (
                _form(
                    "chart",
                    "Chart to fetch",
                    ("REC-0008", "person 8"),
                    ("REC-0033", "person 33"),
                    ("REC-0057", "person 57"),
                    ("REC-0094", "person 94"),
                ),
            ),
        ),
    ),
    (
        "Who found the blood groups",
        "What is a chart in pop music",
        "Why is a pill round",
        "How did a doctor work in the history of Rome",
        "Tell me a proverb about rest",
        "Is a sample sale cheap",
        "What does leave mean for a tree",
        "Which medicine did Socrates drink",
    ),
)

TUNED = (CALENDAR, SHOP, FILES)
HELD_OUT = (BANK, TRAVEL, CLINIC)
