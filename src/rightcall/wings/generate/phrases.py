"""Phrases for requests written without a model, by language.

To add a language: its phrases here, its values in `pools.py`, and its code in `pools.Language`.
"""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.model.record import Record
from rightcall.wings.generate.pools import Language


class Phrases(Record, frozen=True):
    """The phrases a language needs to express a plan.

    `asks` take `{what}` and `{details}`; `bare` takes only `{what}`, and `again` only the details of a second call.
    `withheld` says that the user still owes a value: whoever acts without it did not listen. `verbs` and `nouns` translate the words
    of tool names, and `names` those of parameters; missing words are taken from the definition.
    """

    asks: tuple[str, ...]
    bare: tuple[str, ...]
    detail: str
    between: str
    last: str
    also: tuple[str, ...]
    again: tuple[str, ...]
    then: tuple[str, ...]
    withheld: tuple[str, ...]
    result: str
    yes: str
    no: str
    quotes: tuple[str, str]
    idle: tuple[str, ...]
    openers: tuple[str, ...]
    joined: str = " "
    verbs: dict[str, str] = {}
    nouns: dict[str, str] = {}
    names: dict[str, str] = {}


_ENGLISH = Phrases(
    asks=(
        "Please {what}, with {details}.", "Can you {what}? Use {details}.", "I'd like to {what}. Use {details}.",
        "Help me {what}: {details}.", "{What}: {details}.", "Could you {what} for me? Use {details}.",
        "I need to {what}; use {details}.",
    ),
    bare=("Please {what}.", "Can you {what}?", "I'd like to {what}.", "{What}.", "Could you {what}?"),
    detail="{name} {value}",
    between=", ",
    last=" and ",
    also=("Also, {next}", "And another thing: {next}", "Besides that: {next}"),
    again=("Then do the same with {details}.", "And once more with {details}.", "Do it a second time, with {details}."),
    then=("Then {next}", "Once you have it, {next}"),
    withheld=(
        "I still have to look up the {name}: ask me for it before you do anything.",
        "Don't start yet, I have not decided on the {name}; ask me for it first.",
        "Wait with it: I will send you the {name} in my next message.",
    ),
    result="the {name} from that result",
    yes="set to true",
    no="set to false",
    quotes=("“", "”"),
    openers=("", "Hi! ", "Hello there. ", "Hey, ", "Okay. ", "Hm, ", "Alright, ", "Quick one: ", "Just so you know: ", "By the way, "),
    idle=(
        "thanks, that was all for today.", "never mind, I have found it myself.", "you have been a great help, goodbye!",
        "no need to do anything, I only wanted to say hello.", "please do nothing until I come back.",
        "I changed my mind, leave everything as it is.", "please forget what I was about to ask.",
        "good morning, how are you doing?", "give me a minute, I am on the phone.", "I will get back to you after lunch.",
        "sorry, that message was meant for somebody else.", "that joke of yours made me laugh.", "are you a person or a program?",
        "say something encouraging to me.", "I am only thinking aloud, ignore me.", "thank you, you can stop here.",
    ),
    names={"q": "query", "ts": "timestamp", "thread ts": "thread timestamp", "num results": "number of results"},
)  # fmt: skip

