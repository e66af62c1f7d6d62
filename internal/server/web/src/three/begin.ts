// Where a view begins: how land looks from a pose, and the pose that shows most of it.

import type { Pose } from "./scene.ts";
import { edge } from "./quads.ts";
import { cellAt, type Node, type Tree } from "./tree.ts";
import { cast } from "./walk.ts";

type Seen = (n: Node, cell: number) => boolean;

/** A column of the land: its middle, and the height of its top, in blocks. */
export interface Column {
  x: number;
  z: number;
  top: number;
}

/** Returns the columns of what is there, as the coarsest cubes of the tree say. */
export function landOf(tree: Tree, seen: Seen): Column[] {
  const out = new Map<string, Column>();
  for (const n of tree.roots()) {
    if (n.cells === 0) continue;
    const s = 2 ** n.level;
    for (let z = 0; z < edge; z++)
      for (let x = 0; x < edge; x++)
        for (let y = edge - 1; y >= 0; y--) {
          const p: [number, number, number] = [(n.x * edge + x) * s, (n.y * edge + y) * s, (n.z * edge + z) * s];
          const cell = cellAt(n, ...p);
          if (cell === 0 || !seen(n, cell)) continue;
          const c = { x: p[0] + s / 2, z: p[2] + s / 2, top: p[1] + s }, at = `${c.x},${c.z}`, had = out.get(at);
          if (!had || had.top < c.top) out.set(at, c);
          break;
        }
  }
  return [...out.values()];
}

/** Returns the column in the middle of most of the land, and how far that reaches around it. What lies alone far away does not count. */
export function middleOf(land: Column[]): { middle: Column; reach: number } | undefined {
  if (land.length === 0) return;
  const part = (of: number[], share: number) => of.sort((a, b) => a - b)[Math.min(of.length - 1, Math.floor(of.length * share))]!;
  const x = part(land.map((c) => c.x), 0.5), z = part(land.map((c) => c.z), 0.5);
  const off = (c: Column) => Math.max(Math.abs(c.x - x), Math.abs(c.z - z));
  return { middle: land.reduce((a, b) => (off(b) < off(a) ? b : a)), reach: part(land.map(off), 0.95) };
}

const wide = 9, high = 7; // rays that try a view

/** Returns the share of a view that shows something; what is so near that it hides the rest counts little. */
export function shown(tree: Tree, seen: Seen, p: Pose, far: number): number {
  let sum = 0;
  const a = (p.yaw * Math.PI) / 180, b = (p.pitch * Math.PI) / 180;
  for (let j = 0; j < high; j++)
    for (let i = 0; i < wide; i++) {
      const u = ((i + 0.5) / wide - 0.5) * 2.2, v = (0.5 - (j + 0.5) / high) * 1.4; // a window half as wide again as high, of 70 degrees
      const ahead = Math.cos(b) - v * Math.sin(b), up = Math.sin(b) + v * Math.cos(b), l = Math.hypot(ahead, up, u);
      const d: [number, number, number] = [(Math.sin(a) * ahead + Math.cos(a) * u) / l, up / l, (-Math.cos(a) * ahead + Math.sin(a) * u) / l];
      const hit = cast(tree, [p.x, p.y, p.z], d, far, seen);
      if (hit) sum += Math.hypot(hit.block[0] - p.x, hit.block[1] - p.y, hit.block[2] - p.z) < 5 ? 0.25 : 1;
    }
  return sum / wide / high;
}

/** Returns the height of the highest thing in a column, or undefined. */
export function topOf(tree: Tree, seen: Seen, x: number, z: number, from: number, down: number): number | undefined {
  const hit = cast(tree, [x, from, z], [0, -1, 0], down, seen);
  return hit && hit.block[1] + 1;
}

/** Returns the pose that looks down at the middle of the land and shows most. */
export function lookAt(tree: Tree, seen: Seen, land: Column[], far: number): Pose | undefined {
  const found = middleOf(land);
  if (!found) return;
  const { middle, reach } = found;
  const high = land.reduce((y, c) => Math.max(y, c.top), -Infinity) + 16;
  let best: Pose | undefined, most = -1;
  for (const share of [1.1, 0.6, 0.3, 0.1]) {
    if (most > 0.25) break; // nearer only if little is seen from afar
    for (let i = 0; i < 8; i++) {
      const away = Math.min(Math.max(reach * share, 10), far * 0.4, 160), yaw = (45 + i * 45) % 360, a = (yaw * Math.PI) / 180;
      const x = middle.x - Math.sin(a) * away, z = middle.z + Math.cos(a) * away;
      const y = Math.max(middle.top + away * 0.55 + 4, (topOf(tree, seen, x, z, high, 4096) ?? -Infinity) + 8);
      const p: Pose = { x, y, z, yaw, pitch: -Math.min(60, (Math.atan2(y - middle.top, away) * 180) / Math.PI) };
      const part = Math.min(shown(tree, seen, p, Math.min(far, 3 * away + 64)), 0.8);
      if (part <= most + 0.04) continue; // else the far one, from the south-west
      most = part;
      best = p;
    }
  }
  return best;
}

/** Returns the pose of somebody who stands at a place and looks where much is to be seen, first to yaw; or undefined if there is nothing to stand on. */
export function standAt(tree: Tree, seen: Seen, solid: Seen, [x, y, z]: [number, number, number], yaw: number, eyes: number, far: number): Pose | undefined {
  const is = (at: number): boolean => {
    const n = tree.at(Math.floor(x), Math.floor(at), Math.floor(z));
    return n !== undefined && solid(n, cellAt(n, Math.floor(x), Math.floor(at), Math.floor(z)));
  };
  for (let up = 0; up < 384 && (is(y) || is(y + 1)); up++) y++; // out of the ground
  const around = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [2, 2], [-2, 2], [2, -2], [-2, -2]] as const;
  const grounds = around.map(([dx, dz]) => topOf(tree, seen, x + dx, z + dz, y + 0.5, 512));
  if (grounds.every((g) => g === undefined)) return;
  if (grounds[0] !== undefined) y = Math.min(y, grounds[0]);
  let best: Pose | undefined, most = -1;
  for (const pitch of [-8, -30])
    for (let i = 0; i < 8 && most < 0.4; i++) {
      const p: Pose = { x, y: y + eyes, z, yaw: (yaw + i * 45 + 360) % 360, pitch };
      const share = shown(tree, seen, p, far);
      if (share <= most + (i === 0 ? 0 : 0.05)) continue;
      most = share;
      best = p;
    }
  return most < 0.12 ? undefined : best;
}
