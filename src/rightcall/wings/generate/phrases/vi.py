"""Vietnamese."""

from __future__ import annotations

from rightcall.wings.generate.phrases import Phrases

PHRASES = Phrases(
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
