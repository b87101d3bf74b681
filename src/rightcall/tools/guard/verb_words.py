"""The words by which a user asks for an effect, by the class of a tool's verb: English, Vietnamese and Chinese."""

from __future__ import annotations

from functools import lru_cache

from rightcall.core.words import name_tokens, word_set
from rightcall.model.tool_roles import ToolRoles
from rightcall.schema.effects import EFFECTS

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
_EFFECT_CLASS = {"create": "create", "update": "update"}


def words_that_ask(roles: ToolRoles) -> tuple[str, ...]:
    """Classes of words of which a user who wants this tool uses one; for an unknown verb the words of its name."""
    sinks = set(roles.sinks)
    for kind in ("destroy", "exec"):
        if kind in sinks:
            return (kind,)
    if not sinks.isdisjoint(("money", "commit")):
        return tuple(kind for kind in ("money", "commit") if kind in sinks)
    effect = _EFFECT_CLASS.get(EFFECTS.get(roles.verb, ""), "")
    classes: list[str] = [kind for kind in ("grant", "send") if kind in sinks]
    if effect == "update" and classes == ["send"]:
        classes = []
    classes += ["send"] if roles.verb in CLASSES["send"] else []
    classes += [effect] if effect and "grant" not in classes else []
    classes += [roles.verb] if roles.verb and not effect else []
    named = tuple(token for token in name_tokens(roles.tool) if len(token) > 2)
    return tuple(dict.fromkeys(classes)) or named or (roles.tool,)


@lru_cache(maxsize=1024)
def words_of(asked: tuple[str, ...]) -> frozenset[str]:
    """The words that a rule's `asked` stands for: a class name means all words of the class."""
    return frozenset(word.replace("_", " ") for entry in asked for word in (entry, *CLASSES.get(entry, ())))
