// The page: connects the server, the picture, the panels and the keys.
import { Connection } from "./connection.js";
import { View } from "./scene.js";
import { Clocks, Timeline, seconds } from "./clock.js";
import { Plots } from "./plots.js";
import { Pictures } from "./pictures.js";
import { OrderEditor, button, h, lock } from "./order.js";
import { Steering } from "./steer.js";
import { Decisions, said } from "./decisions.js";

const $ = (id) => document.getElementById(id);
const rank = { watch: 0, steer: 1, operate: 2 };
const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];
const dark = matchMedia("(prefers-color-scheme: dark)");

const state = {
  live: false, role: "", description: null, frame: null, order: null, world: 0, speed: 1, arrived: 0, period: 20,
  step: 20, ns: 0, episode: -1, applied: 0, frames: 0,
};

// denied is why the session may not do what a role may, or "".
function denied(role) {
  if (!state.live) return "not connected";
  return rank[state.role] >= rank[role] ? "" : `needs the role ${role}: this session has ${state.role}`;
}

const mayPush = (body) => denied("steer") === "" && pushable(state.description.bodies[body]);
const view = new View($("view"), { push, mayPush });
const timeline = new Timeline($("timeline"));
const clocks = new Clocks();
const plots = new Plots($("plots"), clocks);
const pictures = new Pictures($("pictures"));
const edit = (edits) => submit("edit", { edits: JSON.stringify(edits) });
const editor = new OrderEditor($("order"), edit, () => denied("operate"));
const steering = new Steering($("steer"), submit, sendPush, () => denied("steer"));
const decisions = new Decisions($("decisions"), (query) => connection.get("decisions" + query));
const connection = new Connection({ welcome, frame, ack, state: connected });
window.polyrhythm = { state, view, connection, clocks, plots, pictures }; // for the console

const pushable = (b) => b.force || b.velocity;

function submit(kind, value) {
  if (!connection.submit(kind, value)) say("not connected, so nothing was sent");
}

//------------------------------ The server ---------------------------------------------------------

function connected(what, reason = "", wait = 0) {
  state.live = what === "live";
  $("state").textContent = { connecting: "connecting…", live: "live", lost: "lost", refused: "refused" }[what];
  $("state").className = "chip " + what;
  const banner = $("banner");
  if (what === "lost") {
    banner.hidden = false;
    banner.textContent = `The server cannot be reached${reason ? ` (${reason})` : ""}. `
      + `What you see is old. Trying again in ${wait.toFixed(1)} s.`;
  } else if (what === "live") {
    banner.hidden = true;
  } else if (what === "refused") {
    $("ask-why").textContent = reason;
    if (!$("ask").open) $("ask").showModal();
  }
  permit();
}

$("ask").addEventListener("close", () => connection.use($("token").value.trim()));

let built = "";
async function welcome(w) {
  const d = w.description;
  state.role = w.role;
  state.client = w.client;
  $("task").textContent = d.task;
  document.title = `${d.task} · Polyrhythm`;
  $("role").hidden = false;
  $("role").textContent = `${w.client} · ${w.role}`;
  const same = JSON.stringify(d);
  permit();
  refresh();
  if (same === built) return;
  built = same;
  state.description = d;
  Object.assign(state, { world: 0, frame: null, episode: -1, scene: false }); // of another run
  $("world-label").hidden = d.worlds < 2;
  $("world").replaceChildren(...Array.from({ length: d.worlds }, (_, i) => h("option", { value: i }, i)));
  steering.build(d, () => state.world);
  plots.build(d);
  pictures.build(d);
  decisions.build(d);
  $("tab-decisions").hidden = !d.replySchema;
  if (!d.replySchema && !$("decisions").hidden) choose(tabs[0]);
  permit();
  readDecisions();
  try {
    const [scene, data] = await Promise.all([connection.get("scene"), connection.get("meshes")]);
    view.build(scene.shapes, scene.meshes, data, d.bodies, d.tracks[0]?.poseSize ?? 0);
    state.scene = true;
    ground();
    if (state.frame) show(0);
  } catch (err) {
    built = "";
    say(err.message);
  }
}

function frame(f, decoder) {
  const now = performance.now(), gap = now - state.arrived;
  state.arrived = now;
  state.frames++;
  if (gap < 500) state.period += 0.1 * (gap - state.period);
  const steps = state.frame ? f.n - state.frame.n : 0, stepped = steps !== 0;
  state.frame = f;
  state.decoder = decoder;
  if (f.speed) state.speed = f.speed; // it has changed
  for (const a of f.applied) applied(a, f);
  if (f.decisions.length) readDecisions();
  const world = f.worlds[state.world];
  const began = world.episode !== state.episode;
  if (began) {
    state.episode = world.episode;
    plots.clear();
    plots.ended(world);
    clocks.restart();
    view.letGo();
    ground();
    refresh();
  }
  const taken = Number(world.ns) - state.ns;
  state.ns = Number(world.ns);
  if (steps > 0 && taken > 0 && !began) state.step = taken / 1e6 / steps;
  if (stepped || began) {
    plots.frame(decoder, state.world);
    steering.frame(f.n, state.step / state.speed);
    pushOn(f.n);
  }
  if (state.scene) show(began || f.paused ? Math.min(60, began ? 0 : 60) : Math.min(100, 1.15 * state.period));
  if (f.paused !== state.paused) {
    state.paused = f.paused;
    permit();
  }
}

