"""Words and phrases that several rules look for, each compiled once, and closed lists of values."""

from __future__ import annotations

import re

from rightcall.core.words import word_set

STOP_WORDS = word_set("""
    a about above after all also an and any are as at be been before being below between both but by can could did
    do does doing during each either every few for from given had has have having he her here his how i if in into
    is it its itself just let may me might more most my no nor not of off on once one only onto or other our out
    over own please s same shall she should so some specific specified such t than that the their them then there
    these they this those through to too under until up upon us use used user's uses using very via want was we
    were what when where whether which while who whom why will with within without would you your
    """)

FILLER_WORDS = STOP_WORDS | word_set("""
    function method api tool endpoint operation action allows allow enables enable lets performs perform executes
    execute provides provide based new existing value values parameter argument input output
    """)
"""Words that say nothing about what a particular tool does."""

GENERIC_NAME_TOKENS = word_set("""
    action actions api call custom data do exec execute fetch fn foo bar func function generic get handle handler
    helper info information input invoke item items lookup main manage method misc object objects op operation
    output perform process query request resource resources result results run service stuff task thing
    things tool tools update util utils value values work
    """)


ACRONYMS = word_set("""
    api apk aws bmi bmr cdn cfg cli cmd cms cnn cpf cpu crm cron csr css csv ctr cvs db dbs ddl dml dms dns dkk dvd edr
    elb erp esg etl eth faq fda fps ftp gcd gcp gdp gpg gps gpt grpc gst hcf hdd hls hmm hpc hr href hsv html http https
    ibm icd id idp img imf inr ios ip iptv irs isbn iso jpg jpy js json jwt kb kpi krw kyc lcm ldl llc llm lsp mb
    mcp md mfa mgmt ml mlb mls mp msg mtg mvp mx mysql nba nfl nft nhl nlp npc npm nps ns nvme ocr pdf pdb php
    png pnl pr psi pwd py qr qty r rbc rgb rmb rms rmsd rpc rpg rpm rsa rsi rss rst rsvp s sdk sftp sgd sha sku
    sla sma smb sms smtp sql sqrt sqs src ssd ssh ssl sso std str stmt svg svm tcp tls tmp tsp tsv tv txt ui uid uml
    unix url usb usd usr utc uuid ux vcs vhs vip vm vpc vpn wbc wgs wsj www xls xlsx xml xss xyz yml zip
    btn bpm btc cgm cms dms fcm gdpr gql hdr html5 ipv4 ipv6 k8s lng lvl mpg mph ngrx nmr ppt prs pv rds sns ssn
    rhythm myth lynx sync psych try fly dry sky why by my cry hymn gym nth lgbt ffmpeg gtk qt dcf cps ftl
    pct pmt tmdb imdb pvp pve rnn
    """)
"""Well-known abbreviations without vowels."""

UNITS = word_set("""
    second seconds sec secs s ms millisecond milliseconds microsecond microseconds us ns nanosecond nanoseconds
    minute minutes min mins hour hours hr hrs h day days week weeks month months year years quarter quarters
    byte bytes kb mb gb tb kib mib gib bit bits
    char chars character characters letter letters word words token tokens line lines row rows item items page pages
    record records result results entry entries element elements
    px pixel pixels pt pts point points dpi em rem inch inches in feet foot ft yard yards mile miles mi
    meter meters metre metres m cm mm km kilometer kilometers kilometre kilometres
    centimeter centimeters millimeter millimeters micrometer nanometer nm
    gram grams g kg kilogram kilograms kilo kilos mg milligram milligrams lb lbs pound pounds ounce ounces oz
    ton tons tonne tonnes
    litre liter litres liters l ml milliliter milliliters gallon gallons cup cups
    celsius fahrenheit kelvin degree degrees radian radians
    cent cents dollar dollars usd eur euro euros gbp jpy currency percent percentage % ratio fraction
    hz khz mhz ghz hertz watt watts kw kwh joule joules calorie calories kcal volt volts amp amps newton newtons
    pascal pascals atm bar psi mph kph kmh knots knot mol moles mole au parsec lightyear tesla coulomb
    units unit people person persons guests guest passengers times count number percentual basis
    ether wei satoshi btc eth shares share
    """)

UNIT_PARAMETERS = word_set(
    "timeout duration delay interval ttl latency distance speed altitude bandwidth mass"
)
"""Quantities that mean nothing without a unit."""

MEASURES = word_set(
    "size width height length depth weight radius temperature velocity volume area thickness pressure power energy"
)
"""Quantities that usually have a unit, but may be counts, levels or plain geometry."""


def _word_pairs(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(pair.split("/")) for pair in text.split())


OPPOSITES = _word_pairs("""
    on/off enable/disable enabled/disabled include/exclude asc/desc ascending/descending show/hide open/close
    lock/unlock
    public/private allow/deny start/stop mute/unmute min/max minimum/maximum mkdir/rmdir first/last add/remove
    add/subtract multiply/divide encode/decode encrypt/decrypt increase/decrease in/out up/down left/right
    follow/unfollow subscribe/unsubscribe upload/download import/export push/pull gcd/lcm attach/detach
    """)

SIDES = _word_pairs("""
    before/after above/below top/bottom next/previous horizontal/vertical earliest/latest payable/receivable
    payables/receivables debit/credit debits/credits inbound/outbound incoming/outgoing buy/sell source/destination
    sent/received parent/child request/response income/expense customer/supplier customers/suppliers reply/forward
    """)
"""Words that distinguish two names, but may both apply at once."""

