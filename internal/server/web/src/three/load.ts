// From the stream to the screen: cubes become meshes in workers, and meshes come to the graphics card a
// few milliseconds a frame.

import { Schema, type Cells, type Client, type Cube, type Place } from "../../../../../server/stream/typescript/index.ts";
import workerURL from "./mesh.worker";
import type { Done, Job, Setup } from "./mesh.worker.ts";
import { rim, shapeOf } from "./nets.ts";
import { Kind } from "./quads.ts";
import type { Scene } from "./scene.ts";
import { Tree, type Node } from "./tree.ts";
import { Body } from "./walk.ts";

const jobsPerWorker = 3;
const liquids = /(^|[:_])(water|lava|bubble_column)\b/;

/** Loader keeps the tree of cubes, has meshes made, and gives them to a Scene. */
export class Loader {
  readonly tree = new Tree();
  /** Where the viewer is: near cubes get their meshes first. */
  eye: [number, number, number] = [0, 0, 0];
  smooth = false;

  /** The volume that is drawn. */
  main = 0;
  private wet = -1; // the volume with the liquid of a smooth world
  private workers: { worker: Worker; jobs: number }[] = [];
  private queue: Node[] = [];
  private results: Done[] = [];
  private selected = 0; // when it was last thought over what is drawn
  private bodies = new Uint8Array(32768);
  private kinds = new Uint8Array(1);

  private client: Client | undefined;

  constructor(private readonly scene: Scene, private readonly wake: () => void) {}

  private facesOf: ((names: string[]) => Promise<(number[] | null)[]>) | null = null;

  /** Draws with textures from now on. facesOf asks for the tiles of blocks by their names. */
  textures(facesOf: (names: string[]) => Promise<(number[] | null)[]>) {
    this.facesOf = facesOf;
    const c = this.client;
    if (!c || this.smooth) return;
    const cubes = [...c.cubes.values()];
    this.begin(c);
    this.names(c, this.main, 0);
    this.take(cubes);
  }

  private async texture(names: string[], from: number) {
    const c = this.client;
    const faces = await this.facesOf!(names).catch(() => []); // the blocks keep their colours
    if (c !== this.client) return;
    faces.forEach((f, i) => f && this.scene.tiles(from + i, f));
    this.wake();
  }

  /** Begins with the volumes of a session. */
  begin(client: Client) {
    this.client = client;
    const v = client.volumes;
    const first = (f: (i: number) => boolean) => v.findIndex((_, i) => f(i));
    const whole = (i: number) => v[i]!.scale === 1;
    this.main = first((i) => whole(i) && v[i]!.schema === Schema.Palette);
    if (this.main < 0) this.main = first((i) => whole(i) && v[i]!.schema === Schema.Terrain);
    if (this.main < 0) this.main = 0;
    this.smooth = v[this.main]!.schema === Schema.Terrain;
    this.wet = this.smooth ? first((i) => whole(i) && v[i]!.schema === Schema.Level && v[i]!.name === "liquid") : -1;
    for (const n of this.tree.nodes.values()) this.scene.remove(n);
    this.tree.clear();
    this.queue = [];
    this.results = [];
    this.tree.smooth = this.smooth;
    this.scene.begin(this.smooth);
    if (this.smooth) this.scene.look(63, 58, 112, 190, 150);
    this.end();
    const n = Math.min(Math.max((navigator.hardwareConcurrency || 2) - 1, 1), 4);
    for (let i = 0; i < n; i++) {
      const w = { worker: new Worker(workerURL, { type: "module" }), jobs: 0 };
      w.worker.onmessage = (e: MessageEvent<Done>) => {
        w.jobs--;
        this.results.push(e.data);
        this.dispatch();
        this.wake();
      };
      this.workers.push(w);
    }
    this.kinds = new Uint8Array([Kind.Nothing]);
    this.setup();
  }

  end() {
    for (const w of this.workers) w.worker.terminate();
    this.workers = [];
  }

  /** Takes new names of a volume into use. */
  names(client: Client, volume: number, from: number) {
    if (volume !== this.main) return;
    const all = client.names[volume]!;
    if (!this.smooth && all.length > this.kinds.length) {
      const kinds = new Uint8Array(all.length);
      kinds.set(this.kinds);
      this.kinds = kinds;
    }
    for (let i = Math.min(from, all.length); i < all.length; i++) {
      const { name, look } = all[i]!;
      this.scene.look(i, look.red, look.green, look.blue, look.alpha);
      if (this.smooth) continue;
      // Without textures nothing of a cut-out block is cut out.
      this.kinds[i] = look.kind === Kind.CutOut && !this.facesOf ? Kind.Opaque : look.kind;
      const wet = liquids.test(name);
      this.bodies[i] = look.kind === Kind.Nothing ? Body.Free : wet ? Body.Liquid : Body.Solid;
    }
    if (this.facesOf && !this.smooth && from < all.length) void this.texture(all.slice(from).map((n) => n.name), from);
    this.shapes = this.smooth ? new Uint8Array(all.map((n) => shapeOf(n.name))) : null;
    this.setup();
  }
  private shapes: Uint8Array | null = null;

