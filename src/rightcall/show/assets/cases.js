// The list of goldens, each with its trials: searched and filtered in memory, shown a page at a time.
const PAGE = 15;
const ORDER = { failed: 0, error: 1, passed: 2, unchecked: 3 };
let cases = [];
let goldens = [];
let shown = [];
const trialsOf = new Map();
let page = 0;
let selected = -1;

// A dangerous trial stands for its golden, whatever the others did.
const rank = (found) => (found.danger.length ? -1 : ORDER[found.outcome]);

const link = (found) => `#/case/${encodeURIComponent(found.id)}/${found.trial}`;

async function loadCases() {
  const { columns, rows } = await unpacked("index");
  cases = rows.map((values, place) => {
    const found = Object.fromEntries(columns.map((name, at) => [name, values[at]]));
    return { ...found, place, sought: `${found.id}\n${found.input}\n${found.reason}\n${dangerText(found.danger)}`.toLowerCase() };
  });
  for (const found of cases) {
    if (!trialsOf.has(found.id)) trialsOf.set(found.id, []);
    trialsOf.get(found.id).push(found);
  }
  goldens = [...trialsOf.values()].map(goldenOf)
    .sort((a, b) => !a.danger.length - !b.danger.length || a.worst - b.worst || a.place - b.place);
  filterCases();
}

// All trials of a golden as one row: its worst trial decides where it stands and why.
function goldenOf(trials) {
  const worst = Math.min(...trials.map((trial) => ORDER[trial.outcome]));
  const judged = trials.filter((trial) => trial.outcome === "passed" || trial.outcome === "failed");
  const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null);
  return {
    trials, worst, judged: judged.length, place: trials[0].place,
    danger: [...new Set(trials.flatMap((trial) => trial.danger))],
    passed: judged.filter((trial) => trial.outcome === "passed").length,
    score: mean((judged.length ? judged : trials).map((trial) => trial.score).filter((value) => value !== null)),
    latency: mean((judged.length ? judged : trials).map((trial) => trial.latency).filter((value) => value !== null)),
  };
}

function filterCases() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const outcome = $("outcome").value, category = $("category").value, code = $("code").value;
  const fits = (found) =>
    (!outcome || found.outcome === outcome) &&
    (!category || found.category === category) &&
    (!code || found.codes.includes(code)) &&
    words.every((word) => found.sought.includes(word));
  shown = goldens.flatMap((golden) => {
    const fitting = golden.trials.filter(fits);
    if (!fitting.length) return [];
    const first = fitting.reduce((a, b) => (rank(b) < rank(a) ? b : a));
    return [{ ...golden, first }];
  });
  page = 0;
  selected = -1;
  showList();
}

function showList() {
  const first = page * PAGE;
  const some = shown.slice(first, first + PAGE);
  const several = cases.length > goldens.length;
  $("found").textContent = `${shown.length.toLocaleString("en")} of ${goldens.length.toLocaleString("en")} ${several ? `goldens, ${cases.length.toLocaleString("en")} trials in all` : "cases"}`;
  $("list").replaceChildren(...some.map((found, at) => listRow(found, first + at)));
  const pages = Math.ceil(shown.length / PAGE);
  $("pages").replaceChildren();
  if (pages > 1) {
    const turn = (by) => () => { page += by; selected = -1; showList(); $("cases").scrollIntoView(); };
    $("pages").append(
      element("button", { type: "button", disabled: page === 0, onclick: turn(-1) }, "← before"),
      ` page ${page + 1} of ${pages} `,
      element("button", { type: "button", disabled: page + 1 >= pages, onclick: turn(1) }, "after →"),
    );
  }
}

function listRow(golden, at) {
  const found = golden.first;
  const outcome = ["failed", "error", "passed", "unchecked"][golden.worst];
  const mark = golden.trials.length === 1
    ? element("span", { class: `mark ${outcome}`, title: outcome }, MARKS[outcome])
    : element("span", { class: `mark ${outcome}`, title: `${golden.passed} of ${golden.judged} trials passed` }, `${golden.passed}/${golden.judged}`);
  return element(
    "li", { class: at === selected ? "selected" : "", "data-at": at },
    element("a", { href: link(found) },
      mark,
      element("span", { class: "what" }, text(found.id, "id"), " ", text(found.input)),
      golden.danger.length > 0 && danger(golden.danger),
      found.reason && text(failedTrials(golden) + found.reason, "reason"),
      element("span", { class: "n" }, `${found.category} · ${golden.score === null ? "–" : golden.score.toFixed(2)} · ${duration(golden.latency)}`)),
  );
}

function failedTrials(golden) {
  const failed = golden.judged - golden.passed;
  return golden.trials.length > 1 && failed ? `${failed} of ${golden.trials.length} trials failed: ` : "";
}

function select(at) {
  if (!shown.length) return;
  selected = Math.max(0, Math.min(shown.length - 1, at));
  page = Math.floor(selected / PAGE);
  showList();
  const row = $("list").querySelector(".selected");
  row.querySelector("a").focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

for (const id of ["outcome", "category", "code"]) $(id).addEventListener("change", filterCases);
$("search").addEventListener("input", filterCases);
$("filters").addEventListener("submit", (event) => { event.preventDefault(); select(0); });
