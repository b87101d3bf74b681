"""Plausible values for parameters, by what they name and by language; and real places on land, by country."""

from __future__ import annotations

from typing import Literal

from rightcall.core.words import name_tokens, word_set

Language = Literal["en", "vi", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "vi", "zh")

_HINTS = """
email: email mail recipient recipients cc bcc attendee attendees
phone: phone mobile telephone
url: url uri link website webpage href
image: image photo picture screenshot thumbnail avatar
audio: audio recording
video: video clip
workbook: workbook spreadsheet xlsx
document: document docx doc
presentation: presentation pptx slides
folder: folder directory dir dirpath workspace_dir root cwd
path: path file filename filepath files
timezone: timezone tz
date: date day birthday deadline due
date-time: datetime timestamp since until start end
time: time hour
currency: currency
branch: branch ref head base
slug: slug
repository: repo repository
owner: owner org organization organisation login
username: username handle assignee author reviewer
hash: sha commit hash
version: version release
domain: domain domains hostname host dns fqdn
ip: ip
language: language lang
country: country nation
reaction: emoji reaction
ticker: ticker symbol stock
selector: selector xpath
cell: cell
range: range
sheet: sheet worksheet tab
table: table
database: database db
column: column columns field fields
schema: schema
collection: collection index
bucket: bucket
queue: queue
cluster: cluster
namespace: namespace
pod: pod deployment service
container: container
environment: environment env stage
channel: channel room
label: tag tags label labels
project: project workspace space board list app application site team group
gid: gid gids
code: id ids code number sku reference ticket account order key guid uuid token uid uids identifier identifiers
given_name: first given firstname forename
family_name: last surname lastname
city: city location place destination origin town address
person: person user customer contact guest recipient_name
product: product item goods
title: title subject event topic summary task playlist
prompt: prompt instruction instructions
sentence: message body text content note notes comment description reason feedback
query: query q search keyword keywords term question phrase intent goal
color: color colour
venue: restaurant hotel store shop company brand venue cafe
name: name
"""
HINTS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (pool_name, frozenset(words.split()))
    for pool_name, _, words in (line.partition(":") for line in _HINTS.strip().splitlines())
)
"""A pool, and the words in a parameter's name that select it; the last word of the name decides."""

CHOICES = word_set("""
    type kind status state mode format order sort direction level role category scope visibility priority method
    model engine unit units style theme strategy policy action operation operator severity region size quality
    preset output encoding sorting ordering granularity interval period resolution orientation layout permission
    permissions effort classification aggregation metric statistic variant tier plan provider backend source
    transport protocol font family
    """)
"""Words for values from a list: without the list, nobody could guess one."""

OPAQUE = word_set("""
    cursor continuation etag nonce signature payload script code expression formula regex pattern html xml json
    yaml arn filter filters where config options metadata params data blob token secret password command
    commands args argv arguments properties string dsn
    """)
"""Words for values with a syntax that a parameter's name does not give away."""

