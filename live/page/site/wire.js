// The messages of live/wire/live.proto, and the decoder of frames, which does what
// live.Decoder does in Go.

// Fields by name: number, type, and the schema of a message. A type with a star is a list.
const Command = { name: [1, "string"], valueNames: [2, "string*"], low: [3, "double*"], high: [4, "double*"] };
const Body = { name: [1, "string"], force: [2, "bool"], velocity: [3, "bool"] };
const Track = { name: [1, "string"], size: [2, "int"], resolution: [3, "double"], stamped: [4, "bool"], poseSize: [5, "int"] };
const Description = {
  version: [1, "string"], task: [2, "string"], worlds: [3, "int"], actionSize: [4, "int"], actionLow: [5, "double*"],
  actionHigh: [6, "double*"], actionNames: [7, "string*"], choices: [8, "int"], commands: [9, "message*", Command],
  bodies: [10, "message*", Body], tracks: [11, "message*", Track], configuration: [12, "string"], replySchema: [13, "string"],
  observationNames: [14, "string*"],
};
const Join = { name: [1, "string"], session: [2, "bytes"], after: [3, "int"] };
export const Hello = { token: [1, "string"], join: [2, "message", Join] };
const Welcome = { session: [1, "bytes"], client: [2, "string"], role: [3, "string"], description: [4, "message", Description] };
const Values = { steps: [1, "sint*"], bits: [2, "bits*"], motion: [3, "sint*"], ageNs: [4, "int?"] };
const World = {
  episode: [1, "int"], ns: [2, "int"], terminated: [3, "bool"], truncated: [4, "bool"], reward: [5, "float"],
  tracks: [6, "message*", Values],
};
const Applied = { number: [1, "int"], client: [2, "string"], kind: [3, "string"], error: [4, "string"], decision: [5, "string"] };
const DecisionEvent = { id: [1, "string"], event: [2, "string"], client: [3, "string"], reason: [4, "string"] };
const Frame = {
  n: [1, "int"], key: [2, "bool"], worlds: [3, "message*", World], applied: [4, "message*", Applied], paused: [5, "bool"],
  speed: [6, "double"], number: [7, "int"], decisions: [8, "message*", DecisionEvent],
};
const Gap = { missed: [1, "int"] };
const Ack = { id: [1, "int"], number: [2, "int"], error: [3, "string"] };
export const Update = { welcome: [1, "message?", Welcome], frame: [2, "message?", Frame], gap: [3, "message?", Gap], ack: [4, "message?", Ack] };
export const Intent = {
  id: [1, "int"],
  action: [3, "message?", { world: [1, "int"], values: [2, "float*"], steps: [3, "int"] }],
  command: [4, "message?", { world: [1, "int"], name: [2, "string"], values: [3, "double*"] }],
  push: [5, "message?", {
    world: [1, "int"], body: [2, "string"], force: [3, "double*"], torque: [4, "double*"], velocity: [5, "double*"], steps: [6, "int"],
  }],
  reset: [6, "message?", { world: [1, "int?"], seed: [2, "int?"] }],
  pause: [7, "message?", { paused: [1, "bool"] }],
  speed: [8, "message?", { factor: [1, "double"] }],
  step: [9, "message?", { count: [1, "int"] }],
  edit: [10, "message?", { edits: [1, "string"] }],
};

const utf8 = new TextDecoder(), toUTF8 = new TextEncoder();
const zero = { int: 0, bool: false, double: 0, float: 0, string: "", bytes: new Uint8Array(0) };
const byNumber = new Map(); // schema → fields by number

function fieldsOf(schema) {
  let list = byNumber.get(schema);
  if (!list) {
    list = [];
    for (const [name, [number, type, sub]] of Object.entries(schema)) {
      list[number] = { name, kind: type.replace(/[*?]/, ""), many: type.endsWith("*"), optional: type.endsWith("?"), sub };
    }
    byNumber.set(schema, list);
  }
  return list;
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.low = this.high = 0; // of the varint read last
  }

  varint() {
    let low = 0, high = 0;
    for (let shift = 0; ; shift += 7) {
      if (this.at >= this.bytes.length || shift > 63) throw new Error("a number is cut off");
      const b = this.bytes[this.at++], v = b & 127;
      if (shift < 28) low |= v << shift;
      else if (shift === 28) { low |= v << 28; high |= v >> 4; }
      else high |= v << (shift - 32);
      if (b < 128) break;
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
  }

  int() { this.varint(); return (this.high | 0) * 4294967296 + this.low; }
  bool() { this.varint(); return this.low !== 0 || this.high !== 0; }
  sint() {
    this.varint();
    const half = this.high * 2147483648 + (this.low >>> 1);
    return this.low & 1 ? -half - 1 : half;
  }
  double() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
  float() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  bytesOf() {
    const n = this.int();
    if (n < 0 || this.at + n > this.bytes.length) throw new Error("a message is cut off");
    this.at += n;
    return this.bytes.subarray(this.at - n, this.at);
  }
  skip(type) {
    if (type === 0) this.varint();
    else if (type === 1) this.at += 8;
    else if (type === 2) this.bytesOf();
    else if (type === 5) this.at += 4;
    else throw new Error("a field has the unknown type " + type);
  }
}

function one(r, f) {
  switch (f.kind) {
    case "string": return utf8.decode(r.bytesOf());
    case "bytes": return r.bytesOf().slice();
    case "message": return decode(f.sub, r.bytesOf());
    case "bits": r.varint(); return [r.low, r.high];
    default: return r[f.kind]();
  }
}

