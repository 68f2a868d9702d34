// What the page uses of its libraries.
export {
  ArrowHelper, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color,
  CylinderGeometry, DirectionalLight, DoubleSide, Fog, Group, HemisphereLight, Mesh, MeshStandardMaterial,
  PCFShadowMap, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, RepeatWrapping, Scene,
  SphereGeometry, SRGBColorSpace, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
export { default as uPlot } from "uplot";
export { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
export { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
