// How the viewer moves: walking with gravity and collisions, and flying. It also finds the block that
// the viewer points at.

import { cellAt, Tree, type Node } from "./tree.ts";
import type { Pose } from "./scene.ts";
import type { Extent } from "./solid.ts";

/** What a block is to somebody who moves. */
export const enum Body {
  Free,
  Solid,
  Liquid,
}

/** What the viewer wants: each from -1 to 1. */
export interface Wish {
  ahead: number;
  right: number;
  up: number;
  fast: boolean;
}

const width = 0.3; // half of it
const height = 1.8;
/** How high the eyes are over the feet. */
export const eyes = 1.62;
const gravity = 28, leap = 8.6, walking = 4.6, running = 7.5, swimming = 2.6;

export class Walker {
  flying = true;
  /** Blocks per second when flying. */
  speed = 16;
  velocity: [number, number, number] = [0, 0, 0];
  /** Where the eyes were when the walker stood on something last. */
  stood: [number, number, number] | undefined;
  private grounded = false;
  private ease = 0; // how far the eyes are still below where they belong, after a step up

  constructor(readonly pose: Pose, private readonly tree: Tree, private readonly body: (n: Node, cell: number) => Body, private readonly steps: () => number, private readonly outside: (x: number, y: number, z: number) => boolean) {}

  /** Moves for some seconds and reports whether the pose changed. */
  move(seconds: number, w: Wish): boolean {
    const before = { ...this.pose };
    for (let left = Math.min(seconds, 0.25); left > 1e-6; left -= 1 / 60) {
      const t = Math.min(left, 1 / 60);
      if (this.flying) this.fly(t, w);
      else this.walk(t, w);
    }
    const p = this.pose;
    return p.x !== before.x || p.y !== before.y || p.z !== before.z;
  }

  private heading(w: Wish): [number, number] {
    const a = (this.pose.yaw * Math.PI) / 180, l = Math.max(1, Math.hypot(w.ahead, w.right));
    return [(Math.sin(a) * w.ahead + Math.cos(a) * w.right) / l, (-Math.cos(a) * w.ahead + Math.sin(a) * w.right) / l];
  }

  private fly(t: number, w: Wish) {
    const [x, z] = this.heading(w);
    const v = this.velocity, s = this.speed * (w.fast ? 3 : 1), soft = 1 - Math.exp(-t * 9);
    v[0] += (x * s - v[0]) * soft;
    v[1] += (w.up * s - v[1]) * soft;
    v[2] += (z * s - v[2]) * soft;
    for (let i = 0; i < 3; i++) if (Math.abs(v[i]!) < 0.01) v[i] = 0;
    const p = this.pose;
    p.x += v[0] * t;
    p.y += v[1] * t;
    p.z += v[2] * t;
  }

  private walk(t: number, w: Wish) {
    const p = this.pose, v = this.velocity;
    const feet = p.y - eyes + this.ease;
    const here = this.at(p.x, feet + 0.5, p.z);
    if (here === undefined) {
      v.fill(0); // the ground is not there yet
      return;
    }
    const wet = here === Body.Liquid;
    const [x, z] = this.heading(w);
    const s = wet ? swimming : w.fast ? running : walking, soft = 1 - Math.exp(-t * (this.grounded || wet ? 14 : 3));
    v[0] += (x * s - v[0]) * soft;
    v[2] += (z * s - v[2]) * soft;
    if (wet) {
      v[1] += ((w.up > 0 ? 4 : -1.5) - v[1]) * (1 - Math.exp(-t * 6));
    } else {
      v[1] = Math.max(v[1] - gravity * t, -60);
      if (this.grounded && w.up > 0) v[1] = leap;
    }
    let f = feet;
    if (this.stuck(p.x, f, p.z)) {
      f += 8 * t; // inside of blocks: an edit, or the way here by flying
      v[1] = 0;
    }
    const dy = v[1] * t;
    this.grounded = false;
    if (this.stuck(p.x, f + dy, p.z) && !this.stuck(p.x, f, p.z)) {
      if (dy < 0) {
        f = this.rest(p.x, f, f + dy, p.z);
        this.grounded = true;
        this.stood = [p.x, f + eyes, p.z];
      }
      v[1] = 0;
    } else f += dy;
    for (const axis of [0, 2] as const) {
      const d = v[axis] * t;
      const nx = axis === 0 ? p.x + d : p.x, nz = axis === 2 ? p.z + d : p.z;
      if (!this.stuck(nx, f, nz)) {
        p.x = nx;
        p.z = nz;
        continue;
      }
      const step = this.steps();
      const up = this.grounded || wet ? this.rest(nx, f + step + 0.01, f, nz) : f;
      if (up > f && up - f <= step && !this.stuck(nx, up, nz) && !this.stuck(p.x, up, p.z)) {
        this.ease += up - f;
        f = up;
        p.x = nx;
        p.z = nz;
      } else v[axis] = 0;
    }
    this.ease *= Math.exp(-t * 14);
    if (this.ease < 0.001) this.ease = 0;
    p.y = f + eyes - this.ease;
  }

