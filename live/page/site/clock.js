// Exact times of the clock of a world: boundaries and beats as the server has them, in whole
// nanoseconds.

const second = 1000000000n;

// Fraction reads "30000/1001" or "500".
function fraction(text) {
  const [num, den = "1"] = text.split("/");
  return { num: BigInt(num), den: BigInt(den) };
}

// times returns the timestamps in ns, as numbers, of the boundaries anchor + k·den/num s
// after the time from up to the time to, but at most limit, the newest.
function times(anchorNS, num, den, from, to, limit) {
  const anchor = BigInt(anchorNS), out = [];
  if (num <= 0n || to < anchorNS) return out;
  const last = ((BigInt(Math.floor(to)) - anchor + 1n) * num - 1n) / (den * second);
  for (let k = last; k >= 0n && out.length < limit; k--) {
    const ns = Number(anchor + k * den * second / num);
    if (ns <= from) break;
    out.push(ns);
  }
  return out.reverse();
}

// beats returns those of an order in a span of time.
export function beats(order, from, to, limit = 400) {
  const { num, den } = fraction(order.beat); // seconds
  return times(order.anchor_ns, den, num, from, to, limit);
}

// boundaries returns those of a runner, by its name: none while it is disabled.
export function boundaries(order, name, from, to, limit = 2000) {
  const runner = order.runners.find((r) => r.name === name);
  if (!runner?.enabled) return [];
  const { num, den } = rate(runner.rate);
  return times(order.anchor_ns, num, den, from, to, limit);
}

// Clocks are the orders that a world has followed in its episode, each from its anchor on.
export class Clocks {
  list = [];

  get now() { return this.list[this.list.length - 1]; }

  // take takes the order that the world follows now.
  take(order) {
    const last = this.now;
    if (last && order.anchor_ns < last.anchor_ns) this.list = [];
    if (last?.anchor_ns === order.anchor_ns) this.list.pop();
    this.list.push(order);
    if (this.list.length > 20) this.list.shift();
  }

  // restart is called as an episode begins: it has the newest order from its time 0.
  restart() { if (this.now) this.list = [{ ...this.now, anchor_ns: 0 }]; }

  #all(from, to, of) {
    const out = [];
    this.list.forEach((order, i) => {
      const next = this.list[i + 1]?.anchor_ns ?? Infinity;
      if (next <= from || order.anchor_ns > to) return;
      out.push(...of(order, Math.max(from, order.anchor_ns - 1), Math.min(to, next - 1)));
    });
    return out;
  }

  beats(from, to) { return this.#all(from, to, (o, a, b) => beats(o, a, b)); }
  boundaries(name, from, to) { return this.#all(from, to, (o, a, b) => boundaries(o, name, a, b)); }
}

// seconds writes a time in ns exactly, with three digits or more.
export function seconds(ns) {
  const s = Math.floor(ns / 1e9), digits = String(ns - s * 1e9).padStart(9, "0").replace(/0{1,6}$/, "");
  return `${s}.${digits}`;
}

// rate reads a rate in Hz: "50", "200/3" or "29.97".
function rate(text) {
  const [, whole, digits] = text.match(/^(\d+)\.(\d+)$/) ?? [];
  if (digits) return { num: BigInt(whole + digits), den: 10n ** BigInt(digits.length) };
  return fraction(text);
}

// seconds of a beat, as a number.
export function beatSeconds(order) {
  const { num, den } = fraction(order.beat);
  return Number(num) / Number(den);
}

// Timeline draws the boundaries of each runner and the beats up to now.
export class Timeline {
  constructor(canvas) {
    this.canvas = canvas;
    new ResizeObserver(() => { this.last = -1; }).observe(canvas);
  }

  draw(clocks, ns, paused) {
    const { clientWidth: w, clientHeight: h } = this.canvas, scale = window.devicePixelRatio || 1, order = clocks.now;
    if (!w || !h || !order || (ns === this.last && order === this.order && paused === this.paused)) return;
    Object.assign(this, { last: ns, order, paused });
    if (this.canvas.width !== Math.round(w * scale) || this.canvas.height !== Math.round(h * scale)) {
      this.canvas.width = Math.round(w * scale);
      this.canvas.height = Math.round(h * scale);
    }
    const g = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name);
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, w, h);
    const window_ = Math.min(2e9, Math.max(2.5 * beatSeconds(order) * 1e9, 2e8)), left = w < 500 ? 58 : 84;
    const x = (t) => left + (t - ns + window_) / window_ * (w - left - 10);
    const rows = order.runners, step = (h - 16) / Math.max(1, rows.length);
    g.font = "11px ui-sans-serif, system-ui, sans-serif";
    g.textBaseline = "middle";
    const beat = clocks.beats(ns - window_, ns);
    g.fillStyle = color("--accent-soft");
    for (const t of beat) g.fillRect(x(t) - 3, 2, 6, h - 16);
    rows.forEach((r, i) => {
      const y = 2 + step * (i + 0.5);
      g.fillStyle = color("--muted");
      g.fillText(r.enabled ? r.name : r.name + " (off)", 10, y, left - 16);
      g.strokeStyle = color("--line");
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(left, y);
      g.lineTo(w - 10, y);
      g.stroke();
      const list = clocks.boundaries(r.name, ns - window_, ns), dense = list.length > (w - left) / 5;
      g.fillStyle = color("--series-" + (i % 6));
      const half = Math.min(6, step / 2 - 1);
      for (const t of list) g.fillRect(x(t) - (dense ? 0.5 : 1), y - half, dense ? 1 : 2, 2 * half);
    });
    g.fillStyle = color("--accent");
    g.textBaseline = "alphabetic";
    for (const t of beat) {
      g.fillRect(x(t) - 0.75, 2, 1.5, h - 16);
      const label = (t / 1e9).toFixed(2);
      if (w / (beat.length + 1) > 46) g.fillText(label, Math.min(x(t) - 10, w - 34), h - 3);
    }
    g.fillStyle = color(paused ? "--warn" : "--text");
    g.fillRect(w - 10, 0, 1.5, h - 14);
  }
}
