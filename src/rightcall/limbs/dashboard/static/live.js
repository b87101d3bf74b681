// A run in progress: polls its progress, and loads a new list when there are more results.

import { load } from "./parts.js";

const EVERY = 1500, SLOWEST = 15000;

export function watchRun(document, start) {
  const place = document.querySelector("[data-live]");
  if (!place) return;
  let wait = EVERY, seen = place.dataset.seen;
  const again = () => setTimeout(look, document.hidden ? SLOWEST : wait);
  const look = async () => {
    try {
      const answer = await fetch(place.dataset.live, { headers: { accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const state = await answer.json();
      wait = EVERY;
      show(document, state);
      if (state.finished) { location.reload(); return; }
      if (state.seen !== seen) {
        seen = state.seen;
        await Promise.all([...document.querySelectorAll("[data-refresh]")].map((part) => refresh(part, start)));
      }
    } catch {
      wait = Math.min(SLOWEST, wait * 2); // the server may have been stopped; back off
    }
    again();
  };
  again();
}

function show(document, state) {
  for (const [name, text] of Object.entries(state.shown))
    for (const element of document.querySelectorAll(`[data-live-text="${name}"]`)) element.textContent = text;
  const bar = document.querySelector("progress[data-live-bar]");
  if (bar && state.planned) { bar.max = state.planned; bar.value = state.results; }
}

async function refresh(part, start) {
  part.dataset.part = part.dataset.refresh;
  const open = part.querySelector(".here a.row")?.getAttribute("href");
  await load(part, start);
  if (!open) return;
  const row = [...part.querySelectorAll("a.row")].find((link) => link.getAttribute("href") === open)?.closest("[data-row]");
  row?.classList.add("here");
}
