// The picture of one world in three dimensions: shapes and meshes of the model, poses
// between the newest two frames, a camera, and the arrow of a push.
import {
  ArrowHelper, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color, CylinderGeometry,
  DirectionalLight, DoubleSide, Fog, Group, HemisphereLight, Mesh, MeshStandardMaterial, PCFShadowMap,
  PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, RepeatWrapping, Scene, SphereGeometry, SRGBColorSpace,
  Vector2, Vector3, WebGLRenderer,
} from "./libraries.js";

const depth = 1.5; // m, of a ground in two dimensions, before and behind
const floorSize = 120; // m, of a plane without end

export class View {
  // canvas is where to draw. push is called with a body and a vector in m as a drag of a
  // body ends; mayPush says if one may be dragged.
  constructor(canvas, { push, mayPush }) {
    this.canvas = canvas;
    this.push = push;
    this.mayPush = mayPush;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(42, 1, 0.02, 400);
    this.camera.up.set(0, 0, 1);
    this.azimuth = -0.9;
    this.elevation = 0.38;
    this.distance = 3;
    this.target = new Vector3(0, 0, 0.3);
    this.follow = true;
    this.world = new Group();
    this.scene.add(this.world);
    this.bodies = [];
    this.size = 0; // of a pose
    this.light();
    this.arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 1, 0xff7a45, 0.12, 0.07);
    this.arrow.line.visible = false; // it has the width of a pixel
    this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), this.arrow.cone.material);
    this.arrow.add(this.shaft);
    Object.assign(this.shaft.material, { depthTest: false, transparent: true }); // drawn after all else, and so over it
    this.shaft.renderOrder = this.arrow.cone.renderOrder = 1;
    this.arrow.visible = false;
    this.scene.add(this.arrow);
    this.pointers = new Map();
    for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel", "wheel"]) {
      canvas.addEventListener(kind, (e) => this[kind](e), { passive: false });
    }
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.draw = this.draw.bind(this);
    requestAnimationFrame(this.draw);
  }

  light() {
    this.sky = new HemisphereLight(0xffffff, 0x8a8f99, 1.5);
    this.sun = new DirectionalLight(0xffffff, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.01;
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  // theme sets the colours of the background and the floor.
  theme(dark) {
    const back = new Color(dark ? 0x14171c : 0xe9edf2);
    this.scene.background = back;
    this.scene.fog = new Fog(back);
    this.haze();
    this.dark = dark;
    this.floors?.forEach((m) => { m.map = checker(dark); m.map.repeat.set(m.cells[0], m.cells[1]); m.needsUpdate = true; });
    this.dirty = true;
  }

  // haze lets the floor end softly, beyond all that matters.
  haze() {
    this.scene.fog.near = 3 * this.distance;
    this.scene.fog.far = 14 * this.distance;
  }

  // build makes the objects of a model.
  build(shapes, meshes, data, bodies, poseSize) {
    this.world.clear();
    this.size = poseSize;
    this.floors = [];
    this.bodies = bodies.map((b, i) => {
      const g = new Group();
      g.userData.body = i;
      this.world.add(g);
      return g;
    });
    this.from = this.to = null;
    const geometries = readMeshes(meshes, data);
    for (const s of shapes) {
      const mesh = this.object(s, geometries);
      if (mesh) (s.body >= 0 ? this.bodies[s.body] : this.world).add(mesh);
    }
    this.ground = new Group();
    this.world.add(this.ground);
    if (poseSize !== 3 && !shapes.some((s) => s.kind === "plane")) this.world.add(this.floor({ size: [0, 0, 0], color: [1, 1, 1, 1], position: [0, 0, -0.002] }));
    const radius = this.radius(shapes, geometries);
    this.distance = Math.min(12, Math.max(1, radius * 4.4));
    this.reach = radius;
    const extent = Math.max(1.5, radius * 3), c = this.sun.shadow.camera;
    Object.assign(c, { left: -extent, right: extent, top: extent, bottom: -extent, near: 0.1, far: 8 * extent });
    c.updateProjectionMatrix();
    this.extent = extent;
    if (poseSize === 3) Object.assign(this, { azimuth: -Math.PI / 2, elevation: 0.1, distance: 26 });
    this.haze();
    this.dirty = true;
  }

  // setGround shows the outlines of a ground in two dimensions.
  setGround(outlines) {
    this.ground.clear();
    const at = [];
    const quad = (a, b, c, d) => at.push(...a, ...b, ...c, ...a, ...c, ...d);
    for (const o of outlines) {
      const n = o.length;
      for (let i = 0; i < (n === 2 ? 1 : n); i++) {
        const p = o[i], q = o[(i + 1) % n];
        quad([p[0], -depth, p[1]], [q[0], -depth, q[1]], [q[0], depth, q[1]], [p[0], depth, p[1]]);
        if (n === 2) quad([p[0], -depth, p[1] - 30], [q[0], -depth, q[1] - 30], [q[0], -depth, q[1]], [p[0], -depth, p[1]]);
        else if (i > 0 && i < n - 1) at.push(o[0][0], -depth, o[0][1], p[0], -depth, p[1], q[0], -depth, q[1]);
      }
    }
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
    g.computeVertexNormals();
    const mesh = new Mesh(g, new MeshStandardMaterial({ color: this.dark ? 0x4a5361 : 0xb4bfcc, roughness: 0.95, side: DoubleSide }));
    mesh.receiveShadow = true;
    this.ground.add(mesh);
    this.dirty = true;
  }

  // radius is a rough size of the bodies.
  radius(shapes, geometries) {
    let r = 0.05;
    for (const s of shapes) {
      if (s.body < 0) continue;
      let own = Math.max(...s.size);
      if (s.kind === "capsule") own = s.size[0] + s.size[1];
      if (s.kind === "mesh") {
        geometries[s.mesh].computeBoundingSphere();
        own = geometries[s.mesh].boundingSphere.radius;
      }
      r = Math.max(r, own + Math.hypot(...s.position));
    }
    return r;
  }

  object(s, geometries) {
    if (s.kind === "plane") return this.floor(s);
    let geometry;
    const [a, b, c] = s.size;
    switch (s.kind) {
      case "sphere": geometry = new SphereGeometry(a, 32, 20); break;
      case "ellipsoid": geometry = new SphereGeometry(1, 32, 20).scale(a, b, c); break;
      case "box": geometry = new BoxGeometry(2 * a, 2 * b, 2 * c); break;
      case "capsule": geometry = new CapsuleGeometry(a, 2 * b, 10, 24).rotateX(Math.PI / 2); break;
      case "cylinder": geometry = new CylinderGeometry(a, a, 2 * b, 32).rotateX(Math.PI / 2); break;
      case "mesh": geometry = geometries[s.mesh]; break;
      default: return null;
    }
    const mesh = new Mesh(geometry, material(s.color));
    mesh.castShadow = mesh.receiveShadow = true;
    place(mesh, s);
    return mesh;
  }

  floor(s) {
    const x = s.size[0] ? 2 * s.size[0] : floorSize, y = s.size[1] ? 2 * s.size[1] : floorSize;
    const m = new MeshStandardMaterial({ map: checker(this.dark), roughness: 0.95, side: DoubleSide });
    m.cells = [x / 2, y / 2];
    m.map.repeat.set(...m.cells);
    this.floors.push(m);
    const mesh = new Mesh(new PlaneGeometry(x, y), m);
    mesh.receiveShadow = true;
    if (s.quaternion) place(mesh, s); else mesh.position.set(...s.position);
    return mesh;
  }

  // pose begins to move to the poses of a frame, which takes some ms of wall time.
  pose(values, ms) {
    const to = values.slice();
    if (!this.to || ms <= 0) {
      this.from = this.to = to;
    } else {
      this.from = this.between(this.alpha());
      this.to = to;
    }
    this.began = performance.now();
    this.takes = ms;
    this.moving = true;
  }

  alpha() { return this.takes > 0 ? Math.min(1, (performance.now() - this.began) / this.takes) : 1; }

  between(a) {
    if (a >= 1 || this.from === this.to) return this.to;
    const out = this.to.slice(), n = this.size;
    for (let i = 0; i < out.length; i += n) {
      let sign = 1;
      if (n === 7) {
        let dot = 0;
        for (let k = 3; k < 7; k++) dot += this.from[i + k] * this.to[i + k];
        if (dot < 0) sign = -1;
      }
      for (let k = 0; k < n; k++) {
        const s = k >= 3 && n === 7 ? sign : 1;
        out[i + k] = s * this.from[i + k] * (1 - a) + this.to[i + k] * a;
      }
    }
    return out;
  }

  place(values) {
    this.bodies.forEach((g, i) => {
      const at = i * this.size;
      if (this.size === 7) {
        g.position.set(values[at], values[at + 1], values[at + 2]);
        g.quaternion.set(values[at + 4], values[at + 5], values[at + 6], values[at + 3]).normalize();
      } else {
        g.position.set(values[at], 0, values[at + 1]);
        g.quaternion.setFromAxisAngle(new Vector3(0, -1, 0), values[at + 2]);
      }
    });
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  draw(now) {
    requestAnimationFrame(this.draw);
    if (!this.to || !(this.moving || this.dirty)) return;
    const a = this.alpha();
    this.moving = a < 1;
    this.place(this.between(a));
    if (this.follow && this.bodies.length) {
      const goal = this.bodies[0].position, dt = Math.min(0.5, (now - (this.shown ?? now)) / 1000);
      const far = this.target.distanceTo(goal) > 3 * this.distance;
      this.target.lerp(goal, far || !this.settled ? 1 : 1 - Math.exp(-8 * dt));
      this.settled = true;
      if (this.target.distanceTo(goal) > 0.002) this.moving = true;
    }
    const { azimuth: z, elevation: e, distance: d } = this;
    this.camera.position.set(this.target.x + d * Math.cos(e) * Math.cos(z), this.target.y + d * Math.cos(e) * Math.sin(z), Math.max(0.05, this.target.z + d * Math.sin(e)));
    this.camera.lookAt(this.target);
    this.sun.target.position.copy(this.target);
    this.sun.position.copy(this.target).add(new Vector3(1, -1.4, 2.6).normalize().multiplyScalar(4 * (this.extent ?? 2)));
    if (this.drag) this.pull();
    this.renderer.render(this.scene, this.camera);
    this.dirty = false;
    this.shown = now;
    this.drawn = (this.drawn ?? 0) + 1;
  }

  // hit returns the body under a pointer and the point of it.
  hit(e) {
    const box = this.canvas.getBoundingClientRect();
    this.ray ??= new Raycaster();
    this.ray.setFromCamera(new Vector2((e.clientX - box.left) / box.width * 2 - 1, 1 - (e.clientY - box.top) / box.height * 2), this.camera);
    for (const h of this.ray.intersectObjects(this.bodies, true)) {
      for (let o = h.object; o; o = o.parent) {
        if (o.userData.body !== undefined) return { body: o.userData.body, point: h.point };
      }
    }
    return null;
  }

  pointerdown(e) {
    this.canvas.focus({ preventScroll: true, focusVisible: false });
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
    if (e.button !== 0 || e.shiftKey || this.pointers.size > 1) return;
    const hit = this.to && this.hit(e);
    if (!hit || !this.mayPush(hit.body)) return;
    const group = this.bodies[hit.body];
    this.drag = { body: hit.body, grip: group.worldToLocal(hit.point.clone()), at: hit.point.clone(), plane: new Plane() };
    this.canvas.classList.add("pushing");
    this.dirty = true;
  }

  pointermove(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last[0], dy = e.clientY - last[1];
    const others = [...this.pointers].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
    this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
    this.dirty = true;
    if (this.drag) {
      this.hit(e);
      this.drag.plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), this.gripAt());
      this.ray.ray.intersectPlane(this.drag.plane, this.drag.at);
      return;
    }
    if (others.length) { // pinch, and two fingers move the view
      const span = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
      this.zoom(span(last) / Math.max(1, span([e.clientX, e.clientY])));
      this.pan(dx / 2, dy / 2);
    } else if (e.buttons & 2 || e.shiftKey) {
      this.pan(dx, dy);
    } else {
      this.turn(-dx * 0.006, dy * 0.006);
    }
  }

  // turn turns the camera, by angles in rad.
  turn(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = Math.min(1.5, Math.max(-0.1, this.elevation + elevation));
    this.dirty = true;
  }

  pointerup(e) {
    this.pointers.delete(e.pointerId);
    if (!this.drag) return;
    this.push(this.drag.body, this.pulled());
    this.letGo();
  }

  // letGo ends a drag.
  letGo() {
    this.drag = null;
    this.arrow.visible = false;
    this.canvas.classList.remove("pushing");
    this.dirty = true;
  }

  pointercancel(e) { this.pointerup(e); }

  wheel(e) {
    e.preventDefault();
    this.zoom(Math.exp(e.deltaY * 0.001));
  }

  zoom(by) {
    this.distance = Math.min(60, Math.max(0.2, this.distance * by));
    this.haze();
    this.dirty = true;
  }

  pan(dx, dy) {
    const per = this.distance * 0.0016;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0), up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * per).addScaledVector(up, dy * per);
    this.setFollow(false);
  }

  setFollow(on) {
    this.follow = on;
    this.dirty = true;
    this.onfollow?.(on);
  }

  gripAt() { return this.bodies[this.drag.body].localToWorld(this.drag.grip.clone()); }

  // pulled is the vector of the drag, m.
  pulled() {
    const v = this.drag.at.clone().sub(this.gripAt());
    if (this.size === 3) v.y = 0;
    return v.clampLength(0, 2 * Math.max(0.5, this.reach));
  }

  pull() {
    const v = this.pulled(), length = v.length();
    this.arrow.visible = length > 0.02;
    if (!this.arrow.visible) return;
    this.arrow.position.copy(this.gripAt());
    this.arrow.setDirection(v.clone().normalize());
    const head = Math.min(0.2, 0.3 * length), width = Math.min(0.1, 0.15 * length);
    this.arrow.setLength(length, head, width);
    this.shaft.scale.set(0.14 * width, length - head, 0.14 * width);
    this.moving = true;
  }
}

