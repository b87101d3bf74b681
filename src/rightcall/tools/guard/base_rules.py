"""The rules of `auto`, made from the roles of one tool, in the form a policy file has them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from rightcall.core.words import name_tokens, stem, word_set
from rightcall.records.tool_roles import ParameterClass, SinkKind, ToolRoles
from rightcall.schema.effects import EFFECTS
from rightcall.tools.guard.policy import FORMAT, CallLimit, GuardPolicy, GuardRule, Vouching

CLASSES: dict[str, frozenset[str]] = {
    "send": word_set("""
        send email mail message text write reply respond answer forward tell notify inform post share publish
        broadcast announce ask remind contact dispatch ping dm invite schedule arrange let
        gửi nhắn báo trả_lời 发 寄 告诉 通知 回复 转发
        """),
    "money": word_set("""
        pay transfer wire schedule refund charge purchase buy deposit withdraw reimburse settle remit donate tip bill
        send chuyển thanh_toán trả 付 支付 转账 汇款 退款
        """),
    "destroy": word_set("""
        delete remove cancel clear erase drop purge clean close revoke disable deactivate unsubscribe stop wipe
        uninstall terminate kick ban discard void reset lock log end
        xóa xoá hủy huỷ bỏ 删 取消 移除 撤销 关闭
        """),
    "commit": word_set("""
        book reserve order rent purchase buy place submit schedule arrange sign enroll get checkout
        đặt mua 订 预订 购买 下单
        """),
    "create": word_set("""
        create add make new write set schedule draft save record open start file insert register log put append upload
        copy note generate install issue plan arrange report publish remember post
        tạo thêm viết lưu ghi 创建 添加 写 记 保存 新建
        """),
    "update": word_set("""
        update change edit modify set rename move fix adjust correct reschedule mark replace extend save switch turn
        configure write archive label tag close reopen merge assign
        sửa đổi cập_nhật 改 更新 修改 设置 移动
        """),
    "grant": word_set("""
        invite share add give grant allow access permission role password let join change update set assign
        mời chia_sẻ 邀请 分享 授权 密码
        """),
    "exec": word_set("""
        run execute exec start launch compute evaluate query build test deploy check calculate
        chạy 运行 执行
        """),
}


def words_that_ask(roles: ToolRoles) -> tuple[str, ...]:
    """Classes of words of which a user who wants this tool uses one; for an unknown verb the words of its name.

    A word that a parameter has too is the thing and not the deed: whoever says "van" did not ask for
    `retire_van(van_id)`. Who changes a standing payment asks for it with words of money or of change: "adjust my rent".
    """
    sinks = set(roles.sinks)
    for kind in ("destroy", "exec"):
        if kind in sinks:
            return (kind,)
    effect = kind if (kind := EFFECTS.get(roles.verb, "")) in ("create", "update") else ""
    if not sinks.isdisjoint(("money", "commit")):
        kinds = tuple(kind for kind in ("money", "commit") if kind in sinks)
        return (*kinds, effect) if effect == "update" else kinds
    classes: list[str] = [kind for kind in ("grant", "send") if kind in sinks]
    if effect == "update" and classes == ["send"]:
        classes = []
    classes += ["send"] if roles.verb in CLASSES["send"] else []
    classes += [effect] if effect and "grant" not in classes else []
    classes += [roles.verb] if roles.verb and not effect else []
    named = tuple(token for token in name_tokens(roles.tool) if len(token) > 2)
    things = {stem(token) for parameter in roles.free_parameters for token in name_tokens(parameter)}
    deeds = tuple(token for token in named if stem(token) not in things)
    return tuple(dict.fromkeys(classes)) or deeds or named or (roles.tool,)


@lru_cache(maxsize=1024)
def words_of(asked: tuple[str, ...]) -> frozenset[str]:
    """The words that a rule's `asked` stands for: a class name means all words of the class."""
    return frozenset(word.replace("_", " ") for entry in asked for word in (entry, *CLASSES.get(entry, ())))


VOUCHED: tuple[Vouching, ...] = ("user", "known")
SAID: tuple[Vouching, ...] = ("user",)


def base_rules(roles: ToolRoles, without: Collection[str] = ()) -> list[GuardRule]:
    """The rules that bind on one tool; none for one without effect."""
    bound = (rule for rule in _rules(roles) if rule.arg or rule.asked or rule.limit)
    return [rule for rule in bound if rule.name not in without]


