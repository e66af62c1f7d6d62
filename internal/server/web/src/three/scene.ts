// Draws the cubes: the camera, the sky, the light and the lists of what is seen.

import * as THREE from "three";
import { firstTexel, pageBytes, Pool, type Place } from "./pool.ts";
import { edge, parts, type Mesh } from "./quads.ts";
import { boxFragment, boxVertex, netFragment, netVertex, quadFragment, quadVertex, skyFragment, skyVertex } from "./shaders.ts";
import type { Node } from "./tree.ts";

/** Where the eye is and where it looks: yaw 0 is north (-z), 90 east; pitch 90 is up. In degrees. */
export interface Pose {
  x: number;
  y: number;
  z: number;
  yaw: number;
  pitch: number;
}

const noTile = 0xffff;
/** The list of what fills the seams. */
const seams = 3;
/** How far seams are filled, in blocks. */
const seamsUntil = 512;

interface Slot {
  place: Place;
  ranges: Uint32Array;
}

export interface Sky {
  fog: [number, number, number];
  zenith: [number, number, number];
  sun: [number, number, number];
  sunColour: [number, number, number];
  skyLight: [number, number, number];
  groundLight: [number, number, number];
}

const day: Sky = {
  fog: [0.76, 0.85, 0.93], zenith: [0.26, 0.5, 0.82], sun: [0.45, 0.78, 0.43], sunColour: [0.5, 0.46, 0.38],
  skyLight: [0.66, 0.69, 0.74], groundLight: [0.42, 0.41, 0.42],
};
const hot: Sky = {
  fog: [0.3, 0.09, 0.06], zenith: [0.18, 0.04, 0.04], sun: [0.3, 0.9, 0.3], sunColour: [0.2, 0.14, 0.1],
  skyLight: [0.78, 0.68, 0.64], groundLight: [0.68, 0.5, 0.42],
};
const dim: Sky = {
  fog: [0.1, 0.08, 0.14], zenith: [0.04, 0.03, 0.07], sun: [0.3, 0.85, 0.4], sunColour: [0.26, 0.24, 0.3],
  skyLight: [0.66, 0.64, 0.74], groundLight: [0.46, 0.44, 0.52],
};

/** The sky of a dimension. */
export const skyOf = (dimension: string): Sky => (/nether/i.test(dimension) ? hot : /(^|[:_])(the_)?end$/i.test(dimension) ? dim : day);

