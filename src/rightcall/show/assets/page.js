// What every part of the page uses: elements made of text nodes, and data unpacked on demand.
const $ = (id) => document.getElementById(id);

// Text of models and datasets only ever becomes a text node: there is no innerHTML in this page.
function element(tag, properties, ...children) {
  const drawn = tag === "svg" || tag === "rect"; // the time of a case
  const made = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "onclick") made.addEventListener("click", value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    if (typeof child === "string" && /\S{300}/.test(child)) made.classList.add("solid"); // see show/case_elements.py
    made.append(child);
  }
  return made;
}

// Ids come as they are, because addresses are made of them; on the screen nothing in them may hide.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const visible = (value) =>
  value.replace(HIDDEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
const text = (value, kind) => element("span", { class: kind ? `text ${kind}` : "text" }, visible(value));

async function unpacked(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function duration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "–";
  if (milliseconds < 100) return `${Number(milliseconds.toPrecision(3))} ms`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(0)} ms`;
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

const dangerText = (sorts) => (sorts.length ? `DANGER ${sorts.join(", ")}` : "");
const danger = (sorts) => element("b", { class: "badge danger" }, dangerText(sorts));
const MARKS = { passed: "✓", failed: "✗", error: "!", unchecked: "?" };
const badge = (outcome) =>
  element("b", { class: `badge ${outcome}` }, `${MARKS[outcome]} ${outcome}`);

function chosenTheme() {
  try {
    return localStorage.getItem("rightcall-theme");
  } catch {
    return null; // a browser may refuse storage to files
  }
}

function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("rightcall-theme", next);
  } catch {
    // it is then forgotten when the page closes
  }
}

if (chosenTheme()) document.documentElement.dataset.theme = chosenTheme();
$("theme").addEventListener("click", toggleTheme);
$("help-button").addEventListener("click", () => $("help").showModal());