// ground reads that of the episode, in two dimensions.
async function ground() {
  if (view.size !== 3 || !state.scene) return;
  try {
    view.setGround(await connection.get(`ground?world=${state.world}`) ?? []);
  } catch (err) {
    say(err.message);
  }
}

// show moves the picture to the newest frame within some ms.
function show(ms) {
  if (state.decoder.tracks[0]?.poseSize) view.pose(state.decoder.values(state.world, 0), ms);
}

function applied(a, f) {
  state.applied = a.number;
  if (a.kind === "edit" || a.kind === "reset") setTimeout(refresh, 50);
  const line = h(a.error ? "li.bad" : "li", h("span.number", `#${a.number}`), h("span.kind", a.kind),
    h("span.who", a.client), h("span.when", `step ${f.n}`));
  if (a.error) {
    line.append(h("p", a.error));
    if (a.client === state.client) say(`${a.kind}: ${a.error}`);
    if (a.kind === "edit") editor.restore(state.order);
  }
  if (a.decision) {
    const open = () => { choose($("tab-decisions")); decisions.open(a.decision); };
    line.append(button(`decision ${a.decision}`, open, { className: "link" }));
  }
  const feed = $("feed");
  feed.prepend(line);
  if (feed.children.length > 200) feed.lastChild.remove();
}

function ack(a, kind) {
  if (!a.error) return;
  say(`${kind ?? "intent"}: ${a.error}`);
  if (kind === "edit") editor.restore(state.order);
}

// refresh reads what the server has beside the frames.
async function refresh() {
  if (!state.live) return;
  try {
    const [order, who] = await Promise.all([connection.get("order"), connection.get("clients")]);
    state.order = order;
    if (!order.waiting || !clocks.now) clocks.take(order); // what the world follows now
    if (order.waiting) setTimeout(refresh, 100);
    editor.show(order);
    $("clients").replaceChildren(...who.clients.map((c) => h("li",
      h("span.name", c.client + (c.client === state.client ? " (this page)" : "")), h("span.runner", c.role))));
  } catch (err) {
    if (state.live) say(err.message);
  }
}
setInterval(refresh, 1000);

// readDecisions reads the traces of the newest decisions, at most four times a second.
let reading;
function readDecisions() {
  if (!state.description.replySchema || reading) return;
  reading = setTimeout(async () => {
    reading = null;
    try {
      const { decisions: traces } = await connection.get("decisions");
      decisions.show(traces);
      state.decisions = traces;
      const own = traces.filter((t) => t.world === state.world).flatMap((t) => t.events);
      const last = own.findLast((e) => e.event === "applied");
      $("why").textContent = last ? said(last) : "";
    } catch (err) {
      if (state.live) say(err.message);
    }
  }, 250);
}

//------------------------------ What one can do ----------------------------------------------------

let spoken;
function say(text) {
  const banner = $("banner");
  if (!state.live && !banner.hidden) return;
  banner.hidden = false;
  banner.textContent = text;
  clearTimeout(spoken);
  spoken = setTimeout(() => { if (state.live) banner.hidden = true; }, 6000);
}

// permit greys out what the role or the state of the run does not allow.
function permit() {
  const no = denied("operate");
  for (const id of ["pause", "speed", "reset"]) lock($(id), no);
  lock($("step"), no || (state.paused ? "" : "the run is not paused"));
  $("pause").textContent = state.paused ? "Go on" : "Pause";
  steering.permit();
  if (state.order) editor.show(state.order);
}

const pause = () => submit("pause", { paused: !state.paused });
const step = () => submit("step", { count: 1 });
const reset = () => submit("reset", state.description.worlds > 1 ? { world: state.world } : {});
$("pause").onclick = pause;
$("step").onclick = step;
$("reset").onclick = reset;
$("speed").append(...speeds.map((s) => h("option", { value: s, selected: s === 1 }, s + " ×")));
$("speed").onchange = () => setSpeed(Number($("speed").value));
$("follow").onclick = () => view.setFollow(!view.follow);
view.onfollow = (on) => $("follow").setAttribute("aria-pressed", on);
$("world").onchange = () => {
  state.world = Number($("world").value);
  state.episode = state.frame.worlds[state.world].episode;
  plots.clear();
  steering.show();
  ground();
  if (state.decisions) readDecisions();
  show(0);
};

function setSpeed(factor) {
  state.speed = factor;
  submit("speed", { factor });
}

