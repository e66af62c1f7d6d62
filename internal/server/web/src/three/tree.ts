// The cubes that the page holds as a tree, and which of them are drawn: a cube is drawn until its
// eight children can be.

import { edge, unknown } from "./quads.ts";
import { coarse, extent, fullness, whole, type Extent } from "./solid.ts";

/** The cells of a volume of a cube: one number if all are equal. */
export type Cells = Uint16Array | number;

export interface Node {
  readonly id: number;
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  cells: Cells;
  liquid: Cells;
  rims: number; // a bit for each side whose outermost layer has cells
  parent: Node | null;
  children: (Node | null)[];
  held: number; // a bit for each child that is there
  hollow: number; // a bit for each child that would be empty; the server does not send those
  stamp: number; // rises when the mesh no longer fits
  made: number; // the stamp that the mesh was made of; -1 before the first
  busy: boolean; // a worker makes its mesh
  queued: boolean;
  active: boolean; // drawn, or empty where it would be drawn
  sides: number; // of an active node: the sides where no active node of its level is
  slot: unknown; // of the renderer
}

export class Tree {
  readonly nodes = new Map<string, Node>();
  readonly byID = new Map<number, Node>();
  /** Nodes whose mesh must be made. */
  readonly dirty = new Set<Node>();
  /** Cells are those of a terrain, which may be partly full. */
  smooth = false;
  /** Set when the active nodes may have changed. */
  changed = true;
  private last = 0;
  private top = 0; // no cube had a coarser level

  get(level: number, x: number, y: number, z: number): Node | undefined {
    return this.nodes.get(key(level, x, y, z));
  }

  clear() {
    this.nodes.clear();
    this.byID.clear();
    this.dirty.clear();
    this.changed = true;
  }

  /** Adds a cube or replaces its cells. */
  set(level: number, x: number, y: number, z: number, cells: Cells, liquid: Cells): Node {
    let n = this.get(level, x, y, z);
    this.top = Math.max(this.top, level);
    if (n) {
      n.cells = cells;
      n.liquid = liquid;
      n.hollow = hollowOf(cells) & hollowOf(liquid);
      n.rims = rimsOf(cells) | rimsOf(liquid);
      this.changed = true;
    } else {
      n = {
        id: ++this.last, level, x, y, z, cells, liquid,
        parent: null, children: [null, null, null, null, null, null, null, null], held: 0, hollow: hollowOf(cells) & hollowOf(liquid), rims: rimsOf(cells) | rimsOf(liquid),
        stamp: 0, made: -1, busy: false, queued: false, active: false, sides: 63, slot: null,
      };
      this.nodes.set(key(level, x, y, z), n);
      this.byID.set(n.id, n);
      const parent = this.get(level + 1, x >> 1, y >> 1, z >> 1);
      if (parent) adopt(parent, n);
      for (let i = 0; level > 0 && i < 8; i++) {
        const child = this.get(level - 1, 2 * x + (i & 1), 2 * y + ((i >> 1) & 1), 2 * z + (i >> 2));
        if (child) adopt(n, child);
      }
      this.changed = true;
    }
    this.touch(n);
    this.around(n, (m) => this.touch(m));
    return n;
  }

  /** Removes a cube and returns it. */
  forget(level: number, x: number, y: number, z: number): Node | undefined {
    const n = this.get(level, x, y, z);
    if (!n) return;
    this.nodes.delete(key(level, x, y, z));
    this.byID.delete(n.id);
    this.dirty.delete(n);
    if (n.parent) {
      n.parent.children[octant(n)] = null;
      n.parent.held &= ~(1 << octant(n));
    }
    for (const child of n.children) if (child) child.parent = null;
    n.active = false;
    this.changed = true;
    return n;
  }

  private touch(n: Node) {
    n.stamp++;
    if (n.cells === 0 && n.liquid === 0) {
      if (n.made < 0) this.changed = true;
      if (n.slot === null) {
        n.made = n.stamp;
        return;
      }
    }
    this.dirty.add(n);
  }

  private around(n: Node, f: (m: Node) => void) {
    for (let dy = -1; dy <= 1; dy++)
      for (let dz = -1; dz <= 1; dz++)
        for (let dx = -1; dx <= 1; dx++) {
          if (dx === 0 && dy === 0 && dz === 0) continue;
          // What m looks like depends on n only through cells of m that touch n.
          const touching = (dx === 0 ? 0 : 1 << (dx < 0 ? 1 : 0)) | (dy === 0 ? 0 : 4 << (dy < 0 ? 1 : 0)) | (dz === 0 ? 0 : 16 << (dz < 0 ? 1 : 0));
          const m = this.get(n.level, n.x + dx, n.y + dy, n.z + dz);
          if (m && (m.rims & touching) === touching) f(m);
        }
  }

