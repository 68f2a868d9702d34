// The panel that steers: sliders of the task's commands, or of the action where it has
// none, the strength of pushes, and a gamepad.
import { element } from "./order.js";

export class Steering {
  // submit sends an intent, push a push of a body along a vector in m; denied is why neither
  // may be done, or "".
  constructor(parent, submit, push, denied) {
    Object.assign(this, { parent, submit, push, denied, controls: [] });
    addEventListener("gamepadconnected", () => this.pad());
    addEventListener("gamepaddisconnected", () => this.pad());
  }

  build(description, world) {
    this.world = world;
    this.description = description;
    this.controls = [];
    this.commands = description.commands.map((c) => ({
      name: c.name, low: c.low, high: c.high, labels: c.valueNames, values: new Map(), sliders: [], // by world: the values that this page gave
    }));
    this.parent.replaceChildren();
    for (const c of this.commands) this.parent.append(this.command(c));
    if (!this.commands.length) this.parent.append(element("p", { className: "hint", textContent: "The task has no commands." }));
    if (description.actionSize) this.parent.append(this.action(description));
    if (description.bodies.some((b) => b.force || b.velocity)) this.parent.append(this.pushing(description));
    this.padNote = this.commands.length ? element("p", { className: "hint" }) : null;
    this.parent.append(this.padNote ?? "", element("details", { className: "keys" }, element("summary", { textContent: "Keys" }), keys()));
    this.pad();
    this.permit();
  }

  slider(label, low, high, value, change, digits = 2) {
    const min = Number.isFinite(low) ? low : -1, max = Number.isFinite(high) ? high : 1;
    const write = (v) => { shown.textContent = Number(v).toFixed(digits); };
    const shown = element("output");
    const input = element("input", { type: "range", min, max, step: digits ? "any" : 1, value, ariaLabel: label });
    input.oninput = () => { write(input.value); change(Number(input.value)); };
    input.set = (v) => { input.value = v; write(v); };
    write(value);
    this.controls.push(input);
    if (min === max) input.fixed = `it is always ${min}`;
    return [element("label", { className: "slider" }, element("span", { textContent: label }), input, shown), input];
  }

  command(c) {
    const box = element("fieldset", {}, element("legend", { textContent: c.name }));
    c.labels.forEach((label, i) => {
      const [row, input] = this.slider(label, c.low[i], c.high[i], Math.min(Math.max(0, c.low[i]), c.high[i]), () => this.give(c));
      input.dataset.command = `${c.name}/${label}`;
      c.sliders.push(input);
      box.append(row);
    });
    const zero = element("button", { type: "button", textContent: "Zero", onclick: () => { c.sliders.forEach((s, i) => s.set(Math.min(Math.max(0, c.low[i]), c.high[i]))); this.give(c); } });
    c.free = element("button", { type: "button", textContent: "Let the task choose", onclick: () => this.release(c) });
    this.controls.push(zero, c.free);
    c.status = element("span", { className: "hint" });
    box.append(element("div", { className: "buttons" }, zero, c.free, c.status));
    this.say(c);
    return box;
  }

  // give sends the values of the sliders, at most twenty times a second.
  give(c) {
    c.values.set(this.world(), c.sliders.map((s) => Number(s.value)));
    this.say(c);
    if (c.timer) return;
    c.timer = setTimeout(() => {
      c.timer = null;
      const values = c.values.get(this.world());
      if (values) this.submit("command", { world: this.world(), name: c.name, values });
    }, 50);
  }

  release(c) {
    clearTimeout(c.timer);
    c.timer = null;
    c.values.delete(this.world());
    this.say(c);
    this.submit("command", { world: this.world(), name: c.name, values: [] });
  }

  say(c) { c.status.textContent = c.values.has(this.world()) ? "given from here" : ""; }

  // show shows what was given to the world that is shown now.
  show() {
    for (const c of this.commands) {
      c.values.get(this.world())?.forEach((v, i) => c.sliders[i].set(v));
      this.say(c);
    }
  }

  // action is the panel to act instead of the policy.
  action(d) {
    const box = element("details", { className: "action" }, element("summary", { textContent: "Act instead of the policy" }));
    const on = element("input", { type: "checkbox", className: "switch", ariaLabel: "act instead of the policy" });
    this.acting = on;
    this.controls.push(on);
    on.onchange = () => { this.lastAction = 0; if (!on.checked) this.submit("action", { world: this.world(), values: [] }); };
    box.append(element("label", { className: "slider" }, element("span", { textContent: "take over" }), on));
    this.actions = [];
    if (d.choices) {
      const pick = element("select", { ariaLabel: "action" }, ...Array.from({ length: d.choices }, (_, i) => element("option", { value: i, textContent: d.actionNames[i] ?? `action ${i}` })));
      this.controls.push(pick);
      this.actions.push(pick);
      box.append(pick);
      return box;
    }
    for (let i = 0; i < d.actionSize; i++) {
      const low = d.actionLow[i] ?? -1, high = d.actionHigh[i] ?? 1;
      const [row, input] = this.slider(d.actionNames[i] ?? `action ${i}`, low, high, Math.min(Math.max(0, low), high), () => {});
      this.actions.push(input);
      box.append(row);
    }
    return box;
  }

