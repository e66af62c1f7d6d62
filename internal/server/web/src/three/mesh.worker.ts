// The worker that makes meshes of cubes.

import { Mesher, parts, unknown, type Mesh } from "./quads.ts";
import { Netter } from "./nets.ts";

/** What a worker must know before it can make meshes. */
export interface Setup {
  kinds: Uint8Array; // by cell
  shapes: Uint8Array | null; // by material, for a smooth world
}

export interface Job {
  id: number;
  stamp: number;
  cells: Uint16Array;
  liquid: Uint16Array | null; // Level cells of a smooth world
}

export interface Done extends Mesh {
  id: number;
  stamp: number;
}

let mesher: Mesher | undefined;
let solid: Netter | undefined;
let wet: Netter | undefined;

/** The number of the material that stands for the liquid of a smooth world. */
const liquidMaterial = 63;

function make(job: Job): Mesh {
  if (mesher) return mesher.mesh(job.cells);
  const ground = solid!.mesh(job.cells);
  if (!job.liquid) return ground;
  const liquid = job.liquid;
  for (let i = 0; i < liquid.length; i++) {
    const c = liquid[i]!;
    // Under the ground liquid goes on, so that its surface has no rim along the shore.
    if (c > 0 && c !== unknown) liquid[i] = (liquidMaterial << 8) | c;
  }
  const water = wet!.mesh(liquid);
  const texels = new Uint32Array(ground.texels.length + water.texels.length);
  texels.set(ground.texels);
  texels.set(water.texels, ground.texels.length);
  const ranges = ground.ranges;
  const base = ground.texels.length >> 1;
  for (let i = 0; i < parts; i++) ranges[2 * parts + i] = base + water.ranges[2 * parts + i]!;
  return { texels, ranges };
}

self.onmessage = (event: MessageEvent<Setup | Job>) => {
  const m = event.data;
  if ("kinds" in m) {
    mesher = m.shapes ? undefined : new Mesher(m.kinds);
    solid = m.shapes ? new Netter(m.shapes, 0) : undefined;
    wet = m.shapes ? new Netter(new Uint8Array(), 2) : undefined;
    return;
  }
  const mesh = make(m);
  const done: Done = { id: m.id, stamp: m.stamp, ...mesh };
  (self as unknown as Worker).postMessage(done, [mesh.texels.buffer, mesh.ranges.buffer]);
};

/** The bundler gives importers the address of this file in place of it. */
export default "";
