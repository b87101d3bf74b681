"""Secrets of every known format, made from a seed, and the places in which people leave them."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"


class Chance(random.Random):
    """Random strings over an alphabet."""

    def chars(self, count: int, alphabet: str = ALNUM) -> str:
        return "".join(self.choices(alphabet, k=count))

    def digits(self, count: int) -> str:
        return str(self.randrange(10 ** (count - 1), 10**count))

    def coded_digits(self, count: int) -> str:
        """A number in base64, as tokens of bots begin."""
        return base64.b64encode(self.digits(count).encode()).decode().rstrip("=")

    def uuid(self) -> str:
        return "-".join(self.chars(n, HEX) for n in (8, 4, 4, 4, 12))


def _jwt(c: Chance) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": c.chars(8), "exp": 1790000000})
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, c.chars(43, URLSAFE)])


def _pem(c: Chance, name: str) -> str:
    body = "\n".join(c.chars(64, ALNUM + "+/") for _ in range(4))
    return f"-----BEGIN {name}-----\n{body}\n{c.chars(20)}==\n-----END {name}-----"


KEYS: dict[str, Callable[[Chance], str]] = {
    "confirmation of a call": lambda c: (
        f"rcct_{c.chars(16, URLSAFE)}.179496{c.randrange(10**4):04}.979.{c.chars(24, URLSAFE)}"
    ),
    "openai legacy": lambda c: f"sk-{c.chars(20)}T3BlbkFJ{c.chars(20)}",
    "openai project": lambda c: f"sk-proj-{c.chars(74, URLSAFE)}T3BlbkFJ{c.chars(74, URLSAFE)}",
    "openai service": lambda c: f"sk-svcacct-{c.chars(60, URLSAFE)}",
    "openai admin": lambda c: f"sk-admin-{c.chars(60, URLSAFE)}",
    "anthropic": lambda c: f"sk-ant-api03-{c.chars(93, URLSAFE)}AA",
    "anthropic oauth": lambda c: f"sk-ant-oat01-{c.chars(80, URLSAFE)}AA",
    "openrouter": lambda c: f"sk-or-v1-{c.chars(64, HEX)}",
    "langfuse": lambda c: f"sk-lf-{c.uuid()}",
    "langsmith": lambda c: f"lsv2_pt_{c.chars(32, HEX)}_{c.chars(10, HEX)}",
    "google": lambda c: f"AIza{c.chars(35, URLSAFE)}",
    "google oauth": lambda c: f"ya29.{c.chars(60, URLSAFE)}",
    "google client secret": lambda c: f"GOCSPX-{c.chars(28, URLSAFE)}",
    "aws access key id": lambda c: f"AKIA{c.chars(15, string.ascii_uppercase + '234567')}7",
    "aws temporary": lambda c: f"ASIA2{c.chars(15, string.ascii_uppercase + '234567')}",
    "aws bedrock": lambda c: f"ABSK{c.chars(128, ALNUM + '+/')}=",
    "azure openai": lambda c: f"{c.chars(52)}JQQJ99BAAC{c.chars(22)}",
    "azure client secret": lambda c: f"{c.chars(3)}8Q~{c.chars(34)}",
    "github": lambda c: f"ghp_{c.chars(36)}",
    "github app": lambda c: f"ghs_{c.chars(36)}",
    "github fine-grained": lambda c: f"github_pat_{c.chars(22)}_{c.chars(59)}",
    "gitlab": lambda c: f"glpat-{c.chars(20, URLSAFE)}",
    "gitlab runner": lambda c: f"glrt-{c.chars(20, URLSAFE)}",
    "slack bot": lambda c: f"xoxb-{c.chars(12, string.digits)}-{c.chars(12, string.digits)}-{c.chars(24)}",
    "slack app": lambda c: f"xapp-1-A{c.chars(10)}-{c.chars(13, string.digits)}-{c.chars(64, HEX)}",
    "stripe": lambda c: f"sk_live_{c.chars(23)}7",
    "stripe restricted": lambda c: f"rk_live_7{c.chars(23)}",
    "stripe webhook": lambda c: f"whsec_{c.chars(32)}",
    "hugging face": lambda c: f"hf_7x9Kq{c.chars(29)}",
    "groq": lambda c: f"gsk_{c.chars(52)}",
    "xai": lambda c: f"xai-{c.chars(80)}",
    "nvidia": lambda c: f"nvapi-{c.chars(64, URLSAFE)}",
    "perplexity": lambda c: f"pplx-{c.chars(48)}",
    "replicate": lambda c: f"r8_{c.chars(37)}",
    "pinecone": lambda c: f"pcsk_{c.chars(60)}",
    "tavily": lambda c: f"tvly-dev-{c.chars(32)}",
    "npm": lambda c: f"npm_{c.chars(36)}",
    "pypi": lambda c: f"pypi-AgEIcHlwaS5vcmc{c.chars(80, URLSAFE)}",
    "docker": lambda c: f"dckr_pat_{c.chars(27, URLSAFE)}",
    "sendgrid": lambda c: f"SG.{c.chars(22, URLSAFE)}.{c.chars(43, URLSAFE)}",
    "databricks": lambda c: f"dapi{c.chars(32, HEX)}",
    "vault": lambda c: f"hvs.{c.chars(90, URLSAFE)}",
    "grafana": lambda c: f"glsa_{c.chars(32)}_{c.chars(8, HEX)}",
    "telegram": lambda c: f"{c.randint(10**8, 10**9)}:AA{c.chars(33, URLSAFE)}",
    "digitalocean": lambda c: f"dop_v1_{c.chars(64, HEX)}",
    "shopify": lambda c: f"shpat_{c.chars(32, HEX)}",
    "linear": lambda c: f"lin_api_{c.chars(40)}",
    "airtable": lambda c: f"pat{c.chars(14)}.{c.chars(64, HEX)}",
    "discord webhook": lambda c: f"https://discord.com/api/webhooks/{c.digits(19)}/{c.chars(68, URLSAFE)}",
    "discord bot": lambda c: f"{c.coded_digits(18)}.{c.chars(6, URLSAFE)}.{c.chars(38, URLSAFE)}",
    "gitlab runner registration": lambda c: f"GR1348941{c.chars(20, URLSAFE)}",
    "mailchimp": lambda c: f"{c.chars(32, HEX)}-us{c.randint(1, 21)}",
    "notion": lambda c: f"ntn_{c.digits(11)}{c.chars(35)}",
    "notion, older": lambda c: f"secret_{c.chars(43)}",
    "twilio": lambda c: f"SK{c.chars(32, HEX)}",
    "tailscale": lambda c: f"tskey-auth-k{c.chars(11)}CNTRL-{c.chars(32)}",
    "atlassian": lambda c: f"ATATT3{c.chars(180, URLSAFE)}={c.chars(8, HEX)}",
    "doppler": lambda c: f"dp.pt.{c.chars(43)}",
    "figma": lambda c: f"figd_{c.chars(40, URLSAFE)}",
    "new relic": lambda c: f"NRAK-{c.chars(27, string.ascii_uppercase + string.digits)}",
    "json web token": _jwt,
    "rsa key": lambda c: _pem(c, "RSA PRIVATE KEY"),
    "private key": lambda c: _pem(c, "PRIVATE KEY"),
    "openssh key": lambda c: _pem(c, "OPENSSH PRIVATE KEY"),
    "encrypted key": lambda c: _pem(c, "ENCRYPTED PRIVATE KEY"),
}
BEGINS_A_TOKEN = {"hugging face", "telegram", "mailchimp", "twilio"}
"""Formats with so short a beginning that words contain it."""

VALUES: dict[str, Callable[[Chance], str]] = {
    "random": lambda c: c.chars(24),
    "hex": lambda c: c.chars(32, HEX),
    "uuid": Chance.uuid,
    "base64 with a tail": lambda c: base64.b64encode(c.randbytes(40)).decode(),
    "dictionary word": lambda c: c.choice(["swordfish", "hunter2", "letmein", "correcthorse", "Tr0ub4dor&3"]),
}

CONTEXTS: dict[str, str] = {
    "json": '{{"user": "an", "password": "{}"}}',
    "json without spaces": '{{"api_key":"{}","n":1}}',
    "json camel case": '{{"clientSecret": "{}"}}',
    "json header": '{{"headers": {{"X-Api-Key": "{}", "accept": "*/*"}}}}',
    "name and value": '{{"name": "API_KEY", "value": "{}"}}',
    "python repr": "{{'user': 'an', 'password': '{}'}}",
    "python call": 'connect(host="db", password="{}", port=5)',
    "python tuple": "[('accept', '*/*'), ('x-api-key', '{}')]",
    "bytes": "(b'x-api-key', b'{}')",
    "environment file": "HOST=db\nOPENAI_API_KEY={}\nDEBUG=1",
    "export": 'export AWS_SECRET_ACCESS_KEY="{}"',
    "exported bare": "export MISTRAL_API_KEY={}",
    "yaml": "db:\n  host: db\n  password: {}\n  port: 5",
    "quoted yaml": 'db:\n  password: "{}"',
    "ini": "[db]\npassword = '{}'",
    "toml": 'client_secret = "{}"',
    "curl header": "curl -H 'X-Api-Key: {}' https://x.test",
    "curl bearer": 'curl -sS -H "Authorization: Bearer {}" https://x.test',
    "curl user": "curl -u an:{} https://x.test",
    "http dump": "GET /v1 HTTP/1.1\r\nHost: x.test\r\nAuthorization: Bearer {}\r\nAccept: */*\r\n\r\n",
    "http dump, other header": "POST / HTTP/1.1\nx-goog-api-key: {}\nContent-Length: 3\n\nabc",
    "private token": "PRIVATE-TOKEN: {}",
    "query": "https://x.test/a?b=1&api_key={}&c=2",
    "signed": "https://x.test/blob?sv=2024&access_token={}",
    "bearer in json": '{{"Authorization": "Bearer {}"}}',
    "bearer in python": "{{'authorization': 'Bearer {}'}}",
    "azure storage": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
    "sql server": "Server=tcp:x,1433;User ID=an;Password={};Encrypt=true",
    "libpq": "host=db user=an password={} dbname=x",
    "log line": "2026-11-16 10:00:01 DEBUG login user=an password={} ok",
    "command line": "tool --api-key={} --verbose",
}
URL_CONTEXTS: dict[str, str] = {
    "postgres": "postgresql://an:{}@db.test:5432/x",
    "redis": "redis://:{}@cache.test:6379/0",
    "https": "https://an:{}@x.test/repo.git",
    "mongodb": "mongodb+srv://an:{}@cluster.x.test/?retryWrites=true",
}


def basic_header(chance: Chance) -> tuple[str, str]:
    """A header with base64 of a user and a password, and that base64."""
    coded = base64.b64encode(f"an:{chance.chars(12)}".encode()).decode()
    return f"Authorization: Basic {coded}", coded
