// The picture of one world in three dimensions: shapes and meshes of the model, poses
// between the newest two frames, a camera that OrbitControls move, and the arrow of a push.
import {
  ArrowHelper, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color, CylinderGeometry,
  DirectionalLight, DoubleSide, Fog, Group, HemisphereLight, Mesh, MeshStandardMaterial, OrbitControls, PCFShadowMap,
  PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, RepeatWrapping, Scene, SphereGeometry, SRGBColorSpace,
  Vector2, Vector3, WebGLRenderer,
} from "./libraries.js";

const floorSize = 120; // m, of a plane without end

export class View {
  // canvas is where to draw. push is called with a drag of a body and its vector in m as
  // it ends; mayPush says if one may be dragged.
  constructor(canvas, { push, mayPush }) {
    Object.assign(this, { canvas, push, mayPush, follow: true });
    this.bodies = [];
    this.size = 0; // of a pose
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(42, 1, 0.02, 400);
    this.camera.up.set(0, 0, 1);
    this.world = new Group();
    this.scene.add(this.world);
    this.light();
    this.arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 1, 0xff7a45, 0.12, 0.07);
    this.arrow.line.visible = false; // it has the width of a pixel
    this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), this.arrow.cone.material);
    this.arrow.add(this.shaft);
    Object.assign(this.shaft.material, { depthTest: false, transparent: true }); // drawn over all else
    this.shaft.renderOrder = this.arrow.cone.renderOrder = 1;
    this.arrow.visible = false;
    this.scene.add(this.arrow);
    for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) { // before the controls
      canvas.addEventListener(kind, (e) => this[kind](e));
    }
    this.controls = new OrbitControls(this.camera, canvas);
    this.target = this.controls.target.set(0, 0, 0.3);
    this.aim = this.target.clone(); // where it was left
    Object.assign(this.controls, { minDistance: 0.2, maxDistance: 60, maxPolarAngle: Math.PI / 2, zoomSpeed: 2 });
    this.controls.addEventListener("change", () => {
      if (this.target.distanceTo(this.aim) > 1e-6) this.setFollow(false); // someone has moved it
      this.haze();
    });
    this.stand(-0.9, 0.38, 3);
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
    for (const m of this.floors ?? []) {
      m.map = checker(dark, m.cells);
      m.needsUpdate = true;
    }
    this.dirty = true;
  }

  // haze lets the floor end softly, beyond all that matters.
  haze() {
    const distance = this.controls.getDistance();
    if (this.scene.fog) Object.assign(this.scene.fog, { near: 3 * distance, far: 14 * distance });
    this.dirty = true;
  }

  // stand puts the camera at two angles in rad and a distance in m from its target.
  stand(azimuth, elevation, distance) {
    const flat = Math.cos(elevation), { position } = this.camera;
    position.set(flat * Math.cos(azimuth), flat * Math.sin(azimuth), Math.sin(elevation));
    position.multiplyScalar(distance).add(this.target);
    this.controls.update();
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
    this.reach = 0.05; // a rough size of the bodies, m
    const geometries = readMeshes(meshes, data);
    for (const s of shapes) {
      const mesh = this.object(s, geometries);
      if (!mesh) continue;
      (s.body >= 0 ? this.bodies[s.body] : this.world).add(mesh);
      if (s.body < 0) continue;
      mesh.geometry.computeBoundingSphere();
      this.reach = Math.max(this.reach, mesh.geometry.boundingSphere.radius + Math.hypot(...s.position));
    }
    this.ground = new Group();
    this.world.add(this.ground);
    if (poseSize !== 3 && !shapes.some((s) => s.kind === "plane")) {
      this.world.add(this.floor({ size: [0, 0, 0], position: [0, 0, -0.002], quaternion: [1, 0, 0, 0] }));
    }
    const extent = this.extent = Math.max(1.5, this.reach * 3), c = this.sun.shadow.camera;
    Object.assign(c, { left: -extent, right: extent, top: extent, bottom: -extent, near: 0.1, far: 8 * extent });
    c.updateProjectionMatrix();
    if (poseSize === 3) this.stand(-Math.PI / 2, 0.1, 26);
    else this.stand(-0.9, 0.38, Math.min(12, Math.max(1, this.reach * 4.4)));
    this.dirty = true;
  }

  // setGround shows a ground in two dimensions, of which each three points are a triangle.
  setGround(points) {
    this.ground.clear();
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(new Float32Array(points.flat()), 3));
    g.computeVertexNormals();
    const color = this.dark ? 0x4a5361 : 0xb4bfcc;
    const mesh = new Mesh(g, new MeshStandardMaterial({ color, roughness: 0.95, side: DoubleSide }));
    mesh.receiveShadow = true;
    this.ground.add(mesh);
    this.dirty = true;
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
    const cells = [x / 2, y / 2];
    const m = new MeshStandardMaterial({ map: checker(this.dark, cells), roughness: 0.95, side: DoubleSide });
    m.cells = cells;
    this.floors.push(m);
    const mesh = new Mesh(new PlaneGeometry(x, y), m);
    mesh.receiveShadow = true;
    place(mesh, s);
    return mesh;
  }

  // pose begins to move to the poses of a frame, which takes some ms of wall time.
  pose(values, ms) {
    if (this.to) this.place(this.alpha());
    const now = this.to && ms > 0 && this.bodies.map((g) => [g.position.clone(), g.quaternion.clone()]);
    this.to = this.bodies.map((_, i) => {
      const [x, y, z, ...q] = values.slice(i * this.size, (i + 1) * this.size);
      if (this.size === 3) return [new Vector3(x, 0, y), new Quaternion().setFromAxisAngle(new Vector3(0, -1, 0), z)];
      return [new Vector3(x, y, z), new Quaternion(q[1], q[2], q[3], q[0]).normalize()];
    });
    Object.assign(this, { from: now || this.to, began: performance.now(), takes: ms, moving: true });
  }

  alpha() { return this.takes > 0 ? Math.min(1, (performance.now() - this.began) / this.takes) : 1; }

  place(a) {
    this.bodies.forEach((g, i) => {
      g.position.lerpVectors(this.from[i][0], this.to[i][0], a);
      g.quaternion.slerpQuaternions(this.from[i][1], this.to[i][1], a);
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
    this.place(a);
    if (this.follow && this.bodies.length) {
      const goal = this.bodies[0].position, dt = Math.min(0.5, (now - (this.shown ?? now)) / 1000);
      const far = this.target.distanceTo(goal) > 3 * this.controls.getDistance();
      this.target.lerp(goal, far || !this.settled ? 1 : 1 - Math.exp(-8 * dt));
      this.settled = true;
      if (this.target.distanceTo(goal) > 0.002) this.moving = true;
      this.camera.position.add(this.target).sub(this.aim);
      this.aim.copy(this.target);
    }
    this.sun.target.position.copy(this.target);
    this.sun.position.copy(this.target).addScaledVector(new Vector3(1, -1.4, 2.6).normalize(), 4 * (this.extent ?? 2));
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
    const at = new Vector2((e.clientX - box.left) / box.width * 2 - 1, 1 - (e.clientY - box.top) / box.height * 2);
    this.ray.setFromCamera(at, this.camera);
    for (const h of this.ray.intersectObjects(this.bodies, true)) {
      for (let o = h.object; o; o = o.parent) {
        if (o.userData.body !== undefined) return { body: o.userData.body, point: h.point };
      }
    }
    return null;
  }

  pointerdown(e) {
    this.canvas.focus({ preventScroll: true, focusVisible: false });
    if (this.drag) e.stopImmediatePropagation(); // for the controls
    if (this.drag || e.button !== 0 || e.shiftKey || !e.isPrimary) return;
    const hit = this.to && this.hit(e);
    if (!hit || !this.mayPush(hit.body)) return;
    e.stopImmediatePropagation();
    this.canvas.setPointerCapture(e.pointerId);
    const grip = this.bodies[hit.body].worldToLocal(hit.point.clone());
    this.drag = { body: hit.body, grip, at: hit.point.clone(), plane: new Plane() };
    this.canvas.classList.add("pushing");
    this.dirty = true;
  }

  pointermove(e) {
    if (!this.drag || !e.isPrimary) return;
    this.hit(e);
    this.drag.plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), this.gripAt());
    this.ray.ray.intersectPlane(this.drag.plane, this.drag.at);
    this.dirty = true;
  }

  pointerup(e) {
    if (!this.drag || !e.isPrimary) return;
    this.push(this.drag, this.pulled());
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

  setFollow(on) {
    this.follow = on;
    this.aim.copy(this.target);
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
function checker(dark, cells) {
  const c = document.createElement("canvas");
  c.width = c.height = 256;
  const x = c.getContext("2d");
  const [a, b, line] = dark ? ["#23282f", "#282d35", "#343b45"] : ["#d5dbe3", "#dde3ea", "#c3cad4"];
  Object.assign(x, { fillStyle: a, strokeStyle: line, lineWidth: 1.5 });
  x.fillRect(0, 0, 256, 256);
  x.fillStyle = b;
  for (const at of [0, 128]) {
    x.fillRect(at, at, 128, 128);
    x.strokeRect(at, at, 128, 128);
  }
  const t = new CanvasTexture(c);
  t.repeat.set(...cells);
  t.wrapS = t.wrapT = RepeatWrapping;
  t.colorSpace = SRGBColorSpace;
  t.anisotropy = 8;
  return t;
}
