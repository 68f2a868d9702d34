// The messages of live/wire/live.proto, whose descriptor the server sends, and the decoder of frames,
// which does what wire.Decoder does in Go.
import { create, createFileRegistry, FileDescriptorProtoSchema, fromBinary, toBinary } from "./libraries.js";

const descriptor = new Uint8Array(await (await fetch("live.binpb")).arrayBuffer());
const registry = createFileRegistry(fromBinary(FileDescriptorProtoSchema, descriptor), () => undefined);
const schema = (name) => registry.getMessage("polyrhythm.live.v1." + name);

// plain makes a message an object with numbers for integers of 64 bits, and with the one that is
// set in the place of a oneof.
function plain(v) {
  if (typeof v === "bigint") return Number(v);
  if (Array.isArray(v)) return v.map(plain);
  if (!v?.$typeName) return v;
  const field = ([name, x]) => x?.case ? [x.case, plain(x.value)] : [name, plain(x)];
  return Object.fromEntries(Object.entries(v).map(field));
}

// encode writes a message of a name. A oneof has the name and the value of one: { case, value }.
export const encode = (name, fields) => toBinary(schema(name), create(schema(name), fields));

// Decoder follows the updates of a server.
export class Decoder {
  welcome = null;
  frame = null; // newest
  missed = 0;
  speed = 0;

  // update takes an encoded update and returns it decoded.
  update(bytes) {
    const u = plain(fromBinary(schema("Update"), bytes));
    if (u.welcome) this.#begin(u.welcome);
    else if (u.frame) this.#take(u.frame);
    return u;
  }

  #begin(welcome) {
    const tracks = welcome.description.tracks;
    this.welcome = welcome;
    this.tracks = tracks;
    const shape = JSON.stringify([tracks, welcome.description.worlds]);
    if (shape === this.shape) return;
    this.shape = shape;
    this.frame = null;
    this.worlds = Array.from({ length: welcome.description.worlds }, () => tracks.map((t) => new Float64Array(t.size)));
  }

  #take(frame) {
    if (!this.welcome) throw new Error("a frame came before the welcome");
    const before = this.frame?.number;
    const { number, key } = frame, { length } = frame.worlds;
    if (!key && number !== before + 1) throw new Error(`frame ${number} is not the one after ${before}`);
    if (length !== this.worlds.length) throw new Error(`frame ${number} has ${length} worlds`);
    if (before !== undefined) this.missed += Math.max(0, frame.number - before - 1);
    frame.worlds.forEach((world, w) => world.tracks.forEach(({ steps, exact }, t) => {
      const last = this.worlds[w][t];
      if (frame.key) last.fill(0);
      if (this.tracks[t].resolution) steps.forEach((step, j) => { last[j] += step; });
      else last.set(exact);
    }));
    this.frame = frame;
    this.speed = frame.speed || this.speed;
  }

  // values returns those of a track of a world.
  values(world, track) {
    const { resolution } = this.tracks[track], last = this.worlds[world][track];
    return resolution ? last.map((k) => k * resolution) : last.slice();
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