// decode reads a message. Fields that are missing have their zero value; optional ones and
// those of a oneof are undefined.
export function decode(schema, bytes) {
  const fields = fieldsOf(schema), m = {}, r = new Reader(bytes);
  for (const f of fields) {
    if (f) m[f.name] = f.many ? [] : f.optional ? undefined : f.kind === "message" ? decode(f.sub, zero.bytes) : zero[f.kind];
  }
  while (r.at < bytes.length) {
    const tag = r.int(), f = fields[Math.floor(tag / 8)], type = tag & 7;
    if (!f) r.skip(type);
    else if (f.many && type === 2 && f.kind !== "string" && f.kind !== "bytes" && f.kind !== "message") {
      const inner = new Reader(r.bytesOf());
      while (inner.at < inner.bytes.length) m[f.name].push(one(inner, f));
    } else if (f.many) m[f.name].push(one(r, f));
    else m[f.name] = one(r, f);
  }
  return m;
}

class Writer {
  constructor() { this.out = []; }
  varint(v) {
    for (; v >= 128; v = Math.floor(v / 128)) this.out.push(v % 128 | 128);
    this.out.push(v);
  }
  raw(bytes) { for (const b of bytes) this.out.push(b); }
  block(bytes) { this.varint(bytes.length); this.raw(bytes); }
  number(kind, v) {
    const view = new DataView(new ArrayBuffer(kind === "double" ? 8 : 4));
    if (kind === "double") view.setFloat64(0, v, true); else view.setFloat32(0, v, true);
    this.raw(new Uint8Array(view.buffer));
  }
}

const wireType = { int: 0, bool: 0, double: 1, float: 5, string: 2, bytes: 2, message: 2 };

// encode writes a message. Integers must not be negative.
export function encode(schema, m) {
  const w = new Writer();
  fieldsOf(schema).forEach((f, number) => {
    const given = m[f.name];
    if (given === undefined || !f.many && !f.optional && f.kind !== "message" && (given === zero[f.kind] || given.length === 0)) return;
    for (const v of f.many ? given : [given]) {
      w.varint(number * 8 + wireType[f.kind]);
      switch (f.kind) {
        case "int": case "bool": w.varint(Number(v)); break;
        case "string": w.block(toUTF8.encode(v)); break;
        case "bytes": w.block(v); break;
        case "message": w.block(encode(f.sub, v)); break;
        default: w.number(f.kind, v);
      }
    }
  });
  return new Uint8Array(w.out);
}

const swap = (v) => ((v & 255) << 24 | (v & 65280) << 8 | v >>> 8 & 65280 | v >>> 24) >>> 0;
const bigEnd = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

// Decoder follows the updates of a server.
export class Decoder {
  welcome = null;
  frame = null; // newest
  missed = 0;

  // update takes an encoded update and returns it decoded.
  update(bytes) {
    const u = decode(Update, bytes);
    if (u.welcome) this.#begin(u.welcome);
    else if (u.gap) { this.missed += u.gap.missed; this.lost = true; }
    else if (u.frame) this.#take(u.frame);
    return u;
  }

  #begin(welcome) {
    const tracks = welcome.description.tracks;
    this.welcome = welcome;
    const same = this.worlds && JSON.stringify(tracks) === this.shape && this.worlds.length === welcome.description.worlds;
    this.shape = JSON.stringify(tracks);
    this.tracks = tracks;
    if (same) return;
    this.frame = null;
    this.worlds = Array.from({ length: welcome.description.worlds }, () => tracks.map((t) => ({
      last: new Float64Array(t.size), motion: new Float64Array(t.size), words: new Uint32Array(t.resolution ? 0 : 2 * t.size),
    })));
  }

  #take(frame) {
    if (!this.welcome) throw new Error("a frame came before the welcome");
    if (!frame.key && (!this.frame || this.lost || frame.number !== this.frame.number + 1)) {
      throw new Error(`frame ${frame.number} is a difference from one that is missing`);
    }
    if (frame.worlds.length !== this.worlds.length) throw new Error(`frame ${frame.number} has ${frame.worlds.length} worlds`);
    frame.worlds.forEach((world, w) => world.tracks.forEach((values, t) => {
      const state = this.worlds[w][t];
      if (frame.key) { state.last.fill(0); state.motion.fill(0); state.words.fill(0); }
      if (this.tracks[t].resolution) difference(values, state, frame.key);
      else exact(values, state);
    }));
    this.frame = frame;
    this.lost = false;
  }

  // values returns those of a track of a world.
  values(world, track) {
    const { resolution } = this.tracks[track], { last, words } = this.worlds[world][track];
    return resolution ? last.map((k) => k * resolution) : new Float64Array(words.slice().buffer);
  }

  // stamp is the time of a track of a world in ns since the episode began; −1 for a channel
  // that still has the value of the reset.
  stamp(world, track) {
    const w = this.frame.worlds[world];
    if (!this.tracks[track].stamped) return w.ns;
    const age = w.tracks[track].ageNs;
    return age === undefined ? -1 : w.ns - age;
  }
}

function difference(values, { last, motion }, key) {
  for (let j = 0; j < last.length; j++) {
    const before = last[j];
    last[j] = before + motion[j] + (values.steps[j] ?? 0);
    motion[j] = last[j] - before;
  }
  if (key) {
    motion.fill(0);
    motion.set(values.motion);
  }
}

function exact(values, { words }) {
  values.bits.forEach(([low, high], j) => {
    words[2 * j + (bigEnd ? 1 : 0)] ^= swap(high);
    words[2 * j + (bigEnd ? 0 : 1)] ^= swap(low);
  });
}
