"""What a tool does, in the words of somebody who asks for it: “Returns all users.” becomes “get all users”."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from rightcall.core.words import name_tokens, stem, word_set, words as text_words
from rightcall.lint.features.mentions import STOP_WORDS
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.schema.effects import ALSO_NOUNS, EFFECTS, READ_SYNONYMS, SYNONYMS, verb_of

LONGEST = 150
_MORE_VERBS = """
unconfirm unresolve unsuspend unstage exclude unpause reinvite unlock unmerge unpublish unarchive unsubscribe
access aggregate align allocate annotate arrange audit autocomplete block bring bulk capture categorize collect
combine compile compress crawl deactivate debug define delay deliver demonstrate discover drill duplicate embed
emulate ensure enumerate establish exchange exit expose fork gather geocode grant group hide import include
index infer inject input interact isolate iterate keep label learn link look lower mention minify mint mute name
note obtain omit outline output overwrite parse perform persist pin point power profile promote propose prove
provide pull quote raise rank rebase rebuild recall reconcile recover redeem redirect refine reindex remind
reopen reorder rephrase report reproduce rerun reveal reverse revert rewrite route score screenshot segment shut
snooze star sum support surface suspend synthesize tell tokenize trace traverse trim unassign unblock undo
unfollow unlink unmark unpin unstar unwatch vectorize warm zip
diagnose investigate troubleshoot inspect explain explore estimate predict recommend suggest evaluate
reboot recycle shutdown provision detach attach rebuild rotate resize clean whitelist blacklist bookmark
"""
_VERB_GROUPS = (
    READ_SYNONYMS | {"list", "describe", "check", "search", "find", "query", "lookup"},
    *SYNONYMS[1:],
)
"""Verbs that a request may exchange."""

_VAGUE = frozenset(map(stem, word_set("detail information info data result full multiple several")))
"""Stems that tell no tool from another."""
SEARCHES = word_set("search find query lookup")
VERBS = word_set(_MORE_VERBS) | EFFECTS.keys()
_RENAMED = {
    "return": "get", "provide": "get", "output": "get", "obtain": "get", "retrieve": "get", "display": "show",
    "expose": "show", "enumerate": "list", "surface": "show", "demonstrate": "show",
}  # fmt: skip
"""What a tool does for a program, as a person asks for it."""

_LEAD_IN = re.compile(
    r"^(?:(?:use|call|invoke)\s+(?:this|it|the\s+tool)(?:\s+tool|\s+function)?\s+"
    r"(?:(?:when|if)\s+you\s+(?:need|want)\s+to|to|for)\s+"
    r"|(?:this|the|an?)\s+(?:\w+\s+)?(?:tool|function|endpoint|method|api|command|action)\s+"
    r"(?:(?:is|can\s+be)\s+used\s+(?:to|for)|is\s+for|that|which|to|for|will|lets\s+you"
    r"|(?:allows?|enables?)\s+(?:you|users?|agents?)\s+to|helps?(?:\s+you)?(?:\s+to)?)?\s*"
    r"|tool\s+(?:to|for|that)\s+|used\s+(?:to|for)\s+|useful\s+for\s+"
    r"|(?:allows?|enables?|lets|helps?)\s+(?:you|users?|the\s+user|agents?|me)\s+(?:to\s+)?|helps?\s+(?:to\s+)?)",
    re.IGNORECASE,
)
"""How a text begins before it says what the tool does."""

_TAIL = re.compile(
    r"\s*(?:\s[-–—]+\s|:\s|;|,\s+used\s|,?\s+(?:including|optionally|(?:ideal|useful|helpful)\s+for|for\s+debugging|which"
    r"|so\s+that|in\s+order\s+to|returning|and\s+returns?|and\s+get\s+back|and\s+optionally"
    r"|such\s+as|e\.g|i\.e|as\s+well\s+as|because|powered\s+by"
    r"|with\s+(?:an?\s+)?(?:optional|support|filter(?:s|ing)?|configurable|flexible|pagination|advanced|various|customi[sz]able|full|detailed|the\s+following"
    r"|its|their|all|time|comprehensive|specified|structured)"
    r"|with\s+[\w\s-]{0,40}support|using\s+(?:various|flexible|different|multiple)|that\s+(?:can|may|will)|given\s+(?:a|an|the|its)|as\s+an?\s+\w+\s+(?:structure|object|response))\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""Where a text begins to describe the result or the tool."""

