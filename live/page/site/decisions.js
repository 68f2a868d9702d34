// The decisions of slow minds: what each was based on, what was replied, how long that took,
// and what became of it.
import { seconds } from "./clock.js";
import { h } from "./order.js";

// What is said of the state of a decision: the last event that is not a refusal.
const states = { asked: "waiting", applied: "applied", "timed out": "timed out", withdrawn: "withdrawn" };

export class Decisions {
  // get reads /live/v1/decisions, with a query.
  constructor(parent, get) {
    Object.assign(this, { parent, get, cards: new Map() });
    this.list = h("div.decisions");
    this.note = h("p.hint", { role: "status" });
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
    const waiting = traces.filter((t) => stateOf(t) === "waiting").length, all = `the newest ${traces.length}`;
    const wait = waiting ? `${waiting} of ${all} ${waiting === 1 ? "waits" : "wait"}` : `None of ${all} waits`;
    this.note.textContent = traces.length ? wait + " for a reply; the world goes on."
      : "No decision has been asked yet. One is when a boundary of the runner Planner comes while a client decides.";
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
    const refused = trace.events.findLast((e) => e.event === "refused");
    const card = h("details.decision", { open: Boolean(open), data: { id: trace.id } }, h("summary",
      h(`span.state.${state.replace(" ", "-")}`, state),
      h("span.when", `asked at ${seconds(asked.ns)} s, step ${asked.n}`),
      h("span.who", asked.client), h("span.said", said(answered ?? refused ?? end))));
    const fill = () => { if (card.open && !card.filled) { card.filled = true; this.fill(card, trace, answered); } };
    card.addEventListener("toggle", fill);
    fill();
    return card;
  }

  fill(card, trace, answered) {
    const asked = trace.events[0], facts = h("dl.facts");
    const fact = (name, what) => facts.append(h("dt", name), h("dd", what));
    fact("id", h("code", trace.id));
    if (answered) {
      const steps = `${seconds(answered.ns - asked.ns)} s of the world, ${answered.n - asked.n} steps`;
      fact("latency", `${steps}, ${wall(answered.wall_ms)} of wall time`);
      fact("applied", `at step ${answered.n}, ${seconds(answered.ns)} s`);
    }
    const events = trace.events.map((e) => h(`li.${e.event.replace(" ", "-")}`,
      h("span.kind", e.event), h("span.when", `step ${e.n} · ${seconds(e.ns)} s · ${wall(e.wall_ms)}`),
      e.reason ? h("p", e.reason) : "", e.reply !== undefined ? reply(e.reply) : ""));
    const seen = h("div.perception", "reading…");
    card.append(facts, h("h3", "What happened"), h("ol.events", ...events), h("h3", "What it was based on"), seen);
    this.get(`?id=${encodeURIComponent(trace.id)}`).then(
      (full) => seen.replaceChildren(...this.perception(full.perception ?? {})),
      (err) => { seen.textContent = err.message; });
  }

  perception({ observation = [], tracks = {} }) {
    const groups = [group("observation", observation, this.description.observationNames)];
    for (const [name, values] of Object.entries(tracks)) {
      const size = this.description.tracks.find((t) => t.name === name)?.poseSize;
      const of = size === 7 ? ["x", "y", "z", "qw", "qx", "qy", "qz"] : ["x", "z", "angle"];
      const label = (_, i) => `${this.description.bodies[Math.floor(i / size)]?.name} ${of[i % size]}`;
      groups.push(group(name.replace("channel/", ""), values, size ? values.map(label) : []));
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
  const values = (v) => v ? Object.entries(v).map(([label, x]) => `${label} ${x}`).join(", ") : "the task chooses";
  const lines = Object.entries(r.commands ?? {}).map(([name, v]) => `${name}: ${values(v)}`);
  if (r.action) lines.push(`action: ${r.action.join(", ")}`);
  return lines;
}

function reply(r) {
  if (typeof r === "string") return h("pre", r); // it broke the schema
  return h("div.reply", ...commands(r).map((line) => h("p", line)), r.why ? h("p.why", `“${r.why}”`) : "");
}

function group(name, values, names = []) {
  const row = (v, i) => h("tr", h("th", { scope: "row" }, names[i] ?? String(i)), h("td", String(v ?? "–")));
  return h("details", h("summary", `${name} · ${values.length}`),
    h("div.scroll", { tabIndex: 0 }, h("table", h("tbody", ...values.map(row)))));
}
