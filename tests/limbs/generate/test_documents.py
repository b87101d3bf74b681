"""Documents, chunks and contexts: any script whole, any broken file a clear error."""

from __future__ import annotations

import io
import unicodedata
import zipfile

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import InputError
from rightcall.limbs.generate.config import ContextConstructionConfig
from rightcall.limbs.generate.documents import (
    MOST_BYTES,
    SourceDocument,
    contexts_of,
    load_document,
    split_chunks,
)

VIETNAMESE = "Hà Nội là thủ đô của Việt Nam. Thành phố có nhiều hồ đẹp, trong đó có Hồ Hoàn Kiếm! " * 40
CHINESE = "北京是中国的首都。这座城市有三千多年的历史，故宫在市中心！你去过长城吗？" * 60
EMOJI = "👩‍👩‍👧‍👦🇻🇳🇨🇳👍🏽é́ " * 80
TEXTS = {
    "vi": VIETNAMESE,
    "vi-nfd": unicodedata.normalize("NFD", VIETNAMESE),
    "zh": CHINESE,
    "emoji": EMOJI,
    "one-word": "x" * 5_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("size", [64, 200, 1024])
def test_chunks_cover_the_text(text, size):
    pieces = list(split_chunks(text, size))
    assert "".join(pieces).rstrip() == text.rstrip() and max(map(len, pieces)) <= size


@given(st.text(max_size=400), st.integers(16, 80), st.integers(0, 15))
def test_any_text_is_covered_in_order(text, size, overlap):
    at = 0
    for piece in split_chunks(text, size, overlap):
        start = text.index(piece, max(0, at - overlap))
        assert not text[at:start].strip()  # only white space is ever left out
        at = max(at, start + len(piece))
    assert not text[at:].strip()


def test_a_sentence_is_not_cut_when_there_is_a_better_place():
    for piece in list(split_chunks(VIETNAMESE, 200))[:-1]:
        assert piece.rstrip()[-1] in ".!"
    for piece in list(split_chunks(CHINESE, 100))[:-1]:
        assert piece[-1] in "。！？"


def pdf_of(text):
    body = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET"
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 144] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(body)} >>\nstream\n{body}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = "%PDF-1.4\n"
    places = []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 6\n0000000000 65535 f \n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return (out + end).encode()


def docx_of(*paragraphs):
    import docx

    document = docx.Document()
    out = io.BytesIO()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "holds"),
    [
        ("a.txt", "Xin chào Huế".encode(), "Xin chào Huế"),
        ("a.md", "# 标题\n\n正文".encode("utf-16"), "正文"),
        ("a.pdf", pdf_of("Refunds within 30 days"), "Refunds within 30 days"),
        ("a.docx", docx_of("退款须知", "30 天内"), "30 天内"),
    ],
)
def test_every_kind_of_document_is_read(tmp_path, name, data, holds):
    (tmp_path / name).write_bytes(data)
    text = load_document(tmp_path / name).text
    assert holds in text


def encrypted_pdf():
    import pypdf

    writer = pypdf.PdfWriter()
    out = io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(out)
    return out.getvalue()


def bomb():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("word/document.xml", b"0" * 120_000_000)
    return out.getvalue()


BROKEN = {
    "empty.txt": (b"  \n", "contains no text"),
    "latin.txt": ("München".encode("latin-1"), "is not UTF-8"),
    "broken.pdf": (b"%PDF-1.7 nothing of the kind", "is not a readable PDF"),
    "scanned.pdf": (pdf_of(" "), "if it is scanned"),
    "locked.pdf": (encrypted_pdf(), "is encrypted"),
    "locked.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "is encrypted, or a renamed .doc"),
    "broken.docx": (b"PK\x03\x04 and no more", "is not a readable Word document"),
    "bomb.docx": (bomb(), "decompresses to 120 MB"),
    "sheet.xlsx": (b"PK", "unsupported document type '.xlsx'; use one of .txt"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path, name):
    data, says = BROKEN[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_document(tmp_path / name)
    assert name in str(caught.value) and says in str(caught.value)


def test_fifty_megabytes_are_refused_without_reading_them(tmp_path):
    with (tmp_path / "log.txt").open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(InputError, match=rf"50\.0 MB, the limit is {MOST_BYTES // 1_000_000} MB"):
        load_document(tmp_path / "log.txt")


def test_contexts_are_neighbouring_chunks_of_one_document():
    documents = [SourceDocument("a.txt", CHINESE), SourceDocument("b.txt", VIETNAMESE)]
    config = ContextConstructionConfig(chunk_size=200, max_contexts_per_document=2, max_context_length=3)
    contexts = contexts_of(documents, config, seed=4)
    assert [context.sources for context in contexts] == [("a.txt",)] * 2 + [("b.txt",)] * 2
    texts = {document.path: document.text for document in documents}
    assert all("".join(context.texts) in texts[context.sources[0]] for context in contexts)
    assert contexts == contexts_of(documents, config, seed=4) != contexts_of(documents, config, seed=5)
