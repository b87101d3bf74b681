// Addresses inside the page, and keys.
function route() {
  const found = /^#\/case\/([^/]*)(?:\/(\d+))?$/.exec(location.hash);
  if (found) {
    let id;
    try {
      id = decodeURIComponent(found[1]);
    } catch {
      id = found[1];
    }
    return openCase(id, found[2] === undefined ? null : Number(found[2]));
  }
  const wasOpen = !$("case").hidden;
  opening += 1;
  $("case").hidden = true;
  $("case").replaceChildren();
  $("overview").hidden = false;
  if (wasOpen && selected >= 0) select(selected);
  return undefined;
}

function step(by) {
  if ($("case").hidden) return select(selected < 0 ? 0 : selected + by);
  const next = shown[selected + by];
  if (next) location.hash = link(next.first);
  return undefined;
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  t: toggleTheme,
  "/": () => { location.hash = "#cases"; $("search").focus(); },
  "?": () => $("help").showModal(),
  Escape: () => { if (!$("case").hidden) location.hash = "#/"; },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

addEventListener("hashchange", route);
loadCases().then(route).catch((problem) => {
  $("found").textContent = `The cases cannot be read: ${problem.message}. This report requires a browser from 2023 or later.`;
});