function place(mesh, s) {
  mesh.position.set(...s.position);
  mesh.quaternion.copy(new Quaternion(s.quaternion[1], s.quaternion[2], s.quaternion[3], s.quaternion[0]));
}

function material([r, g, b, a]) {
  const m = new MeshStandardMaterial({ roughness: 0.62, metalness: 0.08, transparent: a < 1, opacity: a });
  m.color.setRGB(r, g, b, SRGBColorSpace);
  return m;
}

function readMeshes(meshes, data) {
  let at = 0;
  return meshes.map(({ vertices, faces }) => {
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(new Float32Array(data, at, 3 * vertices), 3));
    g.setAttribute("normal", new BufferAttribute(new Float32Array(data, at += 12 * vertices, 3 * vertices), 3));
    g.setIndex(new BufferAttribute(new Uint32Array(data, at += 12 * vertices, 3 * faces), 1));
    at += 12 * faces;
    return g;
  });
}

// checker is the floor: cells of 1 m.
function checker(dark) {
  const c = document.createElement("canvas");
  c.width = c.height = 256;
  const x = c.getContext("2d"), [a, b, line] = dark ? ["#23282f", "#282d35", "#343b45"] : ["#d5dbe3", "#dde3ea", "#c3cad4"];
  x.fillStyle = a;
  x.fillRect(0, 0, 256, 256);
  x.fillStyle = b;
  x.fillRect(0, 0, 128, 128);
  x.fillRect(128, 128, 128, 128);
  x.strokeStyle = line;
  x.lineWidth = 1.5;
  x.strokeRect(0, 0, 128, 128);
  x.strokeRect(128, 128, 128, 128);
  const t = new CanvasTexture(c);
  t.wrapS = t.wrapT = RepeatWrapping;
  t.colorSpace = SRGBColorSpace;
  t.anisotropy = 8;
  return t;
}
