"""What a tool does to the world, as far as it says: declared, else by its annotations, else by its verb.

The verbs were written once from general knowledge of APIs, not tuned on labels. Against the read/write labels of a
public benchmark a lexicon of this kind had precision 0.985 and recall 0.846, against the hints of MCP servers 0.947
and 0.824; what it does not know counts as unknown, never as reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from rightcall.core.words import name_tokens, word_set
from rightcall.records.tool import Annotations

READ = word_set("""
    analyze analyse assess browse calculate check classify compare compute convert count decode describe detect
    determine diff display download echo encode estimate evaluate examine explain explore export extract fetch
    filter find forecast generate_report geocode get grep inspect introspect identify is has list load locate
    lookup measure monitor navigate parse peek ping poll predict preview print query read recommend render resolve
    retrieve scan scrape search show simulate solve sort stat status suggest summarize summarise tail translate
    validate verify view watch whoami
    """)
"""Changes nothing."""

DESTROY = word_set("delete destroy erase obliterate overwrite purge shred truncate uninstall wipe")
"""Irreversible."""

STORED = word_set("table tables database databases db collection index schema column view keyspace")
"""Things that are lost when they are dropped."""

TAKE_AWAY = word_set("""
    cancel clear clean deactivate decommission deprovision detach disable discard dismiss evict kill prune remove
    reset revoke rollback terminate unlink unpublish unregister unsubscribe void
    """)
"""Removes something, often permanently, sometimes reversibly."""

MONEY = word_set("charge pay purchase buy refund transfer withdraw deposit reimburse remit payout disburse")
"""Moves money."""

CREATE = word_set("""
    add append apply approve assign attach broadcast clone commit copy create deploy dispatch enqueue file forward
    import insert install invite issue log mail make notify place post provision publish push record register
    reply report request reserve respond retweet schedule send share submit subscribe trigger tweet upload write
    """)
"""Creates; repeating it creates a duplicate."""

UPDATE = word_set("""
    activate adjust archive change configure connect edit enable extend launch lock mark merge migrate modify move
    patch pause put rate refresh rename reorder replace resize restart restore resume rotate save set start stop
    swap switch sync tag toggle unarchive unlock update upgrade upsert
    """)
"""Changes something that exists; repeating it has no further effect."""

OTHER = word_set("""
    accept answer ask authenticate authorize book build bulk call cast chat choose click close complete confirm
    compose control crop design develop do draft drag draw drive drop emit end enroll enter escalate execute
    expand fill finish fix follow format generate give go handle highlight hold hover ignite initialize initiate
    invoke join leave like login logout manage map match message obtain open optimize order organize perform plan
    play plot prepare press process produce provide queue raise reach reboot rebook receive recharge reduce refuel
    register reject release reload rent repair report reschedule resend retry return review run sample scroll
    select sell serve setup ship sign spawn shorten sketch skip split stream study submit take tap test think
    touch track train transcribe transform turn type unmute mute use vote wait visit zoom wake
    """)
"""Verbs whose effect depends on what they are done to."""

ALSO_NOUNS = word_set("""
    book call change charge check comment copy count design display draft drive file filter fix form format guide
    import issue key label like list load lock log mail map mark match measure message monitor move order patch
    place plan play plot post press process produce purchase query queue rate record refund release rent report
    request reset return review run sample scan schedule search set share ship show sign sort split stat start
    status stop stream study tag tap test text track train transfer transform turn type use view visit vote watch
    write
    """)
"""Verbs that name a thing as often as an action: as verbs they count only where a verb is expected."""

AFTER_NAMESPACE = word_set("list move post query refund schedule search transfer")
"""Those of them that are verbs in `slack_post_message`, while the `place` of `maps_place_details` is a noun."""

EFFECTS: dict[str, str] = {
    **dict.fromkeys(OTHER, "unknown"),
    **dict.fromkeys(READ, "read"),
    **dict.fromkeys(UPDATE, "update"),
    **dict.fromkeys(CREATE, "create"),
    **dict.fromkeys(MONEY, "money"),
    **dict.fromkeys(TAKE_AWAY, "take_away"),
    **dict.fromkeys(DESTROY, "destroy"),
}
"""The effect each verb implies."""

CREATE_SYNONYMS = word_set("create add make insert register new")
UPDATE_SYNONYMS = word_set("update edit modify change patch")
DELETE_SYNONYMS = word_set("delete remove destroy erase drop")

ONCE_ONLY = word_set("send post submit book reserve invite broadcast tweet reply dispatch place")
"""Reaches a person, or uses a resource: a repetition is noticed."""

ADDING = word_set("create add insert register enroll schedule subscribe issue append make open file")
"""Adds one more item; whether a repetition matters depends on the item."""

MONEY_WORDS = word_set(
    "amount price currency payment card account balance fee cost money fund funds iban wallet"
)
"""Words in parameters that indicate money."""


_LAST_WORDS = READ | DESTROY | TAKE_AWAY

Declared = Literal["read", "update", "create", "money", "take_away", "destroy"]
Kind = Declared | Literal["unknown"]


@dataclass(frozen=True)
class Effect:
    """The kind of effect, and the verb of the name ("" when it has none)."""

    kind: Kind
    verb: str

    @property
    def is_destructive(self) -> bool:
        """Whether it destroys or removes something."""
        return self.kind in ("destroy", "take_away")

    @property
    def is_write(self) -> bool:
        """Whether it certainly changes something."""
        return self.kind not in ("read", "unknown")


def effect_of(name: str, hints: Annotations, declared: Any = None, *, trusted: bool = True) -> Effect:
    """The effect of one tool, by what is declared, by its hints, by the verb of its name.

    Hints that are not trusted, as in a guard, are those of a server that may lie: they turn no write into a read, and
    an unknown effect stays unknown, from which a guard expects the worst.
    """
    verb = verb_of(name, alone=not trusted)
    kind: Any = EFFECTS.get(verb, "unknown")
    if verb == "drop" and not STORED.isdisjoint(name_tokens(name)):
        kind = "destroy"
    if declared in get_args(Declared):
        kind = declared
    elif hints.read_only is True:
        kind = "read" if trusted else kind
    elif hints.destructive is True and (kind == "read" or (kind == "unknown" and trusted)):
        # The hint's default is true and many servers set it on every write: it does not make a
        # creation destructive, it only settles a verb that says nothing.
        kind = "update"
    return Effect(kind, verb)


def verb_of(name: str, *, alone: bool = False) -> str:
    """The verb of a name: the first token that is one, looking at the last dotted part first.

    A word that is a noun as often as a verb counts only as the first token, or after a namespace when no other token
    is a verb. With `alone`, it counts as the only token too: `search` is a verb, and a noun elsewhere.
    """
    for part in reversed(name.split(".")):
        tokens = name_tokens(part)
        if len(tokens) > 1 and tokens[0] in ALSO_NOUNS and tokens[-1] in _LAST_WORDS:
            return tokens[-1]  # order_status_check, message_delete
        for index, token in enumerate(tokens):
            if token in EFFECTS and (token not in ALSO_NOUNS or (index == 0 and len(tokens) > 1)):
                return token
        if len(tokens) > 2 and tokens[1] in AFTER_NAMESPACE and tokens[0] not in EFFECTS:
            return tokens[1]  # slack_post_message
    tokens = name_tokens(name)
    first = tokens[0] if tokens else ""
    counts = first not in ALSO_NOUNS or (alone and len(tokens) == 1)
    return first if first in EFFECTS and counts else ""