function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Scene {
  readonly renderer: THREE.WebGLRenderer;
  /** Corners and the like that were drawn in the last frame. */
  triangles = 0;
  /** Cubes that were drawn in the last frame. */
  shown = 0;
  /** Set when the picture must be drawn anew. */
  stale = true;
  /** Whether the last picture has no open seams between quads. */
  filled = true;

  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(70, 1, 0.08, 8192);
  /** Opaque, cut-out and transparent faces; then the opaque ones again, for the seams. */
  private readonly lists = [new THREE.Group(), new THREE.Group(), new THREE.Group(), new THREE.Group()];
  private readonly looks: THREE.DataTexture;
  private readonly shared: Record<string, THREE.IUniform>;
  private readonly materials: THREE.RawShaderMaterial[];
  private readonly box: THREE.LineSegments;
  private pool: Pool | undefined;
  private drawn: Node[] = [];
  private smooth = false;
  private readonly sides: THREE.DataTexture;
  private textured = false;
  private radius = 256;
  private readonly matrix = new THREE.Matrix4();
  private readonly back = new THREE.Matrix4();
  private readonly planes = new Float64Array(24);

  /** Whether the processor draws, and not a graphics card. */
  readonly software = drawsInSoftware();

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: devicePixelRatio < 2 && !this.software, alpha: false, stencil: false, powerPreference: "high-performance" });
    this.renderer.sortObjects = false;
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // the shaders give what the screen shows
    this.renderer.autoClear = false;
    this.scene.matrixWorldAutoUpdate = false;
    this.looks = new THREE.DataTexture(new Uint8Array(256 * 128 * 4).fill(128), 256, 128);
    this.looks.needsUpdate = true;
    this.sides = new THREE.DataTexture(new Uint16Array(128 * 6 * 256).fill(noTile), 128 * 6, 256, THREE.RedIntegerFormat, THREE.UnsignedShortType);
    this.sides.internalFormat = "R16UI";
    this.sides.needsUpdate = true;
    const vec = () => ({ value: new THREE.Vector3() });
    this.shared = {
      looks: { value: this.looks }, view: { value: this.matrix }, eyeBlock: { value: [0, 0, 0] }, eyePart: vec(),
      fogColour: vec(), fogRange: { value: new THREE.Vector2(200, 256) }, sun: vec(), sunColour: vec(), skyLight: vec(), groundLight: vec(),
      zenith: vec(), back: { value: this.back }, grow: { value: 1e-4 }, // of a quad that fills seams, in parts of its distance
      grain: { value: 1 },
      sides: { value: this.sides }, atlas: { value: null }, tiles: { value: [16, 8, 1] },
    };
    const sky = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader: skyVertex, fragmentShader: skyFragment, uniforms: this.shared, depthTest: false, depthWrite: false,
    }));
    sky.geometry.setDrawRange(0, 3);
    sky.frustumCulled = false;
    this.box = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: boxVertex, fragmentShader: boxFragment, uniforms: this.shared, depthTest: false }));
    this.box.frustumCulled = this.box.visible = false;
    this.scene.add(sky, ...this.lists, this.box);
    this.materials = [];
    this.sky(day);
  }

  sky(s: Sky) {
    const set = (name: string, v: number[]) => (this.shared[name]!.value as THREE.Vector3).fromArray(v);
    set("fogColour", s.fog);
    set("zenith", s.zenith);
    set("sunColour", s.sunColour);
    set("skyLight", s.skyLight);
    set("groundLight", s.groundLight);
    set("sun", s.sun);
    (this.shared.sun!.value as THREE.Vector3).normalize();
    this.stale = true;
  }

  /** Forgets all meshes. smooth says what new ones are made of. */
  begin(smooth: boolean) {
    this.end();
    this.smooth = smooth;
    const material = (list: number) => {
      const transparent = list === 2;
      return new THREE.RawShaderMaterial({
        defines: { ...(this.textured && !smooth ? { TEXTURES: "", SEE: list % seams } : {}), ...(list === seams ? { SEAMS: "" } : {}) },
        glslVersion: THREE.GLSL3,
        vertexShader: smooth ? netVertex : quadVertex,
        fragmentShader: smooth ? netFragment : quadFragment,
        uniforms: { ...this.shared, texels: { value: null }, table: { value: null } },
        side: smooth && !transparent ? THREE.DoubleSide : THREE.FrontSide, // bands have no side
        forceSinglePass: true,
        transparent,
        depthWrite: !transparent,
      });
    };
    this.materials.push(material(0), material(1), material(2), material(seams));
    this.pool = new Pool(this.renderer, this.materials, this.lists);
  }

  private end() {
    this.pool?.dispose();
    for (const m of this.materials) m.dispose();
    this.materials.length = 0;
    for (const g of this.lists) g.clear();
    this.drawn = [];
    this.stale = true;
  }

  dispose() {
    this.end();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  /** Sets the colour of a cell, or of a material of a smooth world. */
  look(cell: number, red: number, green: number, blue: number, alpha: number) {
    (this.looks.image.data as Uint8Array).set([red, green, blue, alpha], 4 * cell);
    this.looks.needsUpdate = true;
    this.stale = true;
  }

  /** Sets the image with the textures of blocks, in tiles. begin must follow. */
  textures(image: TexImageSource, tile: number, pad: number, columns: number) {
    const t = new THREE.Texture(image as HTMLImageElement);
    t.magFilter = THREE.NearestFilter;
    t.minFilter = THREE.NearestMipmapLinearFilter;
    t.flipY = false;
    t.anisotropy = this.software ? 1 : Math.min(4, this.renderer.capabilities.getMaxAnisotropy());
    t.needsUpdate = true;
    this.renderer.initTexture(t);
    // Smaller copies than that would mix tiles.
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.renderer.state.activeTexture(gl.TEXTURE0);
    this.renderer.state.bindTexture(gl.TEXTURE_2D, (this.renderer.properties.get(t) as { __webglTexture?: WebGLTexture }).__webglTexture!);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, Math.floor(Math.log2(pad)));
    this.shared.atlas!.value = t;
    this.shared.tiles!.value = [tile, pad, columns];
    this.textured = true;
  }

  /** Sets the tiles of the six sides of a cell. */
  tiles(cell: number, of: number[]) {
    (this.sides.image.data as Uint16Array).set(of, ((cell >> 7) * 128 + (cell & 127)) * 6);
    this.sides.needsUpdate = true;
    this.stale = true;
  }

  /** Gives a cube its mesh in place of the one that it has. */
  put(n: Node, mesh: Mesh) {
    this.remove(n);
    this.stale = true;
    if (mesh.texels.length === 0) return;
    const size = edge * 2 ** n.level;
    const place = this.pool!.add(mesh.texels, [n.x * size, n.y * size, n.z * size], n.level);
    n.slot = { place, ranges: mesh.ranges } satisfies Slot;
  }

  remove(n: Node) {
    const slot = n.slot as Slot | null;
    if (!slot) return;
    this.pool!.remove(slot.place);
    n.slot = null;
    this.stale = true;
  }

  /** Says which cubes are drawn from now on. */
  select(nodes: Node[]) {
    this.drawn = nodes;
    this.stale = true;
  }

  resize(width: number, height: number, ratio: number, angle: number) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.fov = angle;
    this.camera.updateProjectionMatrix();
    this.shared.grow!.value = (0.25 * 2 * Math.tan((angle * Math.PI) / 360)) / (height * ratio);
    this.stale = true;
  }

  far(radius: number) {
    this.radius = radius;
    (this.shared.fogRange!.value as THREE.Vector2).set(radius * 0.72, radius * 0.99);
    this.camera.far = radius * 2.2 + 64;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  /** How strong the pattern on blocks is: 0 to 1. */
  grain(strength: number) {
    this.shared.grain!.value = strength;
    this.stale = true;
  }

  /** The bytes of meshes on the graphics card. */
  get bytes(): number {
    return (this.pool?.pages.length ?? 0) * pageBytes;
  }

  /** Shows the edges of a box from the corner low to behind the block high, or none. */
  mark(low?: readonly number[], high?: readonly number[]) {
    this.stale = true;
    if (!(this.box.visible = low !== undefined && high !== undefined)) return;
    const corner = (i: number) => [0, 1, 2].map((a) => ((i >> a) & 1 ? high![a]! + 1 : low![a]!));
    const points: number[] = [];
    for (let i = 0; i < 8; i++) for (let a = 0; a < 3; a++) if (!((i >> a) & 1)) points.push(...corner(i), ...corner(i | (1 << a)));
    this.box.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  }

  /** Draws the picture from a pose, with its seams filled or not. */
  draw(p: Pose, fill = true) {
    this.stale = false;
    this.filled = fill || this.smooth;
    const block = [Math.floor(p.x), Math.floor(p.y), Math.floor(p.z)];
    this.shared.eyeBlock!.value = block;
    (this.shared.eyePart!.value as THREE.Vector3).set(p.x - block[0]!, p.y - block[1]!, p.z - block[2]!);
    const turn = new THREE.Matrix4().makeRotationFromEuler(new THREE.Euler((p.pitch * Math.PI) / 180, (-p.yaw * Math.PI) / 180, 0, "YXZ"));
    this.back.copy(turn).multiply(this.camera.projectionMatrixInverse);
    this.matrix.copy(this.camera.projectionMatrix).multiply(turn.transpose());
    this.gather(p);
    this.renderer.render(this.scene, this.camera);
  }

  private gather(p: Pose) {
    this.frustum();
    for (const page of this.pool?.pages ?? []) for (const d of page.draws) d.clearRuns();
    const seen: { n: Node; d: number }[] = [];
    for (const n of this.drawn) {
      if (!n.slot) continue;
      const size = edge * 2 ** n.level, half = size / 2;
      const x = n.x * size + half - p.x, y = n.y * size + half - p.y, z = n.z * size + half - p.z;
      if (this.inside(x, y, z, half + size / edge)) seen.push({ n, d: x * x + y * y + z * z });
    }
    seen.sort((a, b) => a.d - b.d);
    this.shown = seen.length;
    this.triangles = 0;
    for (const { n } of seen) this.runs(n, p, 0, 2);
    if (this.filled && !this.smooth) for (const { n, d } of seen) if (d < seamsUntil ** 2) this.runs(n, p, 0, 1, seams);
    for (let i = seen.length - 1; i >= 0; i--) this.runs(seen[i]!.n, p, 2, 3);
  }

  // runs adds what can be seen of a cube to lists: the faces that look to the eye, and those that close
  // the cube where a neighbour has another level.
  private runs(n: Node, p: Pose, from: number, to: number, into = -1) {
    const { place, ranges } = n.slot as Slot;
    const size = edge * 2 ** n.level;
    const eye = [p.x - n.x * size, p.y - n.y * size, p.z - n.z * size];
    const first = firstTexel(place), corners = this.smooth ? 1 : 6;
    for (let k = from; k < to; k++) {
      const at = k * parts;
      if (ranges[at] === ranges[at + parts - 1]) continue;
      const draw = place.page.draws[into < 0 ? k : into]!;
      for (let face = 0; face < 6; face++) {
        if (!this.smooth && (face & 1 ? eye[face >> 1]! <= 0 : eye[face >> 1]! >= size)) continue;
        const a = ranges[at + 2 * face]!, b = ranges[at + 2 * face + 1]!, c = ranges[at + 2 * face + 2]!;
        const end = (n.sides >> face) & 1 ? c : b;
        draw.run((first + a) * corners, (end - a) * corners);
        if (into < 0) this.triangles += ((end - a) * corners) / 3;
      }
    }
  }

  private frustum() {
    const e = this.matrix.elements, f = this.planes;
    // The planes left, right, bottom, top and near, and far.
    const row = (i: number) => [e[i]!, e[i + 4]!, e[i + 8]!, e[i + 12]!];
    const w = row(3);
    for (let i = 0; i < 6; i++) {
      const r = row(i >> 1);
      for (let j = 0; j < 4; j++) f[4 * i + j] = w[j]! + (i & 1 ? -r[j]! : r[j]!);
    }
  }

  private inside(x: number, y: number, z: number, half: number): boolean {
    const f = this.planes;
    for (let i = 0; i < 24; i += 4) {
      const reach = half * (Math.abs(f[i]!) + Math.abs(f[i + 1]!) + Math.abs(f[i + 2]!));
      if (f[i]! * x + f[i + 1]! * y + f[i + 2]! * z + f[i + 3]! < -reach) return false;
    }
    return Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) - half < this.radius * 1.02;
  }

  /** The direction through a place of the screen: x and y from -1 to 1. */
  ray(x: number, y: number): [number, number, number] {
    const v = new THREE.Vector4(x, y, 1, 1).applyMatrix4(this.back);
    const l = Math.hypot(v.x, v.y, v.z) * Math.sign(v.w);
    return [v.x / l, v.y / l, v.z / l];
  }
}