_EVERYWHERE = """
email: ana@example.com | b.carter@example.org | linh.tran@example.net | ops-team@example.com
phone: +1 555 0142 | +84 24 5550 0188 | +44 20 7946 0958
url: https://example.com/pricing | https://example.org/docs/start | https://example.net/blog
image_url: https://example.com/images/beach.jpg | https://example.org/img/logo.png | https://example.net/photos/team.jpg
file_url: https://example.com/files/report.pdf | https://example.org/files/survey.pdf
image: photos/beach.jpg | images/logo.png | photos/team.jpg
audio: recordings/interview.mp3 | recordings/standup.mp3
video: clips/demo.mp4 | clips/intro.mp4
workbook: reports/budget.xlsx | reports/sales.xlsx
document: letters/offer.docx | letters/contract.docx
presentation: slides/kickoff.pptx | slides/review.pptx
folder: projects/website | reports/archive | projects/billing-api
source: src/app.py | src/models.py | src/billing/invoice.py | tests/test_app.py
path: notes/todo.txt | docs/plan.md | notes/summary.txt | docs/readme.md
timezone: Europe/Paris | America/New_York | Asia/Tokyo | Australia/Perth | Asia/Ho_Chi_Minh
country_code: DE | VN | BR | KE | JP
language_code: fr | de | vi | es | ja
airport: BOS | SGN | LIS | NRT
currency: EUR | GBP | JPY | VND | CNY
slug: riverside-app | juniper-web | harbor-api
csv: reports/q3.csv | data/sales.csv
pdf: contracts/lease.pdf | papers/survey.pdf
json: data/settings.json | data/users.json
branch: develop | feature-login | release-2.1 | hotfix-cart
repository: billing-api | docs-site | mobile-app | data-pipeline
owner: acme-labs | northwind | octo-team | bluefin
username: asmith | jlee | mhaddad | nnovak
hash: 9fceb02 | 4b825dc | a1c9e3f
version: 1.4.2 | 2.0.1 | 3.7.0
domain: example.com | shop.example.org | status.example.net
ip: 192.0.2.17 | 198.51.100.4 | 203.0.113.9
language: French | German | Spanish | Vietnamese
reaction: thumbsup | tada | eyes
ticker: AAPL | MSFT | NVDA
selector: #submit-button | .price-tag | #search-box
sql: SELECT count(*) FROM orders | SELECT name FROM customers | SELECT total FROM invoices
cron: 0 9 * * 1 | 30 6 * * * | 0 0 1 * *
glob: **/*.py | docs/*.md | *.csv
hex_color: #1E90FF | #2E8B57 | #FFA500
cell: B2 | C5 | D10
range: A1:C10 | B2:D20 | A1:A50
sheet: Summary | Costs | Inventory
table: orders | customers | invoices | shipments
database: sales | analytics | crm
column: status | created_at | total | region
schema: public | reporting
collection: articles | reviews | products
bucket: acme-backups | acme-uploads
queue: emails | invoices | thumbnails
cluster: staging-cluster | edge-cluster
namespace: payments | web | monitoring
pod: checkout | web-frontend | billing-worker
container: web | redis-cache | billing-worker
environment: staging | production
channel: releases | general | support
label: urgent | beta | needs-review
project: Riverside | Juniper | Harbor | Lighthouse
given_name: Alice | Ben | Priya | Tom | Grace
family_name: Morgan | Carter | Shah | Reid | Novak
venue: Blue Lantern | Silver Maple | Open Harbor | Paper Crane
name: Aurora | Juniper | Riverside | Compass | Harvest
app_package: com.example.notes | com.example.weather | org.example.reader
python_package: requests | numpy | flask
node_package: lodash | express | axios
error_message: TypeError: 'NoneType' object is not subscriptable | KeyError: 'user_id'
prompt: a lighthouse at dusk | a bowl of fresh fruit | a quiet mountain lake
color: teal | crimson | olive | navy
"""
_LISTS = {
    "en": """
city: Boston | Denver | Leeds | Perth | Austin | Dublin | Cardiff | Toronto | Nairobi | Lisbon
person: Alice Morgan | Ben Carter | Priya Shah | Tom Reid | Grace Lee | Omar Haddad | Nina Novak
title: Budget review | Team lunch | Launch checklist | Design critique | Road trip | Monday standup
sentence: The meeting moved to Friday | Please review it by Friday | The launch is on track | The first draft is ready
query: coffee | winter holidays | bicycle | garden design | solar power | piano lessons
product: desk lamp | trail shoes | coffee grinder | phone case | rain jacket
country: Kenya | Portugal | Canada | Chile | Norway | Japan
phrase: blue lantern | north wing | silver maple | paper crane | open harbor | quiet garden
""",
    "vi": """
city: Hà Nội | Đà Nẵng | Huế | Cần Thơ | Hải Phòng | Đà Lạt | Nha Trang | Vũng Tàu
person: Nguyễn Văn An | Trần Thị Bình | Lê Minh Châu | Phạm Quốc Dũng | Võ Thu Hà
title: Họp ngân sách | Ăn trưa cùng nhóm | Danh sách ra mắt | Chuyến đi cuối tuần
sentence: Cuộc họp chuyển sang phòng khác | Tối nay gọi lại cho tôi nhé | Kiện hàng đến bị hỏng
query: tai nghe chống ồn | công thức phở bò | xe đạp cũ | lớp học piano
product: đèn bàn | giày chạy bộ | máy xay cà phê | áo mưa
country: Việt Nam | Nhật Bản | Pháp | Thái Lan
phrase: đèn lồng xanh | cánh cửa phía bắc | khu vườn yên tĩnh
""",
    "zh": """
city: 北京 | 上海 | 广州 | 成都 | 杭州 | 西安 | 重庆 | 南京
person: 王芳 | 李强 | 张伟 | 刘洋 | 陈静 | 杨光
title: 预算会议 | 团队午餐 | 发布清单 | 周末旅行 | 设计评审
sentence: 会议改到另一个房间 | 今晚请给我回电话 | 包裹送到时已经损坏
query: 降噪耳机 | 素食菜谱 | 二手自行车 | 钢琴入门课程
product: 台灯 | 跑鞋 | 咖啡研磨机 | 雨衣
country: 中国 | 日本 | 法国 | 巴西
phrase: 蓝色灯笼 | 北侧大门 | 安静的花园
""",
}
UNUSUAL = {
    "city": ("Đà Nẵng", "São Tomé", "Zürich", "Łódź", "Reykjavík", "Москва", "서울"),
    "person": ("Nguyễn Thị Ánh Tuyết", "Siobhán O’Brien-Søren", "Ōta Kenji", "Zoë Łukasik"),
    "sentence": (
        "Das Café öffnet am Freitag",
        "A reunião é na sexta",
        "会议改到星期五",
        "Первый черновик готов",
    ),
    "given_name": ("Zoë", "Siobhán", "Jürgen"),
    "family_name": ("Łukasik", "Sørensen", "Ōta"),
    "product": ("crème brûlée torch", "Käsemesser", "抹茶碗"),
    "title": ("Café-Eröffnung", "Reunião de orçamento", "予算会議", "Łódź road trip"),
    "": ("naïve café", "Żółw & Sons", "東京タワー", "São João", "crème brûlée", "Ἀθήνα"),
}
"""Text that a careless client breaks: accents, other scripts, punctuation inside a name."""

