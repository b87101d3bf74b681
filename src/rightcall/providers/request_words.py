"""Words of a text, for comparing texts by the words they share: English, Vietnamese, Chinese."""

from __future__ import annotations

import re

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STOP_WORDS = """
a an and any are as at be by can could do does for from get give has have how i if in into is it its
let like make may me my need of on or our please should show some tell that the their them then there
these this to up use using want was we what when where which who why will with would you your
là và của cho tôi tại ở trong có không các những một này đó hãy xin với về từ đến được bao nhiêu gì nào
的 了 是 我 你 在 有 和 请 吗 什么 怎么 多少 一个 这 那 把 给 请问 帮我
"""
_STOP = frozenset(_STOP_WORDS.split())
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")


def words(text: str) -> list[str]:
    """Content words in order, lower case and without English endings; Chinese as pairs of characters."""
    found: list[str] = []
    for run in _WORD.findall(_CAMEL.sub(" ", text)):
        if "\u3400" <= run[0] <= "\u9fff" or "\uf900" <= run[0] <= "\ufaff":
            found += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        else:
            found.append(stem(run.casefold()))
    return [word for word in found if word not in _STOP]


def stem(word: str) -> str:
    """The word without a common English ending, if enough is left to identify it."""
    if not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + ("y" if ending == "ies" else "")
    return word
