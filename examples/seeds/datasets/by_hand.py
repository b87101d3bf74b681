"""A list of prompts and answers checked by hand: it runs, but nobody knows what a dataset was when it passed."""

from llm_app import your_llm_app

GOLDENS = [
    {"input": "What is your name?", "expected": "Ada"},
    {"input": "What can you do?", "expected": "questions"},
    {"input": "Who are you?", "expected": "Ada"},
]
passed = 0
for golden in GOLDENS:
    answer = your_llm_app(golden["input"])
    good = golden["expected"] in answer
    passed += good
    print("ok  " if good else "FAIL", golden["input"], "->", answer)
print(f"{passed}/{len(GOLDENS)}")
assert passed == 2