_NEEDLESS = re.compile(
    r"(?<!or )(?<!and )\b(?:specific|specified|given|provided|particular|certain|single|desired|requested"
    r"|comprehensive|detailed|available)\s+(?!by\b)",
    re.IGNORECASE,
)
_BY_IDENTIFIER = re.compile(
    r"(?<!ed),? (?:specified by|identified by|by|with|using|via|given|based on) (?:an? |the |its |their )?"
    r"(?:\w+ ){0,2}?(?:ids?|gids?|uuids?|identifiers?)\b(?! or\b| and\b|,)",
    re.IGNORECASE,
)
"""How a definition says that a thing is identified; the identifier itself stands among the details."""

_JARGON = re.compile(
    r"^(?:manage|handle)\b"
    r"|\btools?\b|\bone of the following\b|\bparameters?\b|\bendpoints?\b|\boperations?\b|\bLLM\b|\bpayload\b"
    r"|\barguments?\b|\bbase64\b|\bthis (?:call|function|method)\b|\bJSON\b|\bboolean\b|\boptional(?:ly)?\b|\bMCP\b"
    r"|\benhanced\b|\bfilter(?:s|ing)? (?:options?|capabilit\w+|support)\b|\b(?:advanced|flexible|various) filter",
    re.IGNORECASE,
)
"""Words about the definition; nobody who wants something done would use them."""

_BROKEN = re.compile(
    r"[.!?] \w|\w_\w|[()\[\]{}<>|=]|https?:|\b(?i:specific|specified|the information|e\.? ?g)\b"
    r"|[a-z]-[A-Z][a-z]|\w-\w+-\w+-\w|\bv\d+\b"
)
"""Signs of a text that went on, or that speaks of arguments."""

_PLURALS = word_set(
    "rate file block view book label link point page trace route star screenshot name note report"
)
"""Verbs whose third person is a plural as well."""
_NO_OBJECTS = word_set("list all by id ids info information detail details data api get full")
_NO_ENDS = word_set("""
    a an the and or of to in on for with by from at as its their this that these which when where if is are be can
    may will including such e.g i.e via using based into back used
    """)
_NO_REQUESTS = word_set("""
    require requires support supports note warning important accept accepts allow allows contain contains is are has
    have must should will may can this that it these when if for note: be depend depends work works status
    """)
"""First words of sentences that are about a tool rather than about what it does."""

_MARKUP = re.compile(r"[`*#]+|^\W*\[[^\]]*\]\s*|^[^\w\"'“(]+|\s*\([^()]*\)")
_SECOND_VERB = re.compile(
    r"\b(and|or|then|,)\s+(\w+s)\s+(?=(?:an?|the|its|their|all|it|them|any|this|each|to|from)\b)"
)
_IDENTIFIER = re.compile(r"\s+(?:from|at|before|after|in|to|by|with|via|using|under|into|of)\s+`[^`]+`")
_NEXT_CLAUSE = re.compile(r",\s+(\w+s)\b(?!,| and\b).*$")
_LISTED_CRITERIA = re.compile(
    r"\w+,?(?: (?:filter|sort|order|group|paginate|browse|search)s?,?)*,? and"
    r" (?:filter|sort|order|group|paginate|browse)s? (.+)",
    re.IGNORECASE,
)
"""Verbs after the first one that need criteria: “list, filter, and sort files”."""
_WRAPPED = 60
"""Characters from which on a line without a full stop goes on in the next one."""


def action_of(tool: Tool, *, short: bool = True) -> str:
    """What to ask for, beginning with a verb: by the description, otherwise by the name.

    A short one leaves out what only describes the result or the tool.
    """
    return _action(tool.name, tool.description, short)


@lru_cache(maxsize=2048)
def _action(name: str, description: str, short: bool) -> str:
    sentence = _first_sentence(description)
    label, colon, told = sentence.partition(": ")
    if colon and told and not base_form(label.split()[0]):
        sentence = told if base_form(told.split()[0]) else ""
    words = sentence.split()
    if not words:
        return "" if description.strip() else name_action(name)
    place = 1 if words[0].endswith("ly") and not base_form(words[0]) and len(words) > 1 else 0
    verb = base_form(words[place])
    if not verb:
        return ""
    action = _imperative(words, place, verb)
    action = _in_users_words(_without_result(action) if short else action)
    return action if len(action.split()) > 1 and len(action) <= LONGEST else ""


