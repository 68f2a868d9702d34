// The Execution Order: what runs at an instant where everything fires, by phase and
// priority, and the edits of it.

const phases = ["Acquisition", "Control", "Physics", "Validation", "Export"];

// h makes an element from a tag with classes, such as "li.name", properties if there are any, of
// which data goes to the dataset, and children.
export function h(tag, ...rest) {
  const [name, ...classes] = tag.split("."), e = document.createElement(name);
  e.className = classes.join(" ");
  if (rest[0]?.constructor === Object) {
    const { data, ...properties } = rest.shift();
    Object.assign(e, properties);
    Object.assign(e.dataset, data);
  }
  e.append(...rest);
  return e;
}

// button makes one with a text.
export const button = (text, onclick, properties = {}) => h("button", { type: "button", onclick, ...properties }, text);

// lock greys out a control that must not be used, with the reason, if there is one.
export function lock(control, reason) {
  control.dataset.title ??= control.title;
  control.disabled = Boolean(reason);
  control.title = reason || control.dataset.title;
  return control;
}

export class OrderEditor {
  // edit sends a list of edits; denied is why nothing may be edited, or "".
  constructor(parent, edit, denied) {
    Object.assign(this, { parent, edit, denied });
  }

  show(order) {
    const text = JSON.stringify([order, this.denied()]), active = document.activeElement;
    if (text === this.shown || this.busy()) return;
    this.shown = text;
    const focus = this.parent.contains(active) ? active.dataset.key : "";
    this.parent.replaceChildren(
      order.waiting ? h("p.note", { role: "status" }, "A change waits for the next beat.") : "",
      h("h3", "Runners"), h("ul.rows", ...order.runners.map((r) => this.runner(r))),
      ...phases.map((p, i) => this.phase(order, p, i)),
      h("p.hint", `All runners meet every ${order.beat} s, at the beat. `
        + "A changed rate takes effect there; all else at the next decision point."),
    );
    if (focus) this.parent.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  // restore shows the order again, after an edit that was refused.
  restore(order) {
    this.shown = "";
    this.show(order);
  }

  // busy reports whether someone is typing here.
  busy() {
    const a = document.activeElement;
    return a?.tagName === "INPUT" && a.type !== "checkbox" && this.parent.contains(a) && a.value !== a.defaultValue;
  }

  // send sends one edit, of a kind, of what has a name.
  send(kind, name, values) { this.edit([{ [kind]: { name, ...values } }]); }

  runner(r) {
    const { name } = r;
    const set = (rate) => this.send("set_rate", name, { rate });
    return h(r.enabled ? "li" : "li.off", this.toggle("runner", r), h("span.name", name),
      this.input(`rate/${name}`, r.rate, `rate of ${name} in Hz`, r.fixed.rate, set), h("span.unit", "Hz"),
      this.why(["rate", "toggle"], r));
  }

  phase(order, phase, i) {
    const bindings = order.bindings.filter((b) => b.phase === phase).map((b) => this.binding(order, b));
    return h(`section.phase.phase-${i}`, h("h3", `${i + 1}. ${phase}`),
      h("ul.rows", ...(bindings.length ? bindings : [h("li.empty", "nothing")])));
  }

  binding(order, b) {
    const { name } = b, set = (priority) => this.send("set_priority", name, { priority });
    const step = (by, sign, word) => this.lock(button(sign, () => set(b.priority + by), {
      className: "small", data: { key: `step${by}/${name}` }, ariaLabel: `${word} the priority of ${name}`,
    }), b.fixed.priority);
    const number = this.input(`priority/${name}`, String(b.priority), `priority of ${name}`, b.fixed.priority,
      (v) => set(Number(v)), "number");
    const where = this.select(`phase/${name}`, `phase of ${name}`, phases, b.phases, b.phase, b.fixed.phase,
      (to) => this.send("set_phase", name, { phase: to }));
    const runners = order.runners.map((r) => r.name), rebind = (to) => this.send("rebind", name, { runner: to });
    const whose = !b.runner ? ""
      : this.select(`runner-of/${name}`, `runner of ${name}`, runners, b.runners, b.runner, b.fixed.runner, rebind);
    const rate = h("span.unit", b.runner ? `${b.rate} Hz` : "at each beat");
    return h(b.fires ? "li" : "li.off", this.toggle("binding", b), h("span.name", name),
      h("span.priority", step(-1, "−", "lower"), number, step(1, "+", "raise")), h("span.place", where, whose, rate),
      this.why(["phase", "runner", "priority", "toggle"], b));
  }

  lock(control, reason) { return lock(control, this.denied() || reason); }

  // select offers choices, of which some can be made.
  select(key, label, choices, possible, now, reason, change) {
    const option = (c) => h("option", { value: c, selected: c === now, disabled: !possible.includes(c) }, c);
    const box = h("select", { ariaLabel: label, data: { key } }, ...choices.map(option));
    box.onchange = () => change(box.value);
    return this.lock(box, reason);
  }

  // toggle is the switch of a runner or a binding.
  toggle(kind, { name, enabled, fixed }) {
    const onchange = () => this.send("toggle_" + kind, name, { enabled: box.checked });
    const box = h("input.switch", {
      type: "checkbox", checked: enabled, ariaLabel: `run ${name}`, data: { key: `${kind}/${name}` }, onchange,
    });
    return this.lock(box, fixed.toggle);
  }

  input(key, value, label, reason, change, type = "text") {
    const box = h("input", { type, defaultValue: value, ariaLabel: label, autocomplete: "off", data: { key } });
    box.onkeydown = (e) => {
      if (e.key === "Escape") box.value = value;
      if (e.key === "Escape" || e.key === "Enter") box.blur();
    };
    box.onchange = () => {
      const v = box.value.trim();
      box.defaultValue = v;
      if (v && v !== value) change(v); else box.value = value;
    };
    return this.lock(box, reason);
  }

  // why explains what cannot be changed.
  why(list, of) {
    const fixed = list.filter((what) => of.fixed[what]), word = (what) => what.replace("toggle", "switch");
    if (!fixed.length || this.denied()) return "";
    return h("details.why", h("summary", fixed.map(word).join(", ") + " fixed"),
      ...fixed.map((what) => h("p", `${word(what)}: ${of.fixed[what]}`)));
  }
}
