"""What every room may use; nothing here knows what an agent is.

errors      every exception, its exit code, and how a problem is worded
text        text for people: counts, percents, times, shortened, nothing that controls a terminal
words       tokens of names, words and stems of texts
digest      the one hash behind every fingerprint
groups      things by what they have in common, or by what leads to them
codec       JSON in and out; depth: how deeply it may be nested; canonical_json: equal values as equal bytes
event_loop/  the one loop, threads for blocking code
options     an option declared once, for Python, the command line, suites and docs
redaction/  secrets, found and replaced
local_door  who may talk to a server on this machine
operating_system  what only some systems have, with a way for Windows
own_output  where a command writes, apart from what code under test prints

    declared_values  values checked against the types that a signature or a record declares
    dates         days as people write them: ISO, with slashes, with the month in words; and words relative to today
    lazy_pattern  regular expressions that are compiled when they are first used
    seam          the seam: where limbs and installed packages enter the core, which imports none of them
"""
