// The whole dashboard by keyboard. Rows are links in [data-row]; the chosen one is focused, so Enter just works.

const GO = { r: "/runs", s: "/over-time", c: "/compare" };
let pending = "";

export function followKeys(document) {
  const help = document.querySelector("#keys");
  document.querySelector("[data-help]")?.addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (help.open) return;
    if (pending === "g") {
      pending = "";
      if (GO[event.key]) { event.preventDefault(); location.href = GO[event.key]; return; }
    }
    // A page's own button comes first: on a page of labels u is unsure, not up.
    const button = /^[a-z]$/.test(event.key) && document.querySelector(`[data-press=${event.key}]`);
    const action = button ? () => button.click() : actions(document, help)[event.key];
    if (action) { event.preventDefault(); action(); }
  });
}

const actions = (document, help) => ({
  j: () => move(document, 1),
  k: () => move(document, -1),
  x: () => current(document)?.querySelector("input[type=checkbox]")?.click(),
  c: () => document.querySelector("[data-key=c]:not(:disabled)")?.click(),
  o: () => current(document)?.querySelector("a.row")?.click(),
  u: () => [...document.querySelectorAll(".crumbs a")].at(-1)?.click(),
  t: () => document.querySelector("[data-key=t]")?.focus(),
  n: () => document.querySelector("[data-key=n]")?.focus(),
  "[": () => document.querySelector("[data-key=previous]")?.click(),
  "]": () => document.querySelector("[data-key=next]")?.click(),
  "/": () => document.querySelector("input[type=search]")?.select(),
  "?": () => help.showModal(),
  d: () => rightcallTheme.toggle(),
  g: () => { pending = "g"; setTimeout(() => { pending = ""; }, 1200); },
});

function move(document, step) {
  const rows = [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent !== null);
  if (!rows.length) return;
  const at = rows.indexOf(current(document));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  document.querySelectorAll(".here").forEach((row) => row.classList.remove("here"));
  rows[next].classList.add("here");
  rows[next].querySelector("a.row")?.focus({ preventScroll: true });
  rows[next].scrollIntoView({ block: "nearest" });
}

const current = (document) => document.querySelector("[data-row].here");

const typing = (element) => element.matches("textarea, select, input:not([type=checkbox])") || element.isContentEditable;
