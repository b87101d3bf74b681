"""An evaluator written by hand: sets of tool names, precision and recall, a pass mark. It sees little."""

CASES = {
    "current": (["get_weather"], [("get_weather", {"city": "Hanoi"})]),
    "5 days": (["get_forecast"], [("get_weather", {"city": "Ho Chi Minh City"})]),
    "greeting": ([], []),
    "twice": (["get_weather"], [("get_weather", {"city": "Hue"}), ("get_weather", {"city": "Hanoi"})]),
}


def scores(expected, calls):
    called = {name for name, _ in calls}
    hits = len(called & set(expected))
    precision = hits / len(called) if called else 1.0
    recall = hits / len(expected) if expected else 1.0
    return precision, recall, 0.5 * precision + 0.5 * recall


results = {name: scores(*case) for name, case in CASES.items()}
for name, (precision, recall, overall) in results.items():
    word = "PASS" if overall >= 0.8 else "FAIL"
    print(f"{word}  {name:<9} precision {precision:.2f}  recall {recall:.2f}  score {overall:.2f}")
print(f"pass rate {sum(overall >= 0.8 for *_, overall in results.values())}/{len(results)}")
assert results["twice"][2] == 1.0  # the wrong city, and one call too many: a set of names cannot tell
