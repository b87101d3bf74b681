#!/usr/bin/env bash
# One pull request after the other, in a git repository made for it: bash story.sh [FOLDER]
# Needs git and rightcall; no key, no network.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$(mktemp -d)}"
mkdir -p "$folder" && cd "$folder"
cp "$here"/{suite.yaml,tools.json,goldens.jsonl} .
git init -q -b main . && git config user.name shop && git config user.email shop@example.com
printf '.rightcall/\ncheck.*\ncodequality.json\n' > .gitignore

tell() { printf '\n== %s\n' "$*"; }
change() { git switch -q main && git switch -qc "$1" && python3 - "$2" "$3" "$4" <<'PY'
import sys
from pathlib import Path
file, old, new = sys.argv[1:]
text = Path(file).read_text()
assert old in text
Path(file).write_text(text.replace(old, new))
PY
}
check() { rc=0; echo "\$ rightcall check suite.yaml $*"; rightcall check suite.yaml "$@" || rc=$?; echo "exit code $rc"; git add -A; git commit -q --allow-empty -m change; }

tell "main: every golden three times; the answers are recorded, the run is the baseline"
git add -A && git commit -qm shop
rightcall run suite.yaml --save-baseline .rightcall/main.baseline.jsonl.gz
git add -A && git commit -qm recordings

tell "a README: nothing that reaches the model"
git switch -qc readme && echo "# Shop" > README.md && check

tell "a good change: track_shipment says it more clearly"
change good tools.json "where the parcel is now and when it will arrive" "where its parcel is now, and on which day it will arrive"
check --plan
check -o check.md

tell "a bad change: refund_order loses its description"
change bad tools.json "Refund an order: give the customer the money back after it was delivered." "Handles cases."
check -o check.md -o check.json -o check.xml -o check.sarif -o codequality.json

tell "a change of the prompt: it reaches every golden, a sample stands for them"
change prompt suite.yaml "Answer with one tool call." "Be brief, and answer with one tool call."
check

tell "a pull request from a fork: no key, so recordings and lint only"
rm -rf .rightcall/checks
check --record replay
