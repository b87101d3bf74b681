// One case: calls side by side, transcript, time, scores. Its data is unpacked when it is first opened.
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
  const view = await caseAt(found.place);
  if (turn !== opening) return; // another case, or the report, was requested meanwhile
  main.replaceChildren(...caseParts(view));
  document.title = `${visible(id).slice(0, 100)} · RightCall`;
  scrollTo(0, 0);
}

function caseParts(view) {
  return [caseHead(view), question(view), ...calls(view), ...transcript(view), ...time(view), scores(view)].filter(Boolean);
}

function caseHead(view) {
  const step = (by, word) => {
    const next = shown[selected + by];
    return selected >= 0 && next ? element("a", { href: link(next.first), rel: by > 0 ? "next" : "prev" }, word) : null;
  };
  return element("section", { class: "hero" },
    element("p", { class: "crumbs" }, element("a", { href: "#/" }, "← report"), element("span", { class: "spring" }), step(-1, "↑ before (k)"), step(1, "next (j) ↓")),
    element("h1", null, badge(view.outcome), " ", view.danger?.length > 0 && danger(view.danger), " ", text(view.golden_id)),
    element("p", { class: "facts" }, view.facts.map((fact) => element("span", null, visible(fact))),
      (view.tags || []).map((tag) => text(tag, "tag"))),
    trialTabs(view),
    view.reason && element("p", { class: "why text" }, view.reason));
}

function trialTabs(view) {
  const trials = trialsOf.get(view.golden_id) || [];
  if (trials.length < 2) return null;
  return element("nav", { class: "trials", "aria-label": "Trials" }, trials.map((one) =>
    element("a", { href: link(one), "aria-current": one.trial === view.trial && "page" }, `trial ${one.trial} `, one.danger.length ? danger(one.danger) : badge(one.outcome))));
}

function question(view) {
  return element("section", null, element("h2", null, "Input"), element("pre", { class: "text said" }, view.input),
    view.rules.length > 0 && element("dl", { class: "rules" }, view.rules.map(([name, said]) => [element("dt", null, name), element("dd", { class: "text" }, said)])));
}

function calls(view) {
  const heading = element("h2", null, "Expected and called");
  if (!view.calls.length) return [element("section", null, heading, element("p", { class: "quiet" }, "No call was expected, and none was made."))];
  return [element("section", null, heading, view.calls.map(callCard))];
}

function callCard(call) {
  const good = call.tone !== "bad";
  const wanted = call.expected_tool ? text(call.expected_tool, "tool") : element("i", null, "no call");
  const made = call.tool ? text(call.tool, "tool") : element("i", null, "no call");
  return element("article", { class: `call ${good ? "good" : "bad"}` },
    element("header", null, element("b", { class: `badge ${good ? "passed" : "failed"}` }, call.word),
      element("span", { class: "quiet" }, "expected "), wanted, element("span", { class: "quiet" }, " called "), made,
      call.latency_ms !== undefined && call.latency_ms !== null && element("span", { class: "quiet" }, duration(call.latency_ms))),
    (call.notes || []).map((note) => element("p", { class: "note text" }, note)),
    call.arguments.length > 0 && element("div", { class: "scroll" }, element("table", { class: "arguments" },
      element("thead", null, element("tr", null, ["argument", "expected", "called", ""].map((title) => element("th", null, title)))),
      element("tbody", null, call.arguments.map((row) => element("tr", { class: row.mark },
        element("th", { class: "text" }, row.name), value(row.expected), value(row.actual),
        element("td", { class: "sign" }, row.sign, row.note && element("small", { class: "text quiet" }, " ", row.note))))))),
    call.raw && element("pre", { class: "text" }, call.raw),
    call.output !== undefined && call.output !== null && element("details", { open: call.output.length < 400 },
      element("summary", null, call.status === "error" ? "failed with" : "result"), element("pre", { class: "text" }, call.output)));
}

const value = (shownValue) =>
  element("td", null, shownValue === null || shownValue === undefined ? element("span", { class: "quiet" }, "–") : element("pre", { class: "text" }, shownValue));

function transcript(view) {
  if (!view.messages.length) return [];
  return [element("section", null, element("h2", null, "Transcript"), element("ol", { class: "messages" }, view.messages.map((message) =>
    element("li", { class: `by-${message.role}` }, message.heading ? element("h3", null, message.heading) : null,
      element("b", null, message.role), message.failing ? element("b", { class: "badge failed" }, "first failing turn") : null,
      message.latency_ms ? element("span", { class: "quiet" }, ` ${duration(message.latency_ms)}`) : null,
      message.text && element("pre", { class: "text said" }, message.text),
      (message.parts || []).map(([title, body]) => element("div", { class: "part" }, text(title, "tool"), element("pre", { class: "text" }, body)))))))];
}

function time(view) {
  const end = Math.max(...view.timings.map((bar) => bar.start_ms + bar.duration_ms), 0);
  if (!(end > 0)) return [];
  return [element("section", null, element("h2", null, "Time"), element("div", { class: "waterfall" }, view.timings.map((bar) => {
    const line = element("span", { class: `piece ${bar.kind}${bar.estimated ? " estimated" : ""}` });
    line.style.marginLeft = `${(bar.start_ms / end) * 100}%`;
    line.style.width = `${Math.max(0.5, (bar.duration_ms / end) * 100)}%`;
    return element("div", { class: "row" }, text(bar.label, "label"), element("span", { class: "lane" }, line),
      element("span", { class: "n quiet" }, duration(bar.duration_ms) + (bar.estimated ? " (share)" : "")));
  })))];
}

function scores(view) {
  return element("section", null, element("h2", null, "Scores"), element("div", { class: "scroll" }, element("table", null,
    element("thead", null, element("tr", null, ["metric", "value", "", "why"].map((title) => element("th", null, title)))),
    element("tbody", null, view.scores.map((score) => element("tr", null, element("th", { class: "text" }, score.name + (score.judged ? " (judged)" : "")),
      element("td", { class: "n" }, score.error ? "–" : score.value.toFixed(3)),
      element("td", null, score.error ? "broke" : score.passed ? "✓" : "✗"),
      element("td", { class: "text why" }, score.error || (score.reason === view.reason ? "" : score.reason) || "")))))));
}
