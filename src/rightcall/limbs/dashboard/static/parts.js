// Parts of a page that are slow to compute: requested once the page has loaded.
// They are HTML of our own templates, escaped there; the page's policy runs no inline script anyway.

export function loadParts(document, start) {
  for (const place of document.querySelectorAll("[data-part]")) load(place, start);
}

export async function load(place, start) {
  try {
    const answer = await fetch(place.dataset.part, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...parsed.body.childNodes);
    place.removeAttribute("aria-busy");
    start(place);
  } catch (error) {
    const told = document.createElement("p");
    told.className = "none";
    told.textContent = `Could not load this part: ${error.message}.`;
    place.replaceChildren(told);
  }
}
