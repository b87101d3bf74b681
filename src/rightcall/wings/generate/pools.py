"""Plausible values for parameters, by name and language."""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "vi", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "vi", "zh")

HINTS: tuple[tuple[str, frozenset[str]], ...] = (
    ("email", frozenset(("email", "mail", "recipient", "recipients", "cc", "bcc", "attendee", "attendees"))),
    ("phone", frozenset(("phone", "mobile", "telephone"))),
    ("url", frozenset(("url", "uri", "link", "website"))),
    ("path", frozenset(("path", "file", "filename", "folder", "directory"))),
    ("date", frozenset(("date", "day", "birthday", "deadline", "due"))),
    ("time", frozenset(("time", "hour"))),
    ("currency", frozenset(("currency",))),
    ("code", frozenset(("id", "ids", "code", "number", "sku", "reference", "ticket", "account", "order", "token"))),
    ("city", frozenset(("city", "location", "place", "destination", "origin", "town", "address"))),
    ("country", frozenset(("country", "nation"))),
    ("person", frozenset(("name", "person", "user", "customer", "author", "username", "contact", "owner", "guest"))),
    ("product", frozenset(("product", "item", "sku", "goods"))),
    ("title", frozenset(("title", "subject", "event", "topic", "label", "summary", "task", "project", "playlist"))),
    ("sentence", frozenset(("message", "body", "text", "content", "note", "comment", "description", "reason"))),
    ("query", frozenset(("query", "q", "search", "keyword", "keywords", "term", "question", "phrase"))),
    ("color", frozenset(("color", "colour"))),
)  # fmt: skip
"""A pool, and the words in a parameter's name that select it; the first match is used."""

CITIES = {
    "en": (
        "Boston",
        "Denver",
        "Leeds",
        "Perth",
        "Austin",
        "Dublin",
        "Cardiff",
        "Toronto",
        "Nairobi",
        "Lisbon",
    ),
    "vi": ("Hà Nội", "Đà Nẵng", "Huế", "Cần Thơ", "Hải Phòng", "Đà Lạt", "Nha Trang", "Vũng Tàu"),
    "zh": ("北京", "上海", "广州", "成都", "杭州", "西安", "重庆", "南京"),
}
PEOPLE = {
    "en": ("Alice Morgan", "Ben Carter", "Priya Shah", "Tom Reid", "Grace Lee", "Omar Haddad", "Nina Novak"),
    "vi": ("Nguyễn Văn An", "Trần Thị Bình", "Lê Minh Châu", "Phạm Quốc Dũng", "Võ Thu Hà"),
    "zh": ("王芳", "李强", "张伟", "刘洋", "陈静", "杨光"),
}
TITLES = {
    "en": (
        "Budget review",
        "Team lunch",
        "Launch checklist",
        "Design critique",
        "Road trip",
        "Monday standup",
    ),
    "vi": ("Họp ngân sách", "Ăn trưa cùng nhóm", "Danh sách ra mắt", "Chuyến đi cuối tuần"),
    "zh": ("预算会议", "团队午餐", "发布清单", "周末旅行", "设计评审"),
}
SENTENCES = {
    "en": ("The meeting moved to room 4B", "Please call me back tonight", "The parcel arrived damaged",
           "Lunch is on me today", "We ship the release on Friday"),
    "vi": ("Cuộc họp chuyển sang phòng khác", "Tối nay gọi lại cho tôi nhé", "Kiện hàng đến bị hỏng"),
    "zh": ("会议改到另一个房间", "今晚请给我回电话", "包裹送到时已经损坏"),
}  # fmt: skip
QUERIES = {
    "en": ("noise cancelling headphones", "vegan lasagna", "solar panel subsidies", "beginner piano lessons",
           "used road bikes", "quiet coworking spaces"),
    "vi": ("tai nghe chống ồn", "công thức phở bò", "xe đạp cũ", "lớp học piano"),
    "zh": ("降噪耳机", "素食菜谱", "二手自行车", "钢琴入门课程"),
}  # fmt: skip
PRODUCTS = {
    "en": ("desk lamp", "trail shoes", "coffee grinder", "phone case", "rain jacket"),
    "vi": ("đèn bàn", "giày chạy bộ", "máy xay cà phê", "áo mưa"),
    "zh": ("台灯", "跑鞋", "咖啡研磨机", "雨衣"),
}
COUNTRIES = {
    "en": ("Kenya", "Portugal", "Canada", "Chile", "Norway", "Japan"),
    "vi": ("Việt Nam", "Nhật Bản", "Pháp", "Thái Lan"),
    "zh": ("中国", "日本", "法国", "巴西"),
}
PHRASES = {
    "en": ("blue lantern", "north wing", "silver maple", "paper crane", "open harbor", "quiet garden"),
    "vi": ("đèn lồng xanh", "cánh cửa phía bắc", "khu vườn yên tĩnh"),
    "zh": ("蓝色灯笼", "北侧大门", "安静的花园"),
}
ANY_LANGUAGE = {
    "email": ("ana@example.com", "b.carter@example.org", "linh.tran@example.net", "ops-team@example.com"),
    "phone": ("+1 555 0142", "+84 24 5550 0188", "+44 20 7946 0958"),
    "url": ("https://example.com/pricing", "https://example.org/docs/start", "https://example.net/a?b=1"),
    "path": ("reports/q3.csv", "notes/todo.txt", "photos/beach.jpg", "src/app.py"),
    "currency": ("USD", "EUR", "VND", "CNY", "GBP", "JPY"),
    "color": ("teal", "crimson", "olive", "navy"),
}
SPOKEN = {
    "city": CITIES, "country": COUNTRIES, "person": PEOPLE, "product": PRODUCTS, "title": TITLES,
    "sentence": SENTENCES, "query": QUERIES, "phrase": PHRASES,
}  # fmt: skip
UNUSUAL = (
    "Đà Nẵng", "São Tomé", "Zürich", "北京市朝阳区", "Ἀθήνα", "Ōsaka", "Łódź", "Reykjavík", "Żółw & Sons", "naïve café",
    "Nguyễn Thị Ánh Tuyết", "O’Brien-Søren", "東京タワー", "서울역", "Москва",
)  # fmt: skip
"""Text that a careless client breaks: accents, other scripts, punctuation inside a name."""


def pool(name: str, language: Language) -> tuple[str, ...]:
    """The values of a pool in a language."""
    return ANY_LANGUAGE.get(name) or SPOKEN[name][language]