class Purpose:
    """What can be said of a tool, and what another request might mean by it."""

    def __init__(self, tool: Tool, required: tuple[str, ...]) -> None:
        self.tool, self.required, self.accepted = tool, frozenset(required), frozenset(tool.parameters)
        self._key = (tool.name, tool.description, self.required)

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The verb of the name, and those that mean the same."""
        verb = verb_in_name(self.tool.name) or action_of(self.tool).partition(" ")[0]
        return next((group for group in _VERB_GROUPS if verb in group), frozenset((verb,)))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """What can be asked for, from short to long."""
        tool, named = self.tool, name_action(self.tool.name)
        short, full = action_of(tool), action_of(tool, short=False)
        if not tool.description.strip() and not base_form(named.partition(" ")[0]):
            return ()
        return tuple(dict.fromkeys(action for action in (short, full) if _can_be_said(action)))

    @cached_property
    def offered(self) -> set[str]:
        """The stems of everything that is said of the tool."""
        tool = self.tool
        return stems(f"{tool.description} {name_action(tool.name)} {' '.join(tool.parameters)}")

    @cached_property
    def subject(self) -> str:
        """The stem of what the name is about: of `get_pull_request_reviews` the reviews."""
        tokens = name_tokens(self.tool.name)
        things = [
            token for token in tokens if token != verb_in_name(self.tool.name) and token not in _NO_OBJECTS
        ]
        return stem(things[-1]) if things else ""

    @cached_property
    def key_stems(self) -> set[str]:
        """The stems of the name and of the purpose; what else a text mentions is not what a tool is for."""
        return stems(f"{name_action(self.tool.name)} {action_of(self.tool)}")

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Purpose) and self._key == other._key

    def serves(self, action: str, asked: Purpose) -> bool:
        """Whether a request for another tool, in these words and with its values, could mean this one as well."""
        takes_the_values = self.required <= asked.required <= self.accepted
        if takes_the_values and any(_is_same(action, own) for own in self.candidates):
            return True
        if action.startswith("list ") and verb_in_name(self.tool.name) in SEARCHES:
            return False  # nobody searches for everything
        nouns = stems(action.partition(" ")[2]) - _VAGUE
        is_named = not asked.subject or asked.subject in self.key_stems
        return (
            takes_the_values and is_named and not self.verbs.isdisjoint(asked.verbs) and nouns <= self.offered
        )


@lru_cache(maxsize=8)
def distinct_actions(tools: tuple[Purpose, ...]) -> dict[str, str]:
    """What to ask for, by tool; a tool is left out when everything that could be said fits another one as well."""
    actions = {}
    for tool in tools:
        others = [other for other in tools if other.tool.name != tool.tool.name]
        for action in tool.candidates:
            if not any(other.serves(action, tool) for other in others):
                actions[tool.tool.name] = action
                break
    return actions


def _can_be_said(action: str) -> bool:
    """Whether an action reads as a request: no jargon, one sentence, a verb in front and an end."""
    words = re.findall(r"[\w'-]+", action)
    if not action.isascii() and re.search(r"[^\W\d_]{4,}", re.sub(r"[\u0000-\u024F]", "", action)):
        return False  # a text in another script
    if len(words) < 2 or len(action) > LONGEST or _JARGON.search(action) or _BROKEN.search(action):
        return False
    last, before = words[-1].casefold(), words[-2].casefold()
    is_open = before == "to" and last in VERBS  # “ping the instance to check”, cut before what is checked
    is_listed = f", {last}" in action.casefold() and last in VERBS and last not in ALSO_NOUNS
    parts = action.casefold().split(", ")
    is_listed = is_listed or (
        len(parts) > 1 and {*parts[:1], *parts[-1:]} <= VERBS
    )  # “download, process, cache”
    is_third_person = (
        before in ("and", "or", "to")
        and last.endswith("s")
        and base_form(last) in VERBS - ALSO_NOUNS - _PLURALS
    )
    is_cut = is_open or is_listed or is_third_person or last in _NO_ENDS
    return words[0].casefold() not in _NO_REQUESTS and not is_cut


def stems(text: str) -> set[str]:
    """The stems of the words that carry meaning."""
    return {stem(word) for word in text_words(text) if word not in STOP_WORDS}


def _is_same(action: str, other: str) -> bool:
    return action.partition(" ")[0] == other.partition(" ")[0] and stems(action) == stems(other)


def name_action(name: str) -> str:
    """The name of a tool as a request, its verb first: `invoice_create` is “create invoice”."""
    tokens = name_tokens(name)
    verb = verb_in_name(name)
    if verb in tokens:
        tokens = (verb, *(token for place, token in enumerate(tokens) if place != tokens.index(verb)))
    if name_tokens(name)[:1] == ("mcp",):
        tokens = tuple(word for word in tokens if word != "mcp")
    action = " ".join(token for token in tokens if token not in ("api", "tool", "a", "an", "the"))
    return _BY_IDENTIFIER.sub("", action)


def verb_in_name(name: str) -> str:
    """The verb of a tool's name wherever it stands: `reopenIssue`, `teams-list`, `stories-remove-subtask`."""
    tokens = name_tokens(name)
    if tokens and tokens[0] in VERBS and tokens[0] not in ALSO_NOUNS:
        return tokens[0]
    if verb := verb_of(name):
        return verb
    sure = [token for token in tokens if token in VERBS and token not in ALSO_NOUNS]
    ends = [token for token in (*tokens[:1], *tokens[-1:]) if token in VERBS]
    return next(iter(sure or ends), "")


