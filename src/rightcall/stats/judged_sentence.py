"""What a judged rate says, in a sentence or three."""

from __future__ import annotations

from rightcall.core.text import hundredths, pluralize


def rate_sentence(  # noqa: PLR0913  each is a figure of the sentence
    *,
    labels: int,
    rate: float,
    low: float,
    high: float,
    conf: float,
    judged: float | None,
    uses_judge: bool,
    effective_labels: float,
    kappa: float | None,
) -> str:
    """`48 labels: people pass 31 % of these answers (95 %: 22–41 %). The judge says 27 %. …`"""
    interval = f"({hundredths(conf)} %: {_whole(low)}–{_whole(high)} %)"
    if not labels:
        return f"people pass {_whole(rate)} % of these answers {interval}. Every outcome is known without labels."
    opening = f"{pluralize(labels, 'label')}: people pass {_whole(rate)} %"
    if uses_judge and judged is not None:
        worth = f"With it the labels are worth {effective_labels:.0f}."
        return f"{opening} of these answers {interval}. The judge says {_whole(judged)} %. {worth}"
    agreement = f" (κ {_two_digits(kappa)})" if kappa is not None else ""
    return (
        f"{opening} {interval}. This judge adds nothing{agreement}: the estimate is that of the labels alone."
    )


def _whole(share: float) -> str:
    """A share in hundredths, never rounded to 0 or 100 unless it is that."""
    text = hundredths(share, ".0f")
    if text in ("0", "100") and 0 < share < 1:
        return hundredths(share, ".1f") if 0.0005 <= share < 0.9995 else "<0.1" if share < 0.5 else ">99.9"
    return text


def _two_digits(value: float) -> str:
    """Kappa as it is printed everywhere: .11, −.05."""
    return f"{value:.2f}".replace("0.", ".", 1).replace("-", "−")