  // rest returns the lowest height from high down to low at which a body is not stuck.
  private rest(x: number, high: number, low: number, z: number): number {
    if (this.stuck(x, high, z)) return high;
    for (let i = 0; i < 12; i++) {
      const mid = (high + low) / 2;
      if (this.stuck(x, mid, z)) low = mid;
      else high = mid;
    }
    return high;
  }

  private stuck(x: number, feet: number, z: number): boolean {
    for (let by = Math.floor(feet); by <= Math.floor(feet + height); by++)
      for (let bz = Math.floor(z - width); bz <= Math.floor(z + width); bz++)
        for (let bx = Math.floor(x - width); bx <= Math.floor(x + width); bx++) {
          if (this.at(bx, by, bz) !== Body.Solid) continue;
          const n = this.tree.at(bx, by, bz)!, { low, high } = this.tree.matter(n, cellAt(n, bx, by, bz), bx, by, bz);
          if (low[0] < x + width && x - width < high[0] && low[1] < feet + height && feet < high[1] && low[2] < z + width && z - width < high[2]) return true;
        }
    return false;
  }

  /** What is at a place, or undefined if that is not known block by block. */
  private at(x: number, y: number, z: number): Body | undefined {
    const n = this.tree.at(Math.floor(x), Math.floor(y), Math.floor(z));
    if (!n) return this.outside(x, y, z) ? Body.Free : undefined;
    if (n.level > 0) return Tree.hollow(n, Math.floor(x), Math.floor(y), Math.floor(z)) ? Body.Free : undefined;
    const b = [Math.floor(x), Math.floor(y), Math.floor(z)] as const, body = this.body(n, cellAt(n, ...b));
    if (body !== Body.Free || n.liquid === 0) return body;
    const level = cellAt(n, ...b, n.liquid), over = this.tree.at(b[0], b[1] + 1, b[2]);
    const deep = over !== undefined && cellAt(over, b[0], b[1] + 1, b[2], over.liquid) > 0;
    return level > 0 && (deep || (y - b[1]) * 256 <= level) ? Body.Liquid : body;
  }
}

/** What a ray meets. */
export interface Hit {
  node: Node;
  cell: number;
  block: [number, number, number];
  face: number;
}

/** Finds the first cell along a ray that `seen` reports, at most `reach` blocks away. */
export function cast(tree: Tree, from: [number, number, number], d: [number, number, number], reach: number, seen: (n: Node, cell: number) => boolean): Hit | undefined {
  let t = 0, face = 3;
  for (let i = 0; i < 4096 && t < reach; i++) {
    const at = [0, 1, 2].map((a) => from[a]! + d[a]! * (t + 1e-4)) as [number, number, number];
    const block = at.map(Math.floor) as [number, number, number];
    const n = tree.at(...block);
    let step = 16;
    if (n) {
      const cell = cellAt(n, ...block);
      if (cell !== 0 && seen(n, cell)) {
        const hit = enter(tree.matter(n, cell, ...block), from, d, t, face);
        if (hit && hit.t < reach) return { node: n, cell, block, face: hit.face };
      }
      step = n.cells === 0 ? 16 * 2 ** n.level : 2 ** n.level;
    }
    // To the end of the cell, or of the cube if it is empty or not there.
    let next = Infinity;
    for (let a = 0; a < 3; a++) {
      if (d[a] === 0) continue;
      const low = Math.floor(at[a]! / step) * step, plane = d[a]! > 0 ? low + step : low;
      const s = (plane - from[a]!) / d[a]!;
      if (s < next) {
        next = s;
        face = 2 * a + (d[a]! > 0 ? 0 : 1);
      }
    }
    t = Math.max(next, t + 1e-4);
  }
  return;
}

// enter returns where a ray enters matter in a cell that it comes into at t through a face.
function enter({ low, high }: Extent, from: [number, number, number], d: [number, number, number], t: number, face: number): { t: number; face: number } | undefined {
  let leave = Infinity;
  for (let a = 0; a < 3; a++) {
    if (d[a] === 0) {
      if (from[a]! < low[a]! || from[a]! >= high[a]!) return;
      continue;
    }
    const ahead = d[a]! > 0, at = ((ahead ? low : high)[a]! - from[a]!) / d[a]!;
    if (at > t) {
      t = at;
      face = 2 * a + (ahead ? 0 : 1);
    }
    leave = Math.min(leave, ((ahead ? high : low)[a]! - from[a]!) / d[a]!);
  }
  return t <= leave ? { t, face } : undefined;
}
