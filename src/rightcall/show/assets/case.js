// One case, unpacked when it is first opened.
const PER_PIECE = 50;
const pieces = new Map();

async function caseAt(place) {
  const number = Math.floor(place / PER_PIECE);
  if (!pieces.has(number)) {
    if (pieces.size > 4) pieces.clear();
    pieces.set(number, await unpacked(`piece-${number}`));
  }
  return pieces.get(number)[place % PER_PIECE];
}

let opening = 0;

async function openCase(id, trial) {
  const trials = trialsOf.get(id) || [];
  const worst = trials.reduce((a, b) => (a && rank(a) <= rank(b) ? a : b), null);
  const found = trial === null ? worst : trials.find((one) => one.trial === trial);
  const turn = ++opening;
  const main = $("case");
  $("overview").hidden = true;
  main.hidden = false;
  if (!found) {
    main.replaceChildren(element("p", null, "This report has no such case. ", element("a", { href: "#/" }, "Back")));
    return;
  }
  selected = shown.findIndex((golden) => golden.trials.includes(found));
  const parts = (await caseAt(found.place)).map(built);
  if (turn !== opening) return; // another case, or the report, was requested meanwhile
  parts[0].prepend(crumbs());
  parts[0].querySelector(".facts").after(trialTabs(found) || "");
  main.replaceChildren(...parts);
  document.title = `${visible(id).slice(0, 100)} · RightCall`;
  scrollTo(0, 0);
}

// A case comes as [tag, class or attributes, child, …], drawn by show/case_elements.py; its texts become text nodes.
const built = ([tag, attributes, ...children]) =>
  element(tag, typeof attributes === "string" ? { class: attributes || null } : attributes,
    ...children.map((child) => (typeof child === "string" ? child : built(child))));

function crumbs() {
  const step = (by, word) => {
    const next = shown[selected + by];
    return selected >= 0 && next ? element("a", { href: link(next.first), rel: by > 0 ? "next" : "prev" }, word) : null;
  };
  return element("p", { class: "crumbs" }, element("a", { href: "#/" }, "← report"), element("span", { class: "spring" }), step(-1, "↑ before (k)"), step(1, "next (j) ↓"));
}

function trialTabs(found) {
  const trials = trialsOf.get(found.id) || [];
  if (trials.length < 2) return null;
  return element("nav", { class: "trials", "aria-label": "Trials" }, trials.map((one) =>
    element("a", { href: link(one), "aria-current": one === found && "page" }, `trial ${one.trial} `, one.danger.length ? danger(one.danger) : badge(one.outcome))));
}
