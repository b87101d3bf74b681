"""Word lists that several rules share."""

from __future__ import annotations


def word_list(text: str) -> list[str]:
    """The words of a text, in order."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


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
"""Words that tell nothing about what a particular tool does."""

GENERIC_NAME_TOKENS = word_set("""
    action actions api call custom data do exec execute fetch fn foo bar func function generic get handle handler
    helper info information input invoke item items lookup main manage method misc object objects op operation
    output perform process query request resource resources result results run service stuff task thing
    things tool tools update util utils value values work
    """)

AMBIGUOUS_PARAMETERS = word_set("""
    arg args argument arguments body config content context data details field fields id ids info input item items
    key keys name obj object option options param params payload record source target text thing type user val value
    values
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
"""Short forms without vowels that a reader knows."""

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

OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in word_list("""
    on/off enable/disable enabled/disabled include/exclude asc/desc ascending/descending show/hide open/close
    lock/unlock
    public/private allow/deny start/stop mute/unmute min/max minimum/maximum mkdir/rmdir first/last add/remove
    add/subtract multiply/divide encode/decode encrypt/decrypt increase/decrease in/out up/down left/right
    follow/unfollow subscribe/unsubscribe upload/download import/export push/pull gcd/lcm attach/detach
    """)
)
"""Opposites."""

SIDES = tuple(
    tuple(pair.split("/"))
    for pair in word_list("""
    before/after above/below top/bottom next/previous horizontal/vertical earliest/latest
    """)
)
"""Words that distinguish two names, but may both apply at once."""

PLACEHOLDERS = word_set("todo tbd fixme n/a na none null ... … - description xxx placeholder")
"""Placeholder text instead of a description."""