  pushing(d) {
    const forces = d.bodies.some((b) => b.force);
    const [row, input] = forces ? this.slider("N per m of drag", 10, 500, 100, () => {}, 0) : this.slider("m/s per m of drag", 0.1, 2, 1, () => {});
    this.force = input;
    this.controls.pop(); // needs no role
    const body = element("select", { ariaLabel: "body to push" });
    d.bodies.forEach((b, i) => { if (b.force || b.velocity) body.append(element("option", { value: i, textContent: b.name })); });
    const axes = d.tracks[0]?.poseSize === 3 ? ["x", "z"] : ["x", "y", "z"];
    const buttons = axes.flatMap((axis) => [-1, 1].map((sign) => {
      const vector = { x: 0, y: 0, z: 0, [axis]: sign };
      return element("button", { type: "button", className: "small", textContent: (sign < 0 ? "−" : "+") + axis, ariaLabel: `push along ${sign < 0 ? "minus " : ""}${axis}`, onclick: () => this.push(Number(body.value), vector) });
    }));
    this.controls.push(body, ...buttons);
    return element("fieldset", {}, element("legend", { textContent: "push" }), row,
      element("p", { className: "hint", textContent: `Drag a body in the picture${forces ? ": the force lasts as long as the drag" : ""}. Or push by a button, as a drag of 1 m:` }),
      element("div", { className: "buttons" }, body, element("div", { className: "pushes" }, ...buttons)));
  }

  // strength is that of a push: N, or m/s where bodies have no forces, per metre of the drag.
  strength() { return Number(this.force?.value ?? 0); }

  // frame is called for each step, which takes periodMS of the wall clock unless paused: it
  // goes on with the action.
  frame(n, periodMS) {
    const every = Math.max(1, Math.round(100 / periodMS));
    if (this.acting?.checked && (!this.lastAction || n >= this.lastAction || n < this.lastAction - every)) {
      this.lastAction = n + every;
      this.submit("action", { world: this.world(), values: this.actions.map((a) => Number(a.value)), steps: 2 * every });
    }
  }

  // pad looks for a gamepad. While there is one, it is read with each picture of the browser,
  // whether the run steps or not.
  pad() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((p) => p);
    this.hasPad = Boolean(pad);
    if (pad && !this.reading) this.reading = requestAnimationFrame(() => this.keepReading());
    if (this.padNote) this.padNote.textContent = pad ? `Gamepad: ${pad.id}. The left stick gives the first two values of the first command, the right one the third.` : "A gamepad steers too: press one of its buttons.";
  }

  keepReading() {
    this.readPad();
    this.reading = this.hasPad ? requestAnimationFrame(() => this.keepReading()) : 0;
  }

  readPad() {
    const c = this.commands?.[0];
    if (!this.hasPad || !c || this.denied()) return;
    const pad = [...navigator.getGamepads()].find((p) => p);
    if (!pad) return;
    const dead = (v) => Math.abs(v ?? 0) < 0.12 ? 0 : v;
    const sticks = [-dead(pad.axes[1]), -dead(pad.axes[0]), -dead(pad.axes[2])];
    const text = sticks.join();
    if (text === (this.sticks ?? "0,0,0") || text.replaceAll("-0", "0") === (this.sticks ?? "0,0,0")) return;
    this.sticks = text.replaceAll("-0,", "0,").replace(/-0$/, "0");
    sticks.forEach((v, i) => {
      if (i < c.sliders.length) c.sliders[i].set(v >= 0 ? v * Math.max(0, c.high[i]) : -v * Math.min(0, c.low[i]));
    });
    this.give(c);
  }

  permit() {
    const no = this.denied();
    for (const c of this.controls) {
      c.disabled = Boolean(no || c.fixed);
      c.title = no || c.fixed || "";
    }
  }
}

function keys() {
  const list = element("dl");
  for (const [key, what] of [["Space", "pause, go on"], [".", "one step"], ["− =", "slower, faster"], ["R", "reset"], ["F", "follow the robot"], ["← →", "turn the view"], ["↑ ↓, Page ↑ ↓", "tilt and zoom, in the picture"], ["1 – 5", "panels"], ["Shift + drag", "move the view"]]) {
    list.append(element("dt", { textContent: key }), element("dd", { textContent: what }));
  }
  return list;
}
