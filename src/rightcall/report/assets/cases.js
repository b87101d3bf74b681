// The list of cases: searched and filtered in memory, shown a page at a time.
const PAGE = 100;
const ORDER = { failed: 0, error: 1, passed: 2 };
let cases = [];
let shown = [];
let page = 0;
let selected = -1;

const link = (found) => `#/case/${encodeURIComponent(found.id)}/${found.trial}`;

async function loadCases() {
  const rows = await unpacked("index");
  cases = rows.map(([id, trial, outcome, category, score, codes, latency, input, reason], place) => ({
    id, trial, outcome, category, score, codes, latency, input, reason, place,
    sought: `${id}\n${input}\n${reason}`.toLowerCase(),
  }));
  // Goldens by their worst trial, and the trials of a golden together.
  const worst = new Map();
  for (const found of cases) worst.set(found.id, Math.min(worst.get(found.id) ?? 2, ORDER[found.outcome]));
  cases.sort((a, b) => worst.get(a.id) - worst.get(b.id) || a.place - b.place);
  filterCases();
}

function filterCases() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const outcome = $("outcome").value, category = $("category").value, code = $("code").value;
  shown = cases.filter(
    (found) =>
      (!outcome || found.outcome === outcome) &&
      (!category || found.category === category) &&
      (!code || found.codes.includes(code)) &&
      words.every((word) => found.sought.includes(word)),
  );
  page = 0;
  selected = -1;
  showList();
}

function showList() {
  const first = page * PAGE;
  const some = shown.slice(first, first + PAGE);
  $("found").textContent = `${shown.length.toLocaleString("en")} of ${cases.length.toLocaleString("en")} cases`;
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

function listRow(found, at) {
  const trial = found.trial ? ` · trial ${found.trial}` : "";
  return element(
    "li", { class: at === selected ? "selected" : "", "data-at": at },
    element("a", { href: link(found) },
      element("span", { class: `mark ${found.outcome}`, title: found.outcome }, MARKS[found.outcome]),
      element("span", { class: "what" }, text(found.id, "id"), element("span", { class: "quiet" }, trial), " ", text(found.input)),
      found.reason && text(found.reason, "reason"),
      element("span", { class: "n quiet" }, `${found.category} · ${found.score.toFixed(2)} · ${duration(found.latency)}`)),
  );
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
