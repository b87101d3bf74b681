"""Chinese, in simplified characters."""

from __future__ import annotations

from rightcall.wings.generate.phrases import Phrases

PHRASES = Phrases(
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