FREE_TEXT = word_set(
    "city person title sentence query product country phrase name prompt project venue given_name family_name"
)
"""The pools in which case and spacing do not matter, and in which any script may be used."""


ANY_SCRIPT = word_set("city person title sentence query")
"""The pools whose values people write in any script; names of things are slugs too often."""


def _pools(text: str) -> dict[str, tuple[str, ...]]:
    lines = (line.partition(": ") for line in text.strip().splitlines())
    return {pool_name: tuple(values.split(" | ")) for pool_name, _, values in lines}


_ANY_LANGUAGE = _pools(_EVERYWHERE)
_SPOKEN = {language: _pools(text) for language, text in _LISTS.items()}


def pool(name: str, language: Language) -> tuple[str, ...]:
    """The values of a pool in a language."""
    return _ANY_LANGUAGE.get(name) or _SPOKEN[language][name]


def is_pool(name: str) -> bool:
    """Whether there is a pool of this name."""
    return name in _ANY_LANGUAGE or name in _SPOKEN["en"]


LATITUDES = word_set("lat latitude")
LONGITUDES = word_set("lon lng long longitude")

PLACES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((52.52, 13.405), (48.137, 11.575), (50.938, 6.96), (53.551, 9.994)),
    ((48.857, 2.352), (45.764, 4.836), (43.604, 1.444), (47.218, -1.554)),
    ((39.739, -104.99), (41.878, -87.63), (32.777, -96.797), (39.1, -94.579)),
    ((40.417, -3.704), (41.388, 2.17), (37.389, -5.985), (39.47, -0.376)),
    ((19.433, -99.133), (20.667, -103.35), (19.041, -98.206), (20.589, -100.39)),
)
"""Latitude and longitude of four cities in each of five countries: two of one country have a road between them."""


CITIES: tuple[tuple[str, ...], ...] = (
    ("Boston", "Denver", "Austin", "Seattle", "Chicago"),
    ("Leeds", "Cardiff", "Bristol", "York", "Manchester"),
    ("Perth", "Sydney", "Adelaide", "Brisbane", "Melbourne"),
)
"""Cities by country, for routes."""


def coordinate_of(name: str) -> str:
    """Which coordinate a number is by its name: `lat`, `lon`, or empty."""
    words = name_tokens(name)
    if not LATITUDES.isdisjoint(words):
        return "lat"
    return "lon" if not LONGITUDES.isdisjoint(words) else ""
