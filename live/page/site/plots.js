// Plots of the newest seconds: the values of channels at their own timestamps, with the
// beats marked.
import { uPlot } from "./libraries.js";
import { seconds } from "./clock.js";
import { h } from "./order.js";

const kept = 1500; // samples
const axes = ["x", "y", "z", "w"];

class Plot {
  constructor(parent, title, names, clocks) {
    this.data = [[], ...names.map(() => [])];
    this.ns = []; // exact, of each sample
    this.first = 0; // of the samples that are shown
    this.clocks = clocks;
    const style = getComputedStyle(document.documentElement), color = (n) => style.getPropertyValue(n).trim();
    this.title = title;
    this.caption = h("figcaption", title);
    this.holder = h("figure.plot", this.caption);
    parent.append(this.holder);
    const grid = { stroke: color("--line"), width: 1 };
    const axis = { stroke: color("--muted"), grid, ticks: { show: false }, font: "11px system-ui" };
    const time = (u, v, s, i) => this.ns[this.first + i] === undefined ? "–" : seconds(this.ns[this.first + i]);
    const value = (u, v) => v === null ? "–" : v.toPrecision(4);
    this.plot = new uPlot({
      width: 300, height: 150, padding: [8, 8, 0, 0],
      cursor: { drag: { x: false, y: false } },
      legend: { live: true },
      scales: { x: { time: false }, y: { range: (u, lo, hi) => range(lo, hi) } },
      axes: [{ ...axis, size: 26, values: (u, v) => v.map((t) => t.toFixed(1)) }, { ...axis, size: 48 }],
      series: [
        { label: "t (s)", value: time },
        ...names.map((label, i) => ({ label, stroke: color("--series-" + i % 6), width: 1.5, value })),
      ],
      hooks: { drawClear: [(u) => this.mark(u)] },
    }, this.data, this.holder);
    this.resize();
  }

  mark(u) {
    if (u.scales.x.min === null) return;
    const list = this.clocks.beats(u.scales.x.min * 1e9, u.scales.x.max * 1e9);
    if (list.length > u.bbox.width / devicePixelRatio / 5) return; // a grey wall says nothing
    u.ctx.save();
    u.ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent-soft");
    for (const t of list) u.ctx.fillRect(Math.round(u.valToPos(t / 1e9, "x", true)) - 1, u.bbox.top, 2, u.bbox.height);
    u.ctx.restore();
  }

  add(ns, values) {
    const last = this.ns[this.ns.length - 1];
    if (ns === last) return;
    if (ns < last) this.clear();
    this.ns.push(ns);
    this.data[0].push(ns / 1e9);
    values.forEach((v, i) => this.data[i + 1].push(v));
    if (this.ns.length > 2 * kept) for (const list of [this.ns, ...this.data]) list.splice(0, kept);
    this.fresh = true;
  }

  clear() {
    for (const list of [this.ns, ...this.data]) list.length = 0;
    this.fresh = true;
  }

  resize() {
    const width = this.holder.clientWidth;
    if (width > 0 && width !== this.width) {
      this.width = width;
      this.plot.setSize({ width, height: 150 });
      this.fresh = true;
    }
  }

  draw(span) {
    if (!this.fresh || !this.data[0].length) return;
    this.fresh = false;
    const x = this.data[0], to = x[x.length - 1];
    let i = 0;
    while (x[i] < to - span) i++;
    this.first = i;
    this.plot.setData(i ? this.data.map((list) => list.slice(i)) : this.data, false);
    this.plot.setScale("x", { min: Math.max(0, to - span), max: Math.max(to, span / 4) });
    if (this.plot.cursor.idx == null) this.plot.setLegend({ idx: x.length - 1 - i }, false); // the newest values
  }
}

function range(lo, hi) {
  if (lo === null) return [-1, 1];
  const pad = Math.max((hi - lo) * 0.08, 1e-3 + 1e-2 * Math.abs(hi));
  return [lo - pad, hi + pad];
}

// Plots are those of all channels of a world but pictures, of the reward and of the place of the first
// body.
export class Plots {
  constructor(parent, clocks) {
    this.parent = parent;
    this.clocks = clocks;
    this.plots = [];
    new ResizeObserver(() => this.plots.forEach((p) => p.resize())).observe(parent);
  }

  build(description) {
    this.parent.replaceChildren();
    this.plots = [];
    const add = (title, names, read) => {
      this.plots.push(Object.assign(new Plot(this.parent, title, names, this.clocks), { read }));
    };
    description.tracks.forEach(({ name, size, poseSize, picture }, t) => {
      if (picture) return; // see pictures.js
      let names = Array.from({ length: Math.min(size, 12) }, (_, i) => size <= 4 ? axes[i] : String(i));
      if (poseSize && size) names = axes.slice(0, poseSize === 7 ? 3 : 2); // the place of the first body
      const title = poseSize && size ? description.bodies[0].name + " (m)" : name.replace("channel/", "");
      add(title, names, (d, w) => [d.stamp(w, t), d.values(w, t).slice(0, names.length)]);
    });
    add("reward", ["reward"], (d, w) => {
      const { ns, reward } = d.frame.worlds[w];
      return [ns || -1, [reward]]; // at 0 it is that of the last step of the episode before
    });
    this.reward = this.plots.at(-1);
    const terms = description.infoNames.map((name, i) => [name, i]).filter(([name]) => name.startsWith("reward/"));
    if (!terms.length) return;
    add("terms of the reward", terms.map(([name]) => name.slice("reward/".length)), (d, w) => {
      const { ns, infos } = d.frame.worlds[w];
      return [ns || -1, terms.map(([, i]) => infos[i])];
    });
  }

  // ended says on the plot of the reward what the last step of the episode before gave, which no plot shows: the next
  // episode begins in the same frame.
  ended({ ns, reward, terminated, truncated }) {
    if (ns || !(terminated || truncated)) return;
    const how = terminated ? "terminated" : "truncated";
    this.reward.caption.textContent = `${this.reward.title} (the episode before ended with ${reward.toPrecision(4)}, ${how})`;
  }

  frame(decoder, world) {
    for (const p of this.plots) {
      const [ns, values] = p.read(decoder, world);
      if (ns >= 0) p.add(ns, [...values]);
    }
  }

  clear() {
    this.plots.forEach((p) => p.clear());
    if (this.reward) this.reward.caption.textContent = this.reward.title; // not of another world's episode
  }
  draw(span) { this.plots.forEach((p) => p.draw(span)); }
}
