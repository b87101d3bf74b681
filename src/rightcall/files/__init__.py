"""Reading and writing files so that whatever is wrong with one becomes one clear `InputError`.

    opening    a path to checked bytes: missing, a folder, empty, binary, UTF-16, byte order mark
    lines      numbered lines of bounded length
    documents  items of a JSON or YAML document, each with the line where it begins
    yaml_text  YAML read as JSON would be (007, NO and dates stay text), and written so that others agree
    atomic     a file appears whole or not at all
    revision   the git branch and commit of a folder

Knows nothing of goldens, tools or suites; rooms that have files stand on it.
"""

from rightcall.files.atomic import NO_ROOM, atomic_write, reason, write_file
from rightcall.files.documents import (
    DOCUMENT_SUFFIXES,
    Items,
    read_document,
    read_items,
    refuse_other_format,
    value_of,
)
from rightcall.files.lines import MAX_LINE_BYTES, numbered_lines, refuse_long_line, unchecked_lines
from rightcall.files.opening import existing_file, open_checked, read_checked
from rightcall.files.revision import git_revision

__all__ = [
    "DOCUMENT_SUFFIXES",
    "MAX_LINE_BYTES",
    "NO_ROOM",
    "Items",
    "atomic_write",
    "existing_file",
    "git_revision",
    "numbered_lines",
    "open_checked",
    "read_checked",
    "read_document",
    "read_items",
    "reason",
    "refuse_long_line",
    "refuse_other_format",
    "unchecked_lines",
    "value_of",
    "write_file",
]