  /** Returns the cells of n with a border. Where no cube of its level is, coarser ones say what is there. */
  bordered(n: Node, liquid: boolean, border = 1): Uint16Array {
    const out = new Uint16Array((edge + 2 * border) ** 3);
    for (let dy = -1; dy <= 1; dy++)
      for (let dz = -1; dz <= 1; dz++)
        for (let dx = -1; dx <= 1; dx++) {
          const m = dx === 0 && dy === 0 && dz === 0 ? n : this.get(n.level, n.x + dx, n.y + dy, n.z + dz);
          if (m) {
            const cells = liquid ? m.liquid : m.cells;
            if (cells !== 0) copy(out, cells, dx, dy, dz, border);
            continue;
          }
          const a = this.above(n.level, n.x + dx, n.y + dy, n.z + dz);
          if (!a) copy(out, unknown, dx, dy, dz, border);
          else copyCoarse(out, n, a, liquid ? a.liquid : a.cells, dx, dy, dz, border, (cell, x, y, z) => (this.smooth ? this.part(n, a, cell, liquid, x, y, z) : cell));
        }
    return out;
  }

  // part returns the cell of the level of n that stands for a part of a coarser cell of a terrain, so that surfaces of both meet.
  private part(n: Node, a: Node, cell: number, liquid: boolean, x: number, y: number, z: number): number {
    if (cell === 0) return 0;
    if ((cell & 255) === 255) return cell | coarse;
    const s = 2 ** n.level, at = [x * s, y * s, z * s] as Extent["low"];
    let m: Extent;
    if (liquid) {
      const up = 2 ** a.level, over = Math.floor(at[1] / up) * up + up, b = this.at(at[0], over, at[2]);
      if (b && cellAt(b, at[0], over, at[2], b.liquid) > 0) return cell | coarse;
      m = { low: [-Infinity, -Infinity, -Infinity], high: [Infinity, over - up + (up * (cell + 1)) / whole, Infinity] };
    } else m = this.matter(a, cell, ...at);
    const full = Math.min(...at.map((v, i) => Math.round((Math.min(m.high[i]!, v + s) - Math.max(m.low[i]!, v)) * (whole / s))));
    return full > 0 ? (cell & ~255) | Math.max(full - 1, liquid ? 1 : 0) | coarse : 0;
  }

  // below reports whether n lies in a cube that is there, but not its parent.
  private below(n: Node): boolean {
    return this.above(n.level, n.x, n.y, n.z) !== undefined;
  }

  // above returns the finest cube of a coarser level that holds a cube.
  private above(level: number, x: number, y: number, z: number): Node | undefined {
    for (let up = 1; level + up <= this.top; up++) {
      const n = this.get(level + up, x >> up, y >> up, z >> up);
      if (n) return n;
    }
    return;
  }

  /** Reports whether a block lies in a part of n of which the server sends no finer cubes, for it is empty. */
  static hollow(n: Node, x: number, y: number, z: number): boolean {
    return n.level > 0 && ((n.hollow >> octantOf(shift(x, n.level + 3), shift(y, n.level + 3), shift(z, n.level + 3), 0)) & 1) === 1;
  }

  /** The coarsest cubes, which hold all others. */
  roots(): Node[] {
    return [...this.nodes.values()].filter((n) => !n.parent && !this.below(n));
  }

  /** Says which nodes are active, and calls f for each that has a mesh. */
  select(f: (n: Node) => void) {
    this.changed = false;
    for (const n of this.nodes.values()) n.active = false;
    for (const n of this.roots()) visit(n);
    for (const n of this.nodes.values()) {
      if (!n.active || n.slot === null) continue;
      n.sides = 0;
      for (let side = 0; side < 6; side++) {
        const step = side & 1 ? 1 : -1, axis = side >> 1;
        const m = this.get(n.level, n.x + (axis === 0 ? step : 0), n.y + (axis === 1 ? step : 0), n.z + (axis === 2 ? step : 0));
        if (!m || !m.active) n.sides |= 1 << side; // a cube without cells has nothing to close
      }
      f(n);
    }
  }

  /** Returns where the matter of a cell of n is that holds a block, in blocks. */
  matter(n: Node, cell: number, x: number, y: number, z: number): Extent {
    const s = 2 ** n.level, low = [x, y, z].map((v) => Math.floor(v / s) * s) as Extent["low"];
    const e = extent(this.smooth ? fullness(cell) : whole, (axis, step) => {
      const q = [...low] as Extent["low"];
      q[axis]! += step * s;
      const by = n.level + 4, m = this.get(n.level, shift(q[0], by), shift(q[1], by), shift(q[2], by)) ?? this.at(...q);
      return m !== undefined && cellAt(m, ...q) !== 0;
    });
    const at = (v: number, axis: number) => low[axis]! + (v * s) / whole;
    return { low: e.low.map(at) as Extent["low"], high: e.high.map(at) as Extent["high"] };
  }

  /** Returns the finest node that holds a block, and the place of the block in it. */
  at(x: number, y: number, z: number): Node | undefined {
    for (let level = 0; level <= this.top; level++) {
      const s = level + 4;
      const n = this.get(level, shift(x, s), shift(y, s), shift(z, s));
      if (n) return n;
    }
    return;
  }
}

