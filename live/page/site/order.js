// The Execution Order: what runs at an instant where everything fires, by phase and
// priority, and the edits of it.

const phases = ["Acquisition", "Control", "Physics", "Validation", "Export"];

// element makes an element with properties and children.
export function element(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

export class OrderEditor {
  // edit sends a list of edits; denied is why nothing may be edited, or "".
  constructor(parent, edit, denied) {
    Object.assign(this, { parent, edit, denied });
  }

  show(order) {
    const text = JSON.stringify([order, this.denied()]);
    if (text === this.shown || this.busy()) return;
    this.shown = text;
    const focus = document.activeElement?.closest?.("#order")?.contains(document.activeElement) ? document.activeElement.dataset.key : "";
    this.parent.replaceChildren(
      order.waiting ? element("p", { className: "note", role: "status", textContent: "A change waits for the next beat." }) : "",
      element("h3", { textContent: "Runners" }), this.runners(order),
      ...phases.map((p, i) => this.phase(order, p, i)),
      element("p", { className: "hint", textContent: `All runners meet every ${order.beat} s, at the beat. A changed rate takes effect there; all else at the next decision point.` }),
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

  runners(order) {
    const list = element("ul", { className: "rows" });
    for (const r of order.runners) {
      const rate = this.input(`rate/${r.name}`, r.rate, `rate of ${r.name} in Hz`, r.fixed_rate, (v) => this.edit([{ set_rate: { name: r.name, rate: v } }]));
      list.append(element("li", { className: r.enabled ? "" : "off" },
        this.toggle(`runner/${r.name}`, r.enabled, `run ${r.name}`, r.fixed_toggle, (on) => this.edit([{ toggle_runner: { name: r.name, enabled: on } }])),
        element("span", { className: "name", textContent: r.name }), rate, element("span", { className: "unit", textContent: "Hz" }), this.why([["rate", r.fixed_rate], ["switch", r.fixed_toggle]])));
    }
    return list;
  }

  phase(order, phase, i) {
    const list = element("ul", { className: "rows" });
    for (const b of order.bindings.filter((b) => b.phase === phase)) {
      const set = (priority) => this.edit([{ set_priority: { name: b.name, priority } }]);
      const priority = this.input(`priority/${b.name}`, String(b.priority), `priority of ${b.name}`, b.fixed_priority, (v) => set(Number(v)), "number");
      const where = this.select(`phase/${b.name}`, `phase of ${b.name}`, phases, b.phases, phase, b.fixed_phase, (to) => this.edit([{ set_phase: { name: b.name, phase: to } }]));
      const runner = b.runner ? this.select(`runner-of/${b.name}`, `runner of ${b.name}`, order.runners.map((r) => r.name), b.runners, b.runner, b.fixed_runner, (to) => this.edit([{ rebind: { name: b.name, runner: to } }])) : "";
      const step = (by, sign) => {
        const button = element("button", { type: "button", className: "small", textContent: sign, ariaLabel: `${by < 0 ? "lower" : "raise"} the priority of ${b.name}`, onclick: () => set(b.priority + by) });
        button.dataset.key = `step${by}/${b.name}`;
        return this.lock(button, b.fixed_priority);
      };
      list.append(element("li", { className: b.fires ? "" : "off" },
        this.toggle(`binding/${b.name}`, b.enabled, `run ${b.name}`, b.fixed_toggle, (on) => this.edit([{ toggle_binding: { name: b.name, enabled: on } }])),
        element("span", { className: "name", textContent: b.name }),
        element("span", { className: "priority" }, step(-1, "−"), priority, step(1, "+")),
        element("span", { className: "place" }, where, runner, element("span", { className: "unit", textContent: b.runner ? `${b.rate} Hz` : "at each beat" })),
        this.why([["phase", b.fixed_phase], ["runner", b.fixed_runner], ["priority", b.fixed_priority], ["switch", b.fixed_toggle]])));
    }
    if (!list.children.length) list.append(element("li", { className: "empty", textContent: "nothing" }));
    return element("section", { className: `phase phase-${i}` }, element("h3", { textContent: `${i + 1}. ${phase}` }), list);
  }

  // lock greys out a control that must not be used, with the reason.
  lock(control, reason) {
    const why = this.denied() || reason;
    control.disabled = Boolean(why);
    if (why) control.title = why;
    return control;
  }

  // select offers choices, of which some can be made.
  select(key, label, choices, possible, now, reason, change) {
    const box = element("select", { ariaLabel: label });
    box.dataset.key = key;
    for (const c of choices) box.append(element("option", { value: c, textContent: c, selected: c === now, disabled: !possible.includes(c) }));
    box.onchange = () => change(box.value);
    return this.lock(box, reason);
  }

  toggle(key, on, label, reason, change) {
    const box = element("input", { type: "checkbox", className: "switch", checked: on, ariaLabel: label });
    box.dataset.key = key;
    box.onchange = () => change(box.checked);
    return this.lock(box, reason);
  }

  input(key, value, label, reason, change, type = "text") {
    const box = element("input", { type, defaultValue: value, ariaLabel: label, autocomplete: "off" });
    box.dataset.key = key;
    box.onkeydown = (e) => {
      if (e.key === "Escape") { box.value = value; box.blur(); }
      if (e.key === "Enter") box.blur();
    };
    box.onchange = () => {
      const v = box.value.trim();
      box.defaultValue = v;
      if (v && v !== value) change(v); else box.value = value;
    };
    return this.lock(box, reason);
  }

  // why explains what cannot be changed.
  why(list) {
    const reasons = list.filter(([, reason]) => reason);
    if (!reasons.length || this.denied()) return "";
    const details = element("details", { className: "why" }, element("summary", { textContent: reasons.map(([what]) => what).join(", ") + " fixed" }));
    for (const [what, reason] of reasons) details.append(element("p", { textContent: `${what}: ${reason}` }));
    return details;
  }
}
