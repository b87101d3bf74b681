"""Three evaluators by hand, one for each kind of request: all tools, none of them, or a share of both."""

CHOICES = {
    "read the README": ("golden", ["readFile"], ["readFile"]),
    "what is here?": ("secondary", ["listFiles"], ["listFiles", "readFile"]),
    "tell me a joke": ("negative", [], ["readFile"]),
}


def evaluate(kind, expected, selected):
    if kind == "golden":
        return float(set(expected) <= set(selected))
    if kind == "negative":
        return float(not selected)
    hits = len(set(expected) & set(selected))
    return 2 * hits / (len(expected) + len(selected))


results = {request: evaluate(*choice) for request, choice in CHOICES.items()}
for request, value in results.items():
    print(f"{value:.2f}  {CHOICES[request][0]:<10}{request}")
print(f"average {sum(results.values()) / len(results):.2f}")
assert round(results["what is here?"], 2) == 0.67  # an average hides that a file was read for a joke