/** Returns the cell of a block in a node that holds it, or of its liquid. */
export function cellAt(n: Node, x: number, y: number, z: number, cells = n.cells): number {
  if (typeof cells === "number") return cells;
  const a = shift(x, n.level) & (edge - 1), b = shift(y, n.level) & (edge - 1), c = shift(z, n.level) & (edge - 1);
  return cells[(b * edge + c) * edge + a]!;
}

const shift = (v: number, by: number) => Math.floor(v / 2 ** by);

export function key(level: number, x: number, y: number, z: number): string {
  return `${level},${x},${y},${z}`;
}

const octantOf = (x: number, y: number, z: number, by: number) => ((x >> by) & 1) | (((y >> by) & 1) << 1) | (((z >> by) & 1) << 2);
const octant = (n: Node) => octantOf(n.x, n.y, n.z, 0);

// rimsOf returns a bit for each side of a cube whose outermost layer has cells.
function rimsOf(cells: Cells): number {
  if (typeof cells === "number") return cells === 0 ? 0 : 63;
  let rims = 0;
  const last = edge - 1;
  for (let a = 0; a < edge; a++)
    for (let b = 0; b < edge; b++) {
      const flat = a * edge + b;
      if (cells[flat * edge]) rims |= 1;
      if (cells[flat * edge + last]) rims |= 2;
      if (cells[flat]) rims |= 4;
      if (cells[last * edge * edge + flat]) rims |= 8;
      if (cells[a * edge * edge + b]) rims |= 16;
      if (cells[a * edge * edge + last * edge + b]) rims |= 32;
    }
  return rims;
}

// hollowOf returns a bit for each octant of a cube that has no cells.
function hollowOf(cells: Cells): number {
  if (typeof cells === "number") return cells === 0 ? 255 : 0;
  let full = 0;
  for (let row = 0, i = 0; row < edge * edge; row++) {
    const at = ((row >> 7) << 1) | (((row >> 3) & 1) << 2);
    for (let half = 0; half < 2; half++, i += 8) {
      if ((full >> (at | half)) & 1) continue;
      for (let x = i; x < i + 8; x++)
        if (cells[x] !== 0) {
          full |= 1 << (at | half);
          break;
        }
    }
  }
  return ~full & 255;
}

function adopt(parent: Node, child: Node) {
  parent.children[octant(child)] = child;
  parent.held |= 1 << octant(child);
  child.parent = parent;
}

const ready = (n: Node): boolean => n.made >= 0 || refined(n);

// refined reports whether the children of n can be drawn in its place.
function refined(n: Node): boolean {
  if (n.held === 0 || (n.held | n.hollow) !== 255) return false;
  for (const child of n.children) if (child && !ready(child)) return false;
  return true;
}

function visit(n: Node) {
  if (refined(n)) {
    for (const child of n.children) if (child) visit(child);
    return;
  }
  n.active = true;
}

// copy writes the part of a cube at a distance to a box of a cube and its border.
function copy(out: Uint16Array, cells: Cells, dx: number, dy: number, dz: number, border: number) {
  const from = (d: number) => (d < 0 ? edge - border : 0), to = (d: number) => (d > 0 ? border : edge);
  const padded = edge + 2 * border, x0 = from(dx), x1 = to(dx);
  for (let y = from(dy); y < to(dy); y++)
    for (let z = from(dz); z < to(dz); z++) {
      const o = ((y + border + dy * edge) * padded + z + border + dz * edge) * padded + border + dx * edge;
      if (typeof cells === "number") out.fill(cells, o + x0, o + x1);
      else {
        const i = (y * edge + z) * edge;
        out.set(cells.subarray(i + x0, i + x1), o + x0);
      }
    }
}

// copyCoarse writes the part of a coarser cube at a distance from n to a box of n and its border.
function copyCoarse(out: Uint16Array, n: Node, a: Node, cells: Cells, dx: number, dy: number, dz: number, border: number, part: (cell: number, x: number, y: number, z: number) => number) {
  if (typeof cells === "number") {
    if (cells !== 0) copy(out, cells, dx, dy, dz, border);
    return;
  }
  const up = a.level - n.level, padded = edge + 2 * border;
  const from = (d: number) => (d < 0 ? -border : d > 0 ? edge : 0), to = (d: number) => (d < 0 ? 0 : d > 0 ? edge + border : edge);
  for (let y = from(dy); y < to(dy); y++)
    for (let z = from(dz); z < to(dz); z++)
      for (let x = from(dx); x < to(dx); x++) {
        const p = [n.x * edge + x, n.y * edge + y, n.z * edge + z] as const;
        const i = (p[0] >> up) - a.x * edge, j = (p[1] >> up) - a.y * edge, k = (p[2] >> up) - a.z * edge;
        out[((y + border) * padded + z + border) * padded + x + border] = part(cells[(j * edge + k) * edge + i]!, ...p);
      }
}
