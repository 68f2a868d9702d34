// What the page uses of its libraries.
export {
  AmbientLight, ArrowHelper, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color,
  CylinderGeometry, DirectionalLight, DoubleSide, Fog, Group, HemisphereLight, Mesh, MeshStandardMaterial,
  PCFShadowMap, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, RepeatWrapping, Scene,
  SphereGeometry, SRGBColorSpace, Vector2, Vector3, WebGLRenderer,
} from "three";
export { default as uPlot } from "uplot";
