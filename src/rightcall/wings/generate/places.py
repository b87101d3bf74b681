"""Coordinates of real places on land, by country: two of one country have a road between them."""

from __future__ import annotations

from rightcall.core.words import name_tokens, word_set

LATITUDES = word_set("lat latitude")
LONGITUDES = word_set("lon lng long longitude")

PLACES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((52.52, 13.405), (48.137, 11.575), (50.938, 6.96), (53.551, 9.994)),
    ((48.857, 2.352), (45.764, 4.836), (43.604, 1.444), (47.218, -1.554)),
    ((39.739, -104.99), (41.878, -87.63), (32.777, -96.797), (39.1, -94.579)),
    ((40.417, -3.704), (41.388, 2.17), (37.389, -5.985), (39.47, -0.376)),
    ((19.433, -99.133), (20.667, -103.35), (19.041, -98.206), (20.589, -100.39)),
)
"""Latitude and longitude of four cities in each of five countries."""


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
