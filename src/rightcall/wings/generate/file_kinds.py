"""What kind of link or file a parameter takes, by its name, its text and the purpose of its tool."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rightcall.core.words import name_tokens, word_set
from rightcall.wings.generate.documented_values import (
    format_in,
)
from rightcall.wings.generate.pools import HINTS
from rightcall.wings.generate.schema_parts import singular, words_of

_URL_WORDS = word_set("""
    url uri link href website webpage web page site target base full public valid http https the a an of to this its
    callback webhook redirect source image photo picture logo avatar icon thumbnail cover banner file pdf document
    attachment download root start starting seed landing home
    """)
_OF_A_SERVICE = re.compile(
    r"(?i:\bdomain\b|\bhosted\b|\bmust (?:be|start|point)\b|\bdocumentation\b)"
    r"|(?<=[a-z] )(?!URL|URI|HTTP|HTML|PDF|PNG|JPE?G|ID\b|API\b|GIF|SVG|CSV)[A-Z]\w+"
)
"""What a link has to belong to, which no made-up one does."""
_IMAGE_WORDS = word_set("image photo picture logo avatar icon thumbnail cover banner")
_FILE_WORDS = word_set("file pdf document attachment download")
_HOLDERS = word_set("""
    repo repository project workspace root dir directory directories folder folders tree output working
    """)
FILES = ("image", "audio", "video", "workbook", "document", "presentation")
_SUFFIXES = ("csv", "pdf", "json")
_OFFICE = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in (
        ("workbook", r"workbook|worksheet|spreadsheet|\bexcel\b|xlsx|\bsheet\b|sparkline"),
        ("presentation", r"presentation|\bslides?\b|powerpoint|pptx"),
        ("document", r"\bword document|docx|paragraph|footnote|endnote"),
        ("audio", r"\baudio\b"),
        ("image", r"\bimage\b|\bphoto\b"),
    )
}
"""Words of a tool's purpose that tell what its files are."""
_ANY_FILE = word_set("""
    path file filename filepath name input output source target local full absolute relative destination dest new old
    from to the note document text save in out
    """)
"""Words of parameters that any file fits."""

_SOURCES = re.compile(
    r"\b(?:code|syntax|symbols?|functions?|AST|refactor\w*|tree-sitter|complexity|source files?)\b",
    re.IGNORECASE,
)
_PLAIN_FILES = word_set("""
    a an the this that any all each one local text new existing single multiple remote uploaded downloaded of
    output input and or specified given your my entire whole markdown note plain to from attachment into as
    """)
"""Words before “file” that do not say of which kind it is."""
_OF_FILES = re.compile(r"\b(?:file|filename|filepath|note|document|text|markdown|disk)s?\b", re.IGNORECASE)

_FILE_OR_FOLDER = word_set("file filename filepath dir directory folder")
_STATED = 12
"""Words of a description among which its subject stands."""


def kind_of_url(tokens: tuple[str, ...], text: str) -> str:
    """The kind of a link: to an image, a file, a page; none when it must be one of a certain service."""
    before = re.search(r"([\w-]+) (?:URL|URI|link)s?\b", text, re.IGNORECASE)
    named = {*tokens, *words_of(before.group(1) if before else "")}
    is_restricted = _OF_A_SERVICE.search(text) or format_in(text) == "opaque"
    if not {singular(word) for word in named} <= _URL_WORDS or is_restricted:
        return ""
    subject = {*named, *words_of(text)[:8]}
    if subject & _IMAGE_WORDS:
        return "image_url"
    return "file_url" if subject & _FILE_WORDS else "url"


def kind_of_file(  # noqa: PLR0911  from sure to unsure
    tokens: tuple[str, ...], text: str, tool_name: str, purpose: str
) -> str:
    """The kind of a file or folder; empty when only files of a certain kind fit."""
    subject = words_of(text)[:_STATED]
    context = f"{' '.join(name_tokens(tool_name))} {purpose}"
    if _folder_of_mail(tokens, f"{text} {context}"):
        return ""
    is_written = {"output", "save", "target", "destination"}.intersection(tokens[:-1])
    if is_written and not _FILE_OR_FOLDER.intersection((*tokens, *words_of(text))):
        return ""  # a file or a folder to write to
    lists_files = "list" in name_tokens(tool_name) and not {"file", "filename", "filepath"}.intersection(
        tokens
    )
    if lists_files or {"dir", "directory", "folder", "dirpath"}.intersection(tokens):
        return "folder"
    for kind in (*FILES, *_SUFFIXES):
        if hint((*tokens, *subject), only=(kind,)) or (kind in _SUFFIXES and kind in (*tokens, *subject)):
            return kind
    named = (*tokens, *name_tokens(tool_name), *subject[:5])
    is_file = {"file", "filename", "filepath"}.intersection((*tokens, *name_tokens(tool_name), *subject[:3]))
    if _HOLDERS.intersection(named) and not is_file:
        return "folder"
    if _SOURCES.search(context):
        return "source"
    special = re.search(r"\b([a-z]+) files?\b", purpose.strip().partition("\n")[0], re.IGNORECASE)
    if special and special.group(1).casefold() not in _PLAIN_FILES:
        return ""
    if office := next((kind for kind, pattern in _OFFICE.items() if pattern.search(context)), ""):
        return office
    is_any = _ANY_FILE.issuperset(map(singular, tokens)) and _OF_FILES.search(
        f"{' '.join(tokens)} {text} {context}"
    )
    return "path" if is_any else ""  # the file of an app is no note, the path of a part no file


def _folder_of_mail(tokens: tuple[str, ...], context: str) -> bool:
    """Whether a folder holds messages or bookmarks rather than files."""
    is_folder = {"folder", "mailbox"}.intersection(tokens) and not {"path", "dir", "directory"}.intersection(
        tokens
    )
    return (
        bool(is_folder)
        and re.search(r"\be?-?mails?\b|\bbookmarks?\b|\bmessages?\b", context, re.I) is not None
    )


def hint(tokens: Iterable[str], only: tuple[str, ...] = ()) -> str:
    hints = (hint for hint in HINTS if not only or hint[0] in only)
    return next((kind for kind, words in hints if not words.isdisjoint(tokens)), "")
