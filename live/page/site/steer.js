// The panel that steers: sliders of the task's commands, or of the action where it has
// none, the strength of pushes, and a gamepad.
import { button, h, lock } from "./order.js";

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
      ...c, sliders: [], given: new Map(), // by world: the values that this page gave
      rest: c.low.map((low, i) => within(0, low, c.high[i])),
    }));
    this.padNote = this.commands.length ? h("p.hint") : "";
    this.parent.replaceChildren(
      ...this.commands.map((c) => this.command(c)),
      this.commands.length ? "" : h("p.hint", "The task has no commands."),
      description.actionSize ? this.action(description) : "",
      description.bodies.some((b) => b.force || b.velocity) ? this.pushing(description) : "",
      this.labelling(), this.padNote, h("details.keys", h("summary", "Keys"), keys()));
    this.pad();
    this.permit();
  }

  slider(label, low, high, value, change, digits = 2) {
    const min = Number.isFinite(low) ? low : -1, max = Number.isFinite(high) ? high : 1;
    const write = (v) => { shown.textContent = Number(v).toFixed(digits); };
    const shown = h("output");
    const input = h("input", { type: "range", min, max, step: digits ? "any" : 1, value, ariaLabel: label });
    input.oninput = () => { write(input.value); change(Number(input.value)); };
    input.set = (v) => { input.value = v; write(v); };
    write(value);
    this.controls.push(input);
    let why = "";
    if (min === max) {
      input.fixed = `always ${min}: the configuration gives it the range ${min} to ${max}`;
      why = h("span.hint.why", input.fixed); // a finger sees no title
    }
    return [h("label.slider", h("span", label), input, shown, why), input];
  }

  command(c) {
    const rows = c.valueNames.map((label, i) => {
      const [row, input] = this.slider(label, c.low[i], c.high[i], c.rest[i], () => this.give(c));
      input.dataset.command = `${c.name}/${label}`;
      c.sliders.push(input);
      return row;
    });
    const zero = button("Zero", () => { c.sliders.forEach((s, i) => s.set(c.rest[i])); this.give(c); });
    const free = button("Let the task choose", () => this.release(c));
    this.controls.push(zero, free);
    c.status = h("span.hint");
    this.say(c);
    return h("fieldset", h("legend", c.name), ...rows, h("div.buttons", zero, free, c.status));
  }

  // give sends the values of the sliders, at most twenty times a second.
  give(c) {
    c.given.set(this.world(), c.sliders.map((s) => Number(s.value)));
    this.say(c);
    if (c.timer) return;
    c.timer = setTimeout(() => {
      c.timer = null;
      const values = c.given.get(this.world());
      if (values) this.submit("command", { world: this.world(), name: c.name, values });
    }, 50);
  }

  release(c) {
    clearTimeout(c.timer);
    c.timer = null;
    c.given.delete(this.world());
    this.say(c);
    this.submit("command", { world: this.world(), name: c.name, values: [] });
  }

  say(c) { c.status.textContent = c.given.has(this.world()) ? "given from here" : ""; }

  // show shows what was given to the world that is shown now.
  show() {
    for (const c of this.commands) {
      c.given.get(this.world())?.forEach((v, i) => c.sliders[i].set(v));
      this.say(c);
    }
  }

  // action is the panel to act instead of the policy.
  action(d) {
    const on = h("input.switch", { type: "checkbox", ariaLabel: "act instead of the policy" });
    this.acting = on;
    this.controls.push(on);
    on.onchange = () => {
      this.lastAction = 0;
      if (!on.checked) this.submit("action", { world: this.world(), values: [] });
    };
    const name = (i) => d.actionNames[i] ?? `action ${i}`, rows = [];
    this.actions = [];
    if (d.choices) {
      rows.push(h("select", { ariaLabel: "action" },
        ...Array.from({ length: d.choices }, (_, i) => h("option", { value: i }, name(i)))));
      this.controls.push(rows[0]);
      this.actions.push(rows[0]);
    }
    for (let i = 0; i < d.actionSize && !d.choices; i++) {
      const low = d.actionLow[i] ?? -1, high = d.actionHigh[i] ?? 1;
      const [row, input] = this.slider(name(i), low, high, within(0, low, high), () => {});
      this.actions.push(input);
      rows.push(row);
    }
    const switched = h("label.slider", h("span", "take over"), on);
    return h("details.action", h("summary", "Act instead of the policy"), switched, ...rows);
  }

  pushing(d) {
    const forces = d.bodies.some((b) => b.force);
    const unit = forces ? "N per m of drag" : "m/s per m of drag";
    const [low, high, at] = forces ? [10, 500, 100] : [0.1, 2, 1];
    const [row, input] = this.slider(unit, low, high, at, () => {}, forces ? 0 : 2);
    this.force = input;
    this.controls.pop(); // needs no role
    const bodies = d.bodies.map((b, i) => b.force || b.velocity ? h("option", { value: i }, b.name) : "");
    const body = h("select", { ariaLabel: "body to push" }, ...bodies);
    const axes = d.tracks[0]?.poseSize === 3 ? ["x", "z"] : ["x", "y", "z"];
    const buttons = axes.flatMap((axis) => [["−", -1, "minus "], ["+", 1, ""]].map(([sign, along, word]) => {
      const act = () => this.push(Number(body.value), { x: 0, y: 0, z: 0, [axis]: along });
      return button(sign + axis, act, { className: "small", ariaLabel: `push along ${word}${axis}` });
    }));
    this.controls.push(body, ...buttons);
    const lasts = forces ? ": the force lasts as long as the drag" : "";
    return h("fieldset", h("legend", "push"), row,
      h("p.hint", `Drag a body in the picture${lasts}. Or push by a button, as a drag of 1 m:`),
      h("div.buttons", body, h("div.pushes", ...buttons)));
  }

  // labelling is the panel to say what the episode is about, and whether it has succeeded.
  labelling() {
    const task = h("input", { type: "text", maxLength: 200, placeholder: "what the robot is to do", ariaLabel: "task" });
    const say = (what) => this.submit("label", { world: this.world(), ...what });
    const told = () => { if (task.value.trim()) say({ task: task.value.trim() }); };
    task.onkeydown = (e) => { if (e.key === "Enter") told(); };
    const buttons = [button("From now on", told), button("Succeeded", () => say({ success: true })),
      button("Failed", () => say({ success: false }))];
    this.controls.push(task, ...buttons);
    return h("fieldset", h("legend", "label"), task,
      h("p.hint", "For the dataset that train replay --record makes of the run."), h("div.buttons.labels", ...buttons));
  }

  // strength is that of a push: N, or m/s where bodies have no forces, per metre of the drag.
  strength() { return Number(this.force?.value ?? 0); }

  // frame is called for each step, which takes periodMS of the wall clock unless paused: it
  // goes on with the action.
  frame(n, periodMS) {
    const every = Math.max(1, Math.round(100 / periodMS)), last = this.lastAction;
    if (!this.acting?.checked || last && n < last && n >= last - every) return;
    this.lastAction = n + every;
    this.submit("action", { world: this.world(), values: this.actions.map((a) => Number(a.value)), steps: 2 * every });
  }

  // pad looks for a gamepad. While there is one, it is read with each picture of the browser,
  // whether the run steps or not.
  pad() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((p) => p);
    this.hasPad = Boolean(pad);
    if (pad && !this.reading) this.reading = requestAnimationFrame(() => this.keepReading());
    if (!this.padNote) return;
    this.padNote.textContent = "A gamepad steers too: press one of its buttons.";
    if (pad) {
      this.padNote.textContent = `Gamepad: ${pad.id}. `
        + "The left stick gives the first two values of the first command, the right one the third.";
    }
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
    const sticks = [1, 0, 2].map((axis) => -dead(pad.axes[axis]) || 0), text = sticks.join();
    if (text === (this.sticks ?? "0,0,0")) return;
    this.sticks = text;
    sticks.forEach((v, i) => {
      if (i < c.sliders.length) c.sliders[i].set(v >= 0 ? v * Math.max(0, c.high[i]) : -v * Math.min(0, c.low[i]));
    });
    this.give(c);
  }

  permit() {
    const no = this.denied();
    for (const c of this.controls) lock(c, no || c.fixed);
  }
}

const within = (v, low, high) => Math.min(Math.max(v, low), high);

function keys() {
  const all = {
    Space: "pause, go on", ".": "one step", "− =": "slower, faster", R: "reset", F: "follow the robot",
    "← →": "turn the view", "↑ ↓, Page ↑ ↓": "tilt and zoom, in the picture", "1 – 5": "panels",
    "Shift + drag": "move the view",
  };
  return h("dl", ...Object.entries(all).flatMap(([key, what]) => [h("dt", key), h("dd", what)]));
}