// A push lasts as long as the drag: every few steps it is sent again, under the same id, so that
// it replaces what is left of the last one.
const pushEvery = 5, pushSteps = 10;
let dragged = null, drags = 0;
function push(drag, vector) {
  $("tip").classList.add("known");
  if (state.paused) sendPush(drag.body, vector, drag.id ??= ++drags); // no step comes that would have sent it
  else if (drag.id && state.description.bodies[drag.body].force) submit("push", pushOf(drag.body, drag.id)); // its end
}

function pushOn(n) {
  const d = view.drag;
  if (!d || (dragged && n < dragged && n >= dragged - pushEvery)) return;
  dragged = n + pushEvery;
  sendPush(d.body, view.pulled(), d.id ??= ++drags);
}

const pushOf = (body, id) => ({ world: state.world, body: state.description.bodies[body].name, id });

function sendPush(index, v, id = 0) {
  if (Math.hypot(v.x, v.y, v.z) < 0.01) return;
  const vector = (view.size === 3 ? [v.x, v.z, 0] : [v.x, v.y, v.z]).map((x) => x * steering.strength());
  const { force } = state.description.bodies[index];
  submit("push", { ...pushOf(index, id), ...(force ? { force: vector, steps: pushSteps } : { velocity: vector }) });
}

//------------------------------ Tabs and keys ------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];
function choose(tab, focus = false) {
  for (const t of tabs) {
    const on = t === tab;
    t.setAttribute("aria-selected", on);
    t.tabIndex = on ? 0 : -1;
    $(t.getAttribute("aria-controls")).hidden = !on;
  }
  if (focus) tab.focus();
}
tabs.forEach((t) => {
  t.onclick = () => choose(t);
  t.onkeydown = (e) => {
    const shown = tabs.filter((t) => !t.hidden), at = shown.indexOf(t);
    const end = shown.length - 1;
    const to = { ArrowRight: at < end ? at + 1 : 0, ArrowLeft: at ? at - 1 : end, Home: 0, End: end }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    choose(shown[to], true);
  };
});

document.addEventListener("keydown", (e) => {
  const { tagName: tag, type } = e.target, sliding = type === "range", ticking = type === "checkbox";
  const typing = /^(SELECT|TEXTAREA)$/.test(tag) || tag === "INPUT" && !sliding && !ticking;
  const pressing = e.key === " " && (/^(BUTTON|SUMMARY)$/.test(tag) || ticking);
  const moving = sliding && /^(Arrow|Page|Home|End)/.test(e.key);
  if (typing || pressing || moving || e.ctrlKey || e.metaKey || e.altKey || $("ask").open) return;
  const faster = (by) => {
    const i = speeds.findIndex((s) => s >= state.speed);
    setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, (i < 0 ? speeds.length - 1 : i) + by))]);
  };
  const unless = (id, act) => () => { if (!$(id).disabled) act(); };
  const keys = {
    " ": unless("pause", pause), ".": unless("step", step), r: unless("reset", reset),
    "-": unless("speed", () => faster(-1)), "=": unless("speed", () => faster(1)), f: $("follow").onclick,
    ArrowLeft: () => view.controls.rotateLeft(-0.1), ArrowRight: () => view.controls.rotateLeft(0.1),
  };
  if (e.target === $("view")) {
    Object.assign(keys, {
      ArrowUp: () => view.controls.rotateUp(0.1), ArrowDown: () => view.controls.rotateUp(-0.1),
      PageUp: () => view.controls.dollyIn(0.85), PageDown: () => view.controls.dollyOut(0.85),
    });
  }
  tabs.forEach((t, i) => { if (!t.hidden) keys[i + 1] = () => choose(t); });
  if (e.target.getAttribute("role") === "tab" && e.key.startsWith("Arrow")) return;
  const act = keys[e.key] ?? keys[e.key.toLowerCase()];
  if (act) {
    e.preventDefault();
    act();
  }
});

//------------------------------ Drawing ------------------------------------------------------------

let drawn = 0;
function draw(now) {
  requestAnimationFrame(draw);
  if (now - drawn < 45 || !state.frame) return; // text and plots need no more
  drawn = now;
  const world = state.frame.worlds[state.world];
  $("time").textContent = `${seconds(world.ns)} s`;
  $("episode").textContent = `episode ${world.episode} · step ${state.frame.n}${state.paused ? " · paused" : ""}`;
  if (document.activeElement !== $("speed")) {
    const listed = speeds.includes(state.speed);
    let other = $("speed").querySelector("[data-other]");
    if (!listed && !other) $("speed").append(other = h("option"));
    if (!listed) { other.dataset.other = ""; other.value = state.speed; other.textContent = state.speed + " ×"; }
    $("speed").value = state.speed;
  }
  pictures.draw(state.decoder, state.world);
  timeline.draw(clocks, world.ns, state.paused);
  if (!$("plots").hidden) plots.draw(10);
}
requestAnimationFrame(draw);

dark.addEventListener("change", () => {
  view.theme(dark.matches);
  if (state.description) plots.build(state.description);
});
view.theme(dark.matches);
