// Pictures of the cameras among the channels, each kind on a canvas of its own over the picture of the world.
import { seconds } from "./clock.js";
import { h } from "./order.js";

const channels = { rgb: 3, normals: 3 }; // values of a pixel; others have one

// What writes the red, green and blue of a pixel, 0 to 255, of each kind.
const shades = {
  rgb(to, at, v, i) { for (let k = 0; k < 3; k++) to[at + k] = 255 * v[i + k]; },
  normals(to, at, v, i) { for (let k = 0; k < 3; k++) to[at + k] = 128 + 127 * v[i + k]; },
  depth(to, at, v, i) { to.fill(255 / (1 + v[i]), at, at + 3); }, // the nearer, the brighter; half at 1 m
  segmentation(to, at, v, i) {
    const n = Math.round(v[i]); // of neighbours the colours are far apart
    for (let k = 0; k < 3; k++) to[at + k] = n < 0 ? 0 : 135 + 110 * Math.cos(2.4 * n + 2 * k);
  },
};

class Picture {
  constructor(parent, track, { name, picture: { width, height, kinds } }) {
    this.track = track;
    this.caption = h("figcaption");
    this.name = name.replace("channel/", "");
    this.width = width;
    this.height = height;
    this.kinds = kinds.map((kind) => {
      const canvas = h("canvas", { width, height, title: `${this.name}: ${kind}` });
      return { kind, canvas, on: canvas.getContext("2d", { willReadFrequently: true }), pixels: new ImageData(width, height) };
    });
    this.holder = h("figure", ...this.kinds.map(({ canvas }) => canvas), this.caption);
    parent.append(this.holder);
    this.show(-1, null);
  }

  // show draws values of a time in ns; those of the reset if it is −1.
  show(ns, values) {
    this.ns = ns;
    this.caption.textContent = `${this.name} ${ns < 0 ? "–" : seconds(ns)} s`;
    if (!values) return;
    const pixel = this.kinds.reduce((sum, { kind }) => sum + (channels[kind] ?? 1), 0);
    let from = 0;
    for (const { kind, on, pixels } of this.kinds) {
      for (let i = 0; i < this.width * this.height; i++) {
        shades[kind](pixels.data, 4 * i, values, i * pixel + from);
        pixels.data[4 * i + 3] = 255;
      }
      on.putImageData(pixels, 0, 0);
      from += channels[kind] ?? 1;
    }
  }
}

// Pictures are those of all cameras of a world.
export class Pictures {
  constructor(parent) {
    this.parent = parent;
    this.pictures = [];
  }

  build(description) {
    this.parent.replaceChildren();
    this.pictures = description.tracks.flatMap((t, i) => t.picture ? [new Picture(this.parent, i, t)] : []);
  }

  // draw shows the newest pictures of a world; one that is shown already costs nothing.
  draw(decoder, world) {
    for (const p of this.pictures) {
      const ns = decoder.stamp(world, p.track);
      if (ns === p.ns && this.world === world && this.episode === decoder.frame.worlds[world].episode) continue;
      p.show(ns, decoder.values(world, p.track));
    }
    this.world = world;
    this.episode = decoder.frame.worlds[world].episode;
  }
}