_VIETNAMESE = Phrases(
    asks=(
        "Hãy {what}: {details}.", "Bạn {what} giúp tôi với {details} nhé.", "Tôi muốn {what}. {Details}.",
        "Làm ơn {what}, {details}.", "Tôi cần {what}; {details}.", "Nhờ bạn {what}: {details}.",
    ),
    bare=("Hãy {what}.", "Bạn {what} giúp tôi nhé.", "Tôi muốn {what}.", "Nhờ bạn {what}."),
    detail="{name} là {value}",
    between=", ",
    last=" và ",
    also=("Ngoài ra, {next}", "Thêm một việc nữa: {next}"),
    again=("Làm tương tự với {details}.", "Rồi làm lại một lần nữa với {details}."),
    then=("Sau đó {next}", "Khi có kết quả, {next}"),
    withheld=("Tôi chưa quyết định {name}, hãy hỏi tôi trước khi làm.", "Khoan đã, tôi sẽ gửi {name} ở tin nhắn sau."),
    result="{name} lấy từ kết quả đó",
    yes="có",
    no="không",
    quotes=("“", "”"),
    openers=("", "Chào bạn. ", "Xin chào, ", "Này, ", "À, ", "Thôi, ", "Vâng, ", "Nhân tiện, "),
    idle=(
        "cảm ơn, hôm nay vậy là đủ rồi.", "thôi khỏi, tôi tự tìm được rồi.", "bạn giúp tôi nhiều lắm, tạm biệt nhé!",
        "bạn không cần làm gì cả, tôi chỉ muốn chào thôi.", "tôi đổi ý rồi, cứ để nguyên như vậy.",
        "câu vừa rồi của bạn nghĩa là gì?", "chào buổi sáng, bạn khỏe không?", "hãy nhắc lại từ “hải đăng”.",
        "từ trái nghĩa với “hào phóng” là gì?", "bạn là người hay là chương trình?", "hãy nói một câu động viên tôi.",
        "tôi chỉ đang nghĩ thành tiếng thôi.", "câu đùa của bạn làm tôi bật cười.",
    ),
    verbs={
        "get": "xem", "find": "tìm", "search": "tìm kiếm", "list": "liệt kê", "create": "tạo", "add": "thêm", "send": "gửi",
        "delete": "xóa", "remove": "xóa", "update": "cập nhật", "set": "đặt", "book": "đặt", "cancel": "hủy", "convert": "đổi",
        "check": "kiểm tra", "open": "mở", "close": "đóng", "start": "bắt đầu", "stop": "dừng", "play": "phát",
        "translate": "dịch", "calculate": "tính", "transfer": "chuyển", "schedule": "lên lịch", "track": "theo dõi",
        "order": "đặt mua", "refund": "hoàn tiền", "read": "đọc", "write": "viết", "show": "hiển thị", "lookup": "tra cứu",
    },
    nouns={
        "weather": "thời tiết", "forecast": "dự báo thời tiết", "order": "đơn hàng", "event": "sự kiện", "email": "thư điện tử",
        "message": "tin nhắn", "file": "tệp", "user": "người dùng", "customer": "khách hàng", "account": "tài khoản",
        "flight": "chuyến bay", "hotel": "khách sạn", "room": "phòng", "product": "sản phẩm", "price": "giá", "stock": "cổ phiếu",
        "currency": "tiền tệ", "money": "tiền", "payment": "khoản thanh toán", "invoice": "hóa đơn", "ticket": "phiếu yêu cầu",
        "task": "công việc", "note": "ghi chú", "reminder": "lời nhắc", "meeting": "cuộc họp", "contact": "liên hệ",
        "restaurant": "nhà hàng", "table": "bàn", "song": "bài hát", "playlist": "danh sách phát", "text": "văn bản",
        "route": "lộ trình", "distance": "khoảng cách", "package": "kiện hàng", "balance": "số dư", "document": "tài liệu",
        "calendar": "lịch", "alarm": "báo thức", "timer": "đồng hồ hẹn giờ", "news": "tin tức", "light": "đèn",
    },
    names={
        "city": "thành phố", "country": "nước", "date": "ngày", "time": "giờ", "days": "số ngày", "name": "tên", "title": "tiêu đề",
        "amount": "số tiền", "currency": "loại tiền", "email": "địa chỉ thư", "message": "tin nhắn", "query": "từ khóa",
        "limit": "số kết quả tối đa", "units": "đơn vị", "unit": "đơn vị", "language": "ngôn ngữ", "location": "địa điểm",
        "quantity": "số lượng", "price": "giá", "subject": "chủ đề", "body": "nội dung", "text": "văn bản", "path": "đường dẫn",
        "order id": "mã đơn hàng", "user id": "mã người dùng", "id": "mã", "guests": "số khách", "nights": "số đêm",
        "reason": "lý do", "category": "loại", "status": "trạng thái", "color": "màu", "phone": "số điện thoại",
    },
)  # fmt: skip