def _rules(roles: ToolRoles) -> Iterator[GuardRule]:
    sinks = set(roles.sinks)
    if not sinks:
        return
    because = f"{', '.join(roles.sinks)} sink"

    def rule(name: str, paths: list[str], **condition: object) -> GuardRule:
        facts: dict[str, Any] = {"otherwise": "confirm", "because": because, **condition}
        return GuardRule(name, roles.tool, arg=tuple(paths), **facts)

    destinations = _paths(roles, ("send", "money", "grant"), "destination")
    urls = _paths(roles, ("egress",), "url")
    credentials = roles.parameters_of("credential")
    picks = _paths(roles, ("money", "commit", "grant", "exec", "destroy"), "pick", "identity", "program")
    chosen = [path for path in roles.parameters_of("pick", "identity") if path not in picks]
    # an id refers to something that exists; `name` and `file` may name something new
    picks += [path for path in chosen if name_tokens(path)[-1:] in (("id",), ("ids",), ("uuid",))]
    named = _paths(roles, ("destroy",), "pick", "identity", "destination", "title")
    texts = roles.parameters_of("text", "title", "program", "pick")
    titles = roles.parameters_of("title")
    destination = tuple(roles.parameters_of("destination"))
    yield rule("to", [path for path in (*destinations, *urls) if path not in credentials], needs=VOUCHED)
    yield rule("to", credentials, needs=SAID)
    is_paid = not sinks.isdisjoint(("money", "commit"))
    yield rule("amount", roles.parameters_of("amount", *(("quantity",) if is_paid else ())), needs=SAID)
    yield rule("terms", _paths(roles, ("money", "commit"), "choice"), needs=(*VOUCHED, "model"))
    yield rule("pick", [path for path in picks if path not in credentials], needs=VOUCHED)
    yield rule("destroy", named, needs=SAID)
    yield rule("link", texts, links=VOUCHED)
    copied = roles.parameters_of("title", "text") if is_paid else titles
    yield rule("verbatim", copied, passages=VOUCHED, unless=() if is_paid else destination)
    if not sinks.isdisjoint(("send", "money", "grant", "exec", "egress")):
        yield rule("secret", roles.parameters_of("text", "title", "program", "url"), secrets="named")
    if sinks != {"egress"}:
        yield rule("asked", [], asked=words_that_ask(roles))
        deal = roles.parameters_of("destination", "pick", "identity", "amount") if is_paid else []
        yield rule("repeat", [], limit=CallLimit(calls=1, same=tuple(deal) or ("*",)))


def _paths(roles: ToolRoles, kinds: tuple[SinkKind, ...], *classes: ParameterClass) -> list[str]:
    """The parameters of these classes, if the tool is a sink of one of these kinds."""
    return roles.parameters_of(*classes) if not set(kinds).isdisjoint(roles.sinks) else []


HEAD = """\
# What the guard demands of each tool. Edit, then set `guard: FILE` in the suite.
# A rule has one condition: needs links passages secrets asked limit hosts confirm deny allow.
"""


def write_rules_out(policy: GuardPolicy, roles: Mapping[str, ToolRoles]) -> GuardPolicy:
    """The same policy without a base: all rules are listed."""
    if policy.base == "none":
        return policy
    replaced = {(name, tool) for rule in policy.rules for name in [rule.name] for tool in rule.tools if name}
    rules = [
        rule
        for tool in roles.values()
        for rule in base_rules(tool, policy.without)
        if (rule.name, tool.tool) not in replaced
    ]
    return msgspec.structs.replace(policy, base="none", without=(), rules=(*rules, *policy.rules))


def policy_yaml(policy: GuardPolicy) -> str:
    """The policy as a file that `guard:` reads, rules grouped by tool."""
    lines = [HEAD + f"format: {FORMAT}", f"base: {policy.base}", f"known: {policy.known or 'fields'}"]
    for key in ("taint", "without", "trust", "roles"):
        plain = msgspec.to_builtins(getattr(policy, key))
        if plain and plain != "external":
            lines.append(f"{key}: {_flow(plain)}")
    lines.append("rules:" if policy.rules else "rules: []")
    last = ""
    for rule in policy.rules:
        tool = ", ".join(rule.tools)
        if tool != last and rule.because:
            lines.append(f"  # {tool}: {rule.because}")
        last = tool
        lines.append(f"  - {_flow(msgspec.to_builtins(msgspec.structs.replace(rule, because='')))}")
    return "\n".join(lines) + "\n"


def _flow(value: Any) -> str:
    """A value in YAML's one-line form; JSON strings are YAML strings."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(str(key))}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"_*[A-Za-z][A-Za-z_]*", value) and value not in _WORDS:
        return value
    return msgspec.json.encode(value).decode()


_WORDS = frozenset(word for plain in ("yes", "no", "on", "off", "true", "false", "null", "y", "n") for word in
                   (plain, plain.title(), plain.upper()))  # fmt: skip
"""Words that YAML 1.1 does not read as text."""