def base_form(word: str) -> str:
    """The base form of a verb in the base form, the third person or the participle; empty for other words."""
    word = word.casefold().strip(",")
    candidates = [word]
    if word.endswith("ies"):
        candidates.append(f"{word[:-3]}y")
    if word.endswith("s"):
        candidates += [word[:-1], word[:-2]]
    if word.endswith("ing"):
        candidates += [word[:-3], f"{word[:-3]}e", word[:-4]]
    return next((candidate for candidate in candidates if candidate in VERBS), "")


def _first_sentence(description: str) -> str:
    text = ""
    for line in map(str.strip, description.strip().splitlines()):
        if text and (not line or (len(text) < _WRAPPED and line[:1].isupper()) or text.endswith(".")):
            break
        text = f"{text} {line}".strip()
    sentence = next(iter(sentences(" ".join(text.split()).rpartition(" | ")[2])), "")
    sentence = _IDENTIFIER.sub("", sentence)
    for _ in range(3):
        sentence = _MARKUP.sub("", sentence).strip()
    sentence = sentence.partition(" (")[0]  # a parenthesis that the sentence does not close
    return _LEAD_IN.sub("", sentence).strip().rstrip(".:;,!? ")


def _imperative(words: list[str], place: int, verb: str) -> str:
    """The sentence as a request: its verbs in the base form, those of programs replaced."""
    rest = " ".join(words[place + 1 :])
    if words[place].casefold() != verb:
        rest = re.sub(
            r"^(and|or) (\w+s)\b", lambda m: f"{m.group(1)} {base_form(m.group(2)) or m.group(2)}", rest
        )
        rest = _SECOND_VERB.sub(lambda m: f"{m.group(1)} {base_form(m.group(2)) or m.group(2)} ", rest)

    rest = _NEXT_CLAUSE.sub(lambda m: "" if base_form(m.group(1)) else m.group(), rest)
    adverb = f"{words[0].casefold()} " if place else ""
    if listed := _LISTED_CRITERIA.match(f"{words[place]} {rest}"):
        return f"{adverb}{_RENAMED.get(verb, verb)} {listed.group(1)}"
    comma = "," if words[place].endswith(",") else ""
    return f"{adverb}{_RENAMED.get(verb, verb)}{comma} {rest}".strip()


def _without_result(action: str) -> str:
    """Without what describes the result or the tool."""
    head, rest = action[:12], action[12:]
    return head + _TAIL.sub("", rest)


def _in_users_words(action: str) -> str:
    """In the words of the user: no needless adjectives, “my” for “your”."""
    action = _NEEDLESS.sub("", _BY_IDENTIFIER.sub("", action))
    action = re.sub(r"\b[Yy]our\b|\bthe (?:current |authenticated )?user's\b", "my", action)
    action = re.sub(r"\bfor the (?:current |authenticated |logged-in )?user$", "for me", action)
    action = re.sub(r"\byou\b", "I", action)
    action = re.sub(r" in (?:a|one) (?:call|request|step|go)$", "", action)
    action = re.sub(r"\b[Aa] (?=[aeioAEIO]\w)", "an ", action)
    action = re.sub(r"\b[Aa]n (?=[b-df-gj-km-np-tv-zBCDGJKPQTVWYZ][a-z])", "a ", action)
    return re.sub(r",? (?:etc|and more|and so on)$", "", action.rstrip(" .,:;-"))