  private setup() {
    const s: Setup = { kinds: this.kinds, shapes: this.smooth ? (this.shapes ?? new Uint8Array()) : null };
    for (const w of this.workers) w.worker.postMessage(s);
  }

  /** Takes cubes that are new or have changed. */
  take(cubes: Cube[]) {
    for (const c of cubes) this.tree.set(c.level, c.x, c.y, c.z, c.cells[this.main]!, this.wet < 0 ? 0 : (c.cells[this.wet] as Cells));
    this.dispatch();
    this.wake();
  }

  forget(places: Place[]) {
    for (const p of places) {
      const n = this.tree.forget(p.level, p.x, p.y, p.z);
      if (n) this.scene.remove(n);
    }
    this.wake();
  }

  /** What a cell is to somebody who walks. */
  body = (_: Node, cell: number): Body => {
    if (!this.smooth) return this.bodies[cell]!;
    return cell >> 8 ? Body.Solid : Body.Free;
  };

  /** Reports whether one can see a cell. */
  seen = (_: Node, cell: number): boolean => (this.smooth ? cell >> 8 !== 0 : (this.kinds[cell] ?? Kind.Opaque) !== Kind.Nothing);

  private dispatch() {
    for (;;) {
      const w = this.workers.reduce((a, b) => (b.jobs < a.jobs ? b : a), this.workers[0]!);
      if (!w || w.jobs >= jobsPerWorker) return;
      const n = this.next();
      if (!n) return;
      this.tree.dirty.delete(n);
      n.busy = true;
      const cells = this.tree.bordered(n, false, this.smooth ? rim : 1);
      const liquid = this.wet < 0 ? null : this.tree.bordered(n, true, rim);
      const job: Job = { id: n.id, stamp: n.stamp, cells, liquid };
      w.jobs++;
      w.worker.postMessage(job, liquid ? [cells.buffer, liquid.buffer] : [cells.buffer]);
    }
  }

  // next returns the node whose mesh is needed most: those without one first, coarse before fine, near
  // before far.
  private next(): Node | undefined {
    for (;;) {
      const n = this.queue.pop();
      if (n) {
        if (this.tree.dirty.has(n) && !n.busy) return n;
        continue;
      }
      const all: { n: Node; rank: number }[] = [];
      for (const n of this.tree.dirty) {
        if (n.busy) continue;
        const s = 16 * 2 ** n.level;
        const d = Math.hypot((n.x + 0.5) * s - this.eye[0], (n.y + 0.5) * s - this.eye[1], (n.z + 0.5) * s - this.eye[2]);
        all.push({ n, rank: (n.made < 0 ? 0 : 1e9) + d / s - n.level * 1000 });
      }
      if (all.length === 0) return;
      all.sort((a, b) => b.rank - a.rank);
      this.queue = all.slice(-48).map((a) => a.n);
    }
  }

  /** Gives meshes to the scene for at most some milliseconds. */
  upload(milliseconds: number) {
    const until = performance.now() + milliseconds;
    let i = 0;
    for (; i < this.results.length && (i === 0 || performance.now() < until); i++) {
      const m = this.results[i]!;
      const n = this.tree.byID.get(m.id);
      if (!n) continue;
      n.busy = false;
      if (n.made < 0) this.tree.changed = true;
      const had = n.slot !== null;
      n.made = m.stamp;
      this.scene.put(n, m);
      if ((n.slot !== null) !== had) this.tree.changed = true;
    }
    this.results.splice(0, i);
    if (this.tree.changed && (this.results.length === 0 || until - this.selected > 100)) {
      this.selected = until;
      const nodes: Node[] = [];
      this.tree.select((n) => nodes.push(n));
      this.scene.select(nodes);
    }
    this.dispatch();
  }

  /** Returns the cubes that have no mesh yet. */
  unmade(): Set<Node> {
    const out = new Set<Node>();
    for (const n of this.tree.nodes.values()) if (n.made < 0) out.add(n);
    return out;
  }

  get waiting(): number {
    return this.tree.dirty.size + this.results.length;
  }
}
