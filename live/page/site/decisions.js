// The decisions of slow minds: what each was based on, what was replied, how long that took,
// and what became of it.
import { seconds } from "./clock.js";
import { element } from "./order.js";

// What is said of the state of a decision: the last event that is not a refusal.
const states = { asked: "waiting", applied: "applied", "timed out": "timed out", withdrawn: "withdrawn" };

export class Decisions {
  // get reads /live/v1/decisions, with a query.
  constructor(parent, get) {
    Object.assign(this, { parent, get, cards: new Map() });
    this.list = element("div", { className: "decisions" });
    this.note = element("p", { className: "hint", role: "status" });
    parent.replaceChildren(this.note, this.list);
  }

  build(description) {
    this.description = description;
    this.cards.clear();
    this.list.replaceChildren();
    this.why = null;
    this.show([]);
  }

  // show shows the newest traces, the newest last.
  show(traces) {
    for (const trace of traces) {
      const text = JSON.stringify(trace), card = this.cards.get(trace.id);
      if (card?.text === text) continue;
      const next = this.card(trace, card?.element.open);
      if (card) card.element.replaceWith(next); else this.list.prepend(next);
      this.cards.set(trace.id, { text, element: next });
    }
    const kept = new Set(traces.map((t) => t.id));
    for (const [id, card] of this.cards) {
      if (!kept.has(id)) { card.element.remove(); this.cards.delete(id); }
    }
    const waiting = traces.filter((t) => stateOf(t) === "waiting").length;
    this.note.textContent = !traces.length ? "No decision has been asked yet. One is when a boundary of the runner Planner comes while a client decides."
      : waiting ? `${waiting} of the newest ${traces.length} ${waiting === 1 ? "waits" : "wait"} for a reply; the world goes on.` : `The newest ${traces.length}; none waits for a reply.`;
  }

  // open shows one decision.
  open(id) {
    const card = this.cards.get(id)?.element;
    if (!card) return;
    card.open = true;
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("summary").focus();
  }

  card(trace, open) {
    const asked = trace.events[0], state = stateOf(trace), end = trace.events.findLast((e) => states[e.event]);
    const answered = trace.events.find((e) => e.event === "applied");
    const refused = trace.events.filter((e) => e.event === "refused");
    const head = element("summary", {},
      element("span", { className: `state ${state.replace(" ", "-")}`, textContent: state }),
      element("span", { className: "when", textContent: `asked at ${seconds(asked.ns)} s, step ${asked.n}` }),
      element("span", { className: "who", textContent: asked.client }),
      element("span", { className: "said", textContent: said(answered ?? refused.at(-1) ?? end) }));
    const card = element("details", { className: "decision", open: Boolean(open) }, head);
    card.dataset.id = trace.id;
    const fill = () => { if (card.open && !card.filled) { card.filled = true; this.fill(card, trace, answered); } };
    card.addEventListener("toggle", fill);
    fill();
    return card;
  }

  fill(card, trace, answered) {
    const asked = trace.events[0], facts = element("dl", { className: "facts" });
    const fact = (name, ...what) => facts.append(element("dt", { textContent: name }), element("dd", {}, ...what));
    fact("id", element("code", { textContent: trace.id }));
    if (answered) {
      fact("latency", `${seconds(answered.ns - asked.ns)} s of the world, ${answered.n - asked.n} steps, ${wall(answered.wall_ms)} of wall time`);
      fact("applied", `at step ${answered.n}, ${seconds(answered.ns)} s`);
    }
    const events = element("ol", { className: "events" });
    for (const e of trace.events) {
      events.append(element("li", { className: e.event.replace(" ", "-") },
        element("span", { className: "kind", textContent: e.event }),
        element("span", { className: "when", textContent: `step ${e.n} · ${seconds(e.ns)} s · ${wall(e.wall_ms)}` }),
        e.reason ? element("p", { textContent: e.reason }) : "",
        e.reply !== undefined ? reply(e.reply) : ""));
    }
    const seen = element("div", { className: "perception", textContent: "reading…" });
    card.append(facts, element("h3", { textContent: "What happened" }), events, element("h3", { textContent: "What it was based on" }), seen);
    this.get(`?id=${encodeURIComponent(trace.id)}`).then(
      (full) => seen.replaceChildren(...this.perception(full.perception ?? {})), (err) => { seen.textContent = err.message; });
  }

  perception({ observation = [], tracks = {} }) {
    const groups = [group("observation", observation, this.description.observationNames)];
    for (const [name, values] of Object.entries(tracks)) {
      const size = this.description.tracks.find((t) => t.name === name)?.poseSize;
      const of = size === 7 ? ["x", "y", "z", "qw", "qx", "qy", "qz"] : ["x", "z", "angle"];
      groups.push(group(name.replace("channel/", ""), values, size ? values.map((_, i) => `${this.description.bodies[Math.floor(i / size)]?.name} ${of[i % size]}`) : []));
    }
    return groups;
  }
}

function stateOf(trace) { return states[trace.events.findLast((e) => states[e.event])?.event] ?? "refused"; }

export const wall = (ms) => ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;

// said is the heart of an event, in one line.
export function said(e) {
  if (e.event === "refused") return `refused: ${e.reason}`;
  if (!e.reply) return e.reason ?? "";
  return e.reply.why ? `“${e.reply.why}”` : commands(e.reply).join("; ");
}

function commands(r) {
  const lines = Object.entries(r.commands ?? {}).map(([name, v]) =>
    v === null ? `${name}: the task chooses` : `${name}: ${Object.entries(v).map(([label, x]) => `${label} ${x}`).join(", ")}`);
  if (r.action) lines.push(`action: ${r.action.join(", ")}`);
  return lines;
}

function reply(r) {
  if (typeof r === "string") return element("pre", { textContent: r }); // it broke the schema
  const box = element("div", { className: "reply" }, ...commands(r).map((line) => element("p", { textContent: line })));
  if (r.why) box.append(element("p", { className: "why", textContent: `“${r.why}”` }));
  return box;
}

function group(name, values, names = []) {
  const rows = values.map((v, i) => element("tr", {}, element("th", { scope: "row", textContent: names[i] ?? String(i) }), element("td", { textContent: v === null ? "–" : String(v) })));
  return element("details", {}, element("summary", { textContent: `${name} · ${values.length}` }),
    element("div", { className: "scroll", tabIndex: 0 }, element("table", {}, element("tbody", {}, ...rows))));
}