_CHINESE = Phrases(
    asks=(
        "请{what}：{details}。", "帮我{what}，{details}。", "我想{what}。{details}。", "麻烦你{what}，{details}，谢谢。",
        "我需要{what}，{details}。", "能不能{what}？{details}。",
    ),
    bare=("请{what}。", "帮我{what}。", "我想{what}。", "能不能{what}？", "麻烦你{what}。"),
    detail="{name}是{value}",
    between="，",
    last="，",
    also=("另外，{next}", "还有一件事：{next}"),
    again=("再来一次，{details}。", "另外用{details}再做一遍。"),
    then=("然后{next}", "拿到结果以后，{next}"),
    withheld=("{name}我还没想好，先问我再动手。", "先别做，{name}我下一条消息告诉你。"),
    result="用结果里的{name}",
    yes="是",
    no="否",
    quotes=("「", "」"),
    joined="",
    openers=("", "你好，", "嗨，", "嗯，", "好的，", "顺便说一句，", "那个，", "早啊，"),
    idle=(
        "谢谢，今天就到这里。", "算了，我自己找到了。", "你帮了大忙，再见！", "什么都不用做，我只是打个招呼。",
        "我改主意了，一切保持原样吧。", "你刚才那句话是什么意思？", "你最近怎么样？", "请重复一遍“灯塔”这个词。",
        "“慷慨”的反义词是什么？", "你是人还是程序？", "说一句鼓励我的话吧。", "我只是在自言自语。", "你讲的笑话真好笑。",
    ),
    verbs={
        "get": "查看", "find": "查找", "search": "搜索", "list": "列出", "create": "创建", "add": "添加", "send": "发送",
        "delete": "删除", "remove": "移除", "update": "更新", "set": "设置", "book": "预订", "cancel": "取消", "convert": "换算",
        "check": "检查", "open": "打开", "close": "关闭", "start": "开始", "stop": "停止", "play": "播放", "translate": "翻译",
        "calculate": "计算", "transfer": "转账", "schedule": "安排", "track": "跟踪", "order": "订购", "refund": "退款",
        "read": "读取", "write": "写入", "show": "显示", "lookup": "查询",
    },
    nouns={
        "weather": "天气", "forecast": "天气预报", "order": "订单", "event": "日程", "email": "邮件", "message": "消息",
        "file": "文件", "user": "用户", "customer": "客户", "account": "账户", "flight": "航班", "hotel": "酒店", "room": "房间",
        "product": "商品", "price": "价格", "stock": "股票", "currency": "货币", "money": "钱", "payment": "付款",
        "invoice": "发票", "ticket": "工单", "task": "任务", "note": "笔记", "reminder": "提醒", "meeting": "会议",
        "contact": "联系人", "restaurant": "餐厅", "table": "餐桌", "song": "歌曲", "playlist": "歌单", "text": "文本",
        "route": "路线", "distance": "距离", "package": "包裹", "balance": "余额", "document": "文档", "calendar": "日历",
        "alarm": "闹钟", "timer": "计时器", "news": "新闻", "light": "灯",
    },
    names={
        "city": "城市", "country": "国家", "date": "日期", "time": "时间", "days": "天数", "name": "名称", "title": "标题",
        "amount": "金额", "currency": "币种", "email": "邮箱", "message": "消息", "query": "关键词", "limit": "最多条数",
        "units": "单位", "unit": "单位", "language": "语言", "location": "地点", "quantity": "数量", "price": "价格",
        "subject": "主题", "body": "正文", "text": "文本", "path": "路径", "order id": "订单号", "user id": "用户编号", "id": "编号",
        "guests": "人数", "nights": "晚数", "reason": "原因", "category": "类别", "status": "状态", "color": "颜色", "phone": "电话",
    },
)  # fmt: skip

PHRASES: Mapping[Language, Phrases] = {"en": _ENGLISH, "vi": _VIETNAMESE, "zh": _CHINESE}
"""The phrases of each language."""