PLACEHOLDERS = word_set("todo tbd fixme n/a na none null ... … - description xxx placeholder")
"""Placeholder text instead of a description."""

IRREVERSIBLE = re.compile(
    r"irreversib|permanent|cannot be (?:undone|reversed|recovered|restored)|can't be (?:undone|recovered|restored)"
    r"|can not be undone|not (?:be )?(?:recoverable|reversible|undo)|no undo|overwrit|confirm|destructive"
    r"|unrecoverabl|for good|expunge"
    r"|data loss|lose|lost|caution|warning|careful|danger|reversib|undo|restor|recover|soft[- ]delet|trash|recycle"
    r"|archive"
    r"|without (?:a )?prompt|will be (?:deleted|erased|removed|wiped)|deletes? all|forever"
)

LINKS = word_set("""
    mapping mappings membership memberships association associations assignment assignments binding link links
    dependency dependencies reaction reactions
    """)
"""What connects two things: without it both are still there."""

CONFIRMING_PARAMETER = re.compile(
    r"confirm|dry_?run|preview|expected_(?:version|revision|etag)|etag|if_match|approval|approved|force|acknowledge"
    r"|token"
    r"|simulate|validate_only|password|pin\b|otp",
    re.IGNORECASE,
)

CONTRAST = re.compile(
    r"\b(?:instead|unlike|rather than|as opposed to|in contrast|do(?:es)? not|don't|not for|never use|only (?:for"
    r"|when|if)"
    r"|whereas|see also)\b"
)
"""Words that set a tool apart from others."""


_WORD = r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*"
_VALUE = r"(?:'[^'\n]{1,30}'|\"[^\"\n]{1,30}\"|`[^`\n]{1,30}`|[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)"
_QUOTED = r"(?:'[^'\n]{1,30}'|\"[^\"\n]{1,30}\"|`[^`\n]{1,30}`)"
_LIST = rf"({_VALUE}(?:\s*(?:,|\||/)\s*{_VALUE})*\s*,?\s+(?:or|and)\s+{_VALUE}|{_VALUE}(?:\s*\|\s*{_VALUE})+)"
_QUOTED_LIST = rf"({_QUOTED}(?:\s*(?:,|\||/)\s*{_QUOTED})*\s*,?\s*(?:or|and|,|\||/)\s*{_QUOTED})"
_CLOSED = (
    re.compile(r"\b(?:one of|must be one of|either|valid (?:values|options)(?: are| include)?:?|allowed values(?: "
               r"are)?:?"
               r"|possible values(?: are)?:?|options(?: are)?:|accepted values(?: are)?:?|choose "
               rf"from)\s*:?\s*[\[(]?{_LIST}", re.I),
    re.compile(r"\b(?:one of|(?:valid|allowed|possible|accepted|supported) (?:values|options|types)(?: are)?"
               rf"|options(?: are)?)\s*:?\s*[\[(]?({_WORD}(?:\s*,\s*{_WORD})+)(?=\s*[\])]?\s*(?:[.;(]|$))", re.I),
    re.compile(rf"^(?:[\w ]{{0,40}}:\s*)?({_WORD}(?:\s*\|\s*{_WORD})+)\.?$"),
    re.compile(r"\b(?:one of|must be one of|either|(?:valid|allowed|possible|accepted|supported) "
               r"(?:values|options|types)(?: are| include)?:?"
               r"|options(?: are)?:?|can be|must be|should be|choose from)\s*:?\s*(?:the "
               rf"following)?:?\s*[\[(]?{_QUOTED_LIST}", re.I),
)  # fmt: skip
_OPEN = re.compile(
    r"\b(?:e\.g|for example|such as|like|etc|for instance|example|i\.e|among others|or any|or a )", re.I
)
_OF_OTHERS = re.compile(
    r"(?:^|[.;:,]\s)[^.;:,]*\b(?!values|options|this|its|status|as|is)[a-z]+s(?: \w+){0,4} (?:can|must|should) be\b",
    re.I,
)
"""“bills sent by hand must be 'open' or 'late'”: the values are of other things than the parameter."""
_PART = re.compile(_VALUE)
_WORDS = word_set("or and the a an of to be one either value values string")


def alternatives_in(text: str) -> list[str]:
    """The values when the text names a closed list of at least two, else nothing.

    A list introduced by “such as” or ended by “etc.” is open. Unquoted values must be single words.
    """
    if "e.g" in text or "etc" in text:
        return []
    for pattern in _CLOSED:
        match = pattern.search(text)
        if not match or _OPEN.search(text[max(0, match.start() - 25) : match.end() + 15]):
            continue
        if re.search(r"\b(?:if|when|for)\b[^.;]*$", text[: match.start()], re.I):
            continue  # “if the field is a checkbox, 'true' or 'false'” is one case of several
        if _OF_OTHERS.search(text[: match.end()]):
            continue
        parts = [part for part in _PART.findall(match[1]) if part.lower() not in ("or", "and")]
        bare = [part for part in parts if part[0] not in "'\"`"]
        if bare and (len(bare) < len(parts) or not _ends_there(text, match.end(1))):
            continue
        values = list(dict.fromkeys(part.strip("'\"`") for part in parts))
        if len(values) >= 2 and all(value and value.lower() not in _WORDS for value in values):
            return values
    return []


def _ends_there(text: str, end: int) -> bool:
    """Whether the list ends the clause. “either name or id of the user” continues and is not a list of values."""
    return re.match(r"\s*[\])]?\s*(?:[.;,(]|$)", text[end:]) is not None
