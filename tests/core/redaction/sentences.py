"""Ordinary sentences: from the documentation in installed packages, read at test time, and from templates."""

from __future__ import annotations

import ast
import importlib.util
import random
import re
from functools import cache
from pathlib import Path

MODULES = (
    *(
        "http.client",
        "http.cookiejar",
        "http.cookies",
        "urllib.request",
        "urllib.parse",
        "email.message",
        "smtplib",
    ),
    *(
        "ftplib",
        "imaplib",
        "poplib",
        "ssl",
        "hmac",
        "secrets",
        "getpass",
        "netrc",
        "tokenize",
        "token",
        "argparse",
    ),
    *(
        "configparser",
        "asyncio.base_events",
        "asyncio.streams",
        "logging",
        "subprocess",
        "shutil",
        "tarfile",
        "zipfile",
    ),
    *(
        "datetime",
        "decimal",
        "statistics",
        "random",
        "pathlib",
        "typing",
        "inspect",
        "unittest.mock",
        "uuid",
        "base64",
    ),
    *("turtle", "optparse", "difflib", "doctest", "ipaddress", "bdb", "pdb", "mailbox", "calendar"),
)
PACKAGES = ("click", "starlette", "jwt", "aiohttp")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n")


@cache
def documented_sentences() -> tuple[str, ...]:
    """Every sentence of the docstrings of these modules and packages that people would call one."""
    files: list[Path] = []
    for name in (*MODULES, *PACKAGES):
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None, name
        origin = Path(spec.origin)
        files += sorted(origin.parent.rglob("*.py")) if name in PACKAGES else [origin]
    found: dict[str, None] = {}
    for file in files:
        source = file.read_text(encoding="utf-8", errors="replace")
        if '"""' in source:
            for sentence in _sentences(source):
                found.setdefault(sentence)
    return tuple(found)


def _sentences(source: str) -> list[str]:
    tree = ast.parse(source)
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, nodes)]
    joined = [" ".join(part.split()) for text in texts for part in SENTENCE.split(text)]
    return [
        part
        for part in joined
        if part.endswith((".", "!", "?")) and len(part.split()) >= 5 and "@" not in part
    ]


SUBJECTS = (
    "Basic",
    "Bearer",
    "Token",
    "Key",
    "Password",
    "Secret",
    "Authorization",
    "API key",
    "Cookie",
    "Session",
)
NOUNS = (
    *(
        "subscription",
        "information",
        "certificates",
        "ring",
        "policy",
        "of bad news",
        "instruments",
        "sauce",
        "garden",
    ),
    *(
        "economics",
        "Santa",
        "rotation",
        "management",
        "JavaScript",
        "OpenTelemetry",
        "PostgreSQL",
        "HTML5",
        "v2.0.1-beta",
    ),
    *(
        "2026-11-16",
        "SHA-256",
        "COVID-19",
        "B2B-SaaS",
        "internationalization",
        "x86_64-linux-gnu",
        "utf8mb4_unicode_ci",
    ),
)
VERBS = ("requires", "is", "covers", "was", "means", "needs", "includes", "has", "uses", "describes")
ENDS = (
    *(
        "at least twelve characters.",
        "for our customers: see page 12.",
        "in three steps: read, write, close.",
        "today?",
    ),
    *(
        "no more than 4,096 tokens!",
        "the usual suspects, as of 10:30.",
        "ticket TCK-2024-0042.",
        "order 1234567 (paid).",
    ),
    *(
        "what the docs call `basic auth`.",
        "sk-learn and hf_hub_download.",
        "a risk-free, task-based approach.",
        "none.",
    ),
)
LEADS = (
    "",
    "The ",
    "Our new ",
    "Please note: the ",
    "Q: what is a ",
    "- ",
    "> ",
    "Dear Anna, your ",
    "In short, the ",
)


def made_sentences(count: int, seed: int) -> list[str]:
    """Sentences with the words that begin headers and fields, where no secret follows."""
    chance = random.Random(seed)

    def lead_in() -> str:
        lead = chance.choice(LEADS)
        subject = chance.choice(SUBJECTS)
        return lead + (subject.lower() if lead.strip() and chance.random() < 0.7 else subject)

    joints = (" ", ": ", ", ", " - ", "s: ", " = ")
    return [
        f"{lead_in()}{chance.choice(joints)}{chance.choice(NOUNS)} {chance.choice(VERBS)} {chance.choice(ENDS)}"
        for _ in range(count)
    ]
