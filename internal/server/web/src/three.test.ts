// The meshes of the 3D page against slow twins.

import assert from "node:assert/strict";
import { test } from "node:test";
import { landOf, lookAt, middleOf, shown, standAt } from "./three/begin.ts";
import { Netter, rim } from "./three/nets.ts";
import { edge, Kind, Mesher, padded, parts, unknown, type Mesh } from "./three/quads.ts";
import { cellAt, Tree, type Node } from "./three/tree.ts";
import { Body, cast, eyes, Walker } from "./three/walk.ts";

function randoms(seed: number): (n: number) => number {
  return (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
}

const at = (x: number, y: number, z: number) => (y * padded + z) * padded + x;
const kinds = Uint8Array.from([Kind.Nothing, Kind.Opaque, Kind.Opaque, Kind.CutOut, Kind.Transparent, Kind.Transparent, Kind.Nothing]);

function randomCube(seed: number): Uint16Array {
  const r = randoms(seed), cells = new Uint16Array(padded ** 3);
  const dense = 1 + r(9);
  for (let i = 0; i < cells.length; i++) cells[i] = r(10) < dense ? r(7) : 0;
  // Runs, so that quads join, and sides that are not known.
  for (let i = 0; i < 60; i++) cells.fill(r(7), r(cells.length), r(cells.length));
  if (seed % 3 === 0) for (let y = 0; y < padded; y++) for (let z = 0; z < padded; z++) cells[at(0, y, z)] = unknown;
  return cells;
}

const axes = (face: number): [number, number, number] => [face >> 1, face >> 1 === 0 ? 2 : 0, face >> 1 === 1 ? 2 : 1];

/** The faces of quads one by one: where, which list, closing or not, the cell and the light of the corners. */
function facesOf(m: Mesh): Map<string, string> {
  const out = new Map<string, string>();
  for (let k = 0; k < 3; k++)
    for (let part = 0; part < 12; part++)
      for (let q = m.ranges[k * parts + part]!; q < m.ranges[k * parts + part + 1]!; q++) {
        const low = m.texels[2 * q]!, high = m.texels[2 * q + 1]!;
        const face = high & 7, p = [low & 63, (low >> 6) & 63, (low >> 12) & 63], [, u, v] = axes(face);
        assert.equal(face, part >> 1);
        for (let j = 0; j <= ((low >> 24) & 63); j++)
          for (let i = 0; i <= ((low >> 18) & 63); i++) {
            const c = [...p];
            c[u]! += i;
            c[v]! += j;
            const key = `${c} ${face} ${part & 1}`;
            assert.ok(!out.has(key), `two quads have the face ${key}`);
            out.set(key, `list ${k} cell ${(high >> 11) & 32767} light ${(high >> 3) & 255}`);
          }
      }
  return out;
}

function slowFaces(cells: Uint16Array): Map<string, string> {
  const out = new Map<string, string>();
  const kind = (i: number) => (cells[i] === unknown ? -1 : kinds[cells[i]!]!);
  for (let y = 1; y <= edge; y++)
    for (let z = 1; z <= edge; z++)
      for (let x = 1; x <= edge; x++) {
        const p = [x, y, z], i = at(x, y, z), k = kind(i);
        if (k === Kind.Nothing) continue;
        for (let face = 0; face < 6; face++) {
          const [axis, u, v] = axes(face), n = [...p];
          n[axis]! += face & 1 ? 1 : -1;
          const step = (du: number, dv: number) => {
            const q = [...n];
            q[u]! += du;
            q[v]! += dv;
            return kind(at(q[0]!, q[1]!, q[2]!)) === Kind.Opaque ? 1 : 0;
          };
          const j = at(n[0]!, n[1]!, n[2]!), beyond = kind(j);
          const same = k === Kind.Transparent && beyond === Kind.Transparent && cells[i] === cells[j];
          const hidden = beyond === Kind.Opaque || beyond === -1;
          let light = 0;
          for (let corner = 0; corner < 4; corner++) {
            const a = step((corner & 1) * 2 - 1, 0), b = step(0, (corner >> 1) * 2 - 1), c = step((corner & 1) * 2 - 1, (corner >> 1) * 2 - 1);
            light |= (a + b === 2 ? 0 : 3 - a - b - c) << (2 * corner);
          }
          if (!hidden && !same) out.set(`${p} ${face} 0`, `list ${k - 1} cell ${cells[i]} light ${light}`);
          if (p[axis] !== (face & 1 ? edge : 1)) continue;
          const over = kind(at(x, y + 1, z));
          const surface = k === Kind.Transparent && axis !== 1 && !(over > 0) && (hidden || beyond === Kind.Transparent);
          if ((k !== Kind.Transparent && hidden) || surface) out.set(`${p} ${face} 1`, `list ${k - 1} cell ${cells[i]} light 255`);
        }
      }
  return out;
}

test("quads cover each face that is seen once", () => {
  const m = new Mesher(kinds);
  for (let seed = 1; seed <= 40; seed++) {
    const cells = randomCube(seed);
    assert.deepEqual(new Map([...facesOf(m.mesh(cells))].sort()), new Map([...slowFaces(cells)].sort()), `seed ${seed}`);
  }
});

test("a full cube is six quads, and nothing has none", () => {
  const cells = new Uint16Array(padded ** 3);
  const m = new Mesher(kinds);
  assert.equal(m.mesh(cells).texels.length, 0);
  for (let y = 1; y <= edge; y++) for (let z = 1; z <= edge; z++) cells.fill(1, at(1, y, z), at(1, y, z) + edge);
  assert.equal(m.mesh(cells).texels.length, 12);
});

/** Cubes of a terrain at random, as a world of 3 x 3 x 3 cubes of which the middle ones meet. */
function terrain(seed: number): (x: number, y: number, z: number) => number {
  const r = randoms(seed), a = 1 + r(5), b = 1 + r(7);
  const cells = new Map<string, number>();
  return (x, y, z) => {
    const k = `${x},${y},${z}`;
    let c = cells.get(k);
    if (c === undefined) {
      const h = 16 + 6 * Math.sin(x / a / 2) + 5 * Math.cos(z / b / 2) - y + r(3) - 1;
      c = h <= 0 ? 0 : ((1 + r(3)) << 8) | Math.min(255, Math.floor(h * 200));
      cells.set(k, c);
    }
    return c;
  };
}

/** The cells of the cube at o with the border that surfaces want. */
function around(f: (x: number, y: number, z: number) => number, o: number[]): Uint16Array {
  const wide = edge + 2 * rim, cells = new Uint16Array(wide ** 3);
  for (let i = 0; i < cells.length; i++) cells[i] = f(o[0]! + (i % wide) - rim, o[1]! + Math.floor(i / wide / wide) - rim, o[2]! + (Math.floor(i / wide) % wide) - rim);
  return cells;
}

test("smooth surfaces of cubes of one level have no open edge where they meet", () => {
  const n = new Netter(Uint8Array.from([0, 0, 1, 2]));
  for (let seed = 1; seed <= 12; seed++) {
    const f = terrain(seed), edges = new Map<string, number>();
    let triangles = 0;
    for (let cube = 0; cube < 8; cube++) {
      const o = [cube & 1, (cube >> 1) & 1, cube >> 2].map((i) => i * edge);
      const m = n.mesh(around(f, o));
      const corner = (i: number) => {
        const low = m.texels[2 * i]!, high = m.texels[2 * i + 1]!;
        return [(low & 8191) + o[0]! * 256, ((low >> 13) & 8191) + o[1]! * 256, (high & 8191) + o[2]! * 256].join();
      };
      for (let i = m.ranges[0]!; i < m.ranges[1]!; i += 3) {
        triangles++;
        const t = [corner(i), corner(i + 1), corner(i + 2)];
        for (let k = 0; k < 3; k++) {
          const [p, q] = [t[k]!, t[(k + 1) % 3]!];
          if (p === q) continue;
          const way = p < q ? 1 : -1, key = way > 0 ? `${p} ${q}` : `${q} ${p}`;
          edges.set(key, (edges.get(key) ?? 0) + way);
        }
      }
    }
    assert.ok(triangles > 500);
    // Only the outermost vertices may have open edges.
    const outer = (p: string) => p.split(",").some((v) => Number(v) < 512 || Number(v) > (2 * edge) * 256);
    for (const [key, n] of edges) if (n !== 0) assert.ok(key.split(" ").every(outer), `seed ${seed}: open edge ${key}`);
  }
});

test("a tree draws each place once, at the finest level that is whole", () => {
  const r = randoms(7);
  const tree = new Tree();
  const cubes: [number, number, number, number][] = [];
  for (let level = 0; level < 4; level++) for (let i = 0; i < 8 ** (3 - level); i++) {
    const e = 8 >> level;
    cubes.push([level, (i % e) - e / 2, (Math.floor(i / e) % e) - e / 2, Math.floor(i / e / e) - e / 2]);
  }
  const drawn = new Set<Node>();
  for (let round = 0; round < 300; round++) {
    for (let i = 0; i < 6; i++) {
      const c = cubes[r(cubes.length)]!;
      if (r(4) === 0) tree.forget(...c);
      else tree.set(...c, r(5) ? 1 : 0, 0).made = 1;
    }
    tree.set(3, 0, 0, 0, 1, 0).made = 1;
    drawn.clear();
    for (const n of tree.nodes.values()) n.slot = {};
    tree.select((n) => drawn.add(n));
    for (let i = 0; i < 40; i++) {
      const p = [r(128) - 64, r(128) - 64, r(128) - 64] as const;
      const covering = [...drawn].filter((n) => (n.x << (n.level + 4)) <= p[0] && p[0] < ((n.x + 1) << (n.level + 4)) && (n.y << (n.level + 4)) <= p[1] && p[1] < ((n.y + 1) << (n.level + 4)) && (n.z << (n.level + 4)) <= p[2] && p[2] < ((n.z + 1) << (n.level + 4)));
      assert.ok(covering.length <= 1, `${p} is drawn by ${covering.length} cubes`);
    }
    for (const n of drawn) if (n.level > 0) assert.ok(n.held === 0 || (n.held | n.hollow) !== 255 || n.children.some((c) => c), "");
  }
});

test("a parent gives way when all children that are not empty are there", () => {
  const tree = new Tree();
  const active = () => {
    const out: number[] = [];
    for (const n of tree.nodes.values()) n.slot ??= {};
    tree.select((n) => out.push(n.level));
    return out.sort();
  };
  const low = new Uint16Array(edge ** 3).fill(1, 0, edge * edge * 8); // the lower half
  tree.set(1, 0, 0, 0, low, 0).made = 1;
  assert.deepEqual(active(), [1]);
  for (const [x, z] of [[0, 0], [1, 0], [0, 1]] as const) tree.set(0, x, 0, z, 1, 0).made = 1;
  assert.deepEqual(active(), [1]);
  const last = tree.set(0, 1, 0, 1, 1, 0);
  assert.deepEqual(active(), [1], "a child without a mesh does not count");
  last.made = last.stamp;
  tree.changed = true;
  assert.deepEqual(active(), [0, 0, 0, 0]);
  tree.forget(0, 0, 0, 0);
  assert.deepEqual(active(), [1]);
});

test("the border of a cube is what its neighbours hold, or coarser ones in their place", () => {
  const tree = new Tree(), r = randoms(11);
  const random = () => Uint16Array.from({ length: edge ** 3 }, () => r(5));
  const fine = tree.set(0, -1, 0, 0, random(), 0), east = tree.set(0, 0, 0, 0, random(), 0);
  const coarse = tree.set(1, -1, 0, 0, random(), 0); // holds what is west, below or above of fine in part
  const out = tree.bordered(fine, false);
  for (let y = -1; y <= edge; y++)
    for (let z = -1; z <= edge; z++)
      for (let x = -1; x <= edge; x++) {
        const b = [x - edge, y, z] as const; // in blocks
        const inside = (n: Node) => [n.x, n.y, n.z].every((p, a) => b[a]! >= p * edge * 2 ** n.level && b[a]! < (p + 1) * edge * 2 ** n.level);
        const of = [fine, east, coarse].find(inside);
        assert.equal(out[at(x + 1, y + 1, z + 1)], of ? cellAt(of, ...b) : unknown, `at ${b}`);
      }
});

test("beside a coarser cube of a terrain a surface ends where that cube has its matter and its liquid", () => {
  const tree = new Tree();
  tree.smooth = true;
  const fine = tree.set(0, 0, 0, 0, 0x1ff, 0);
  const cells = new Uint16Array(edge ** 3), liquid = new Uint16Array(edge ** 3);
  for (let i = 0; i < cells.length; i++) {
    const y = Math.floor(i / edge / edge);
    cells[i] = y < 2 ? 0x1ff : y === 2 ? 0x14d : 0; // to 4 + 2 * 78/256
    liquid[i] = y < 4 ? 255 : y === 4 ? 191 : 0; // to 8 + 2 * 192/256
  }
  tree.set(1, -1, 0, 0, cells, liquid);
  const wide = edge + 2 * rim, place = (y: number) => ((y + rim) * wide + 8) * wide + 1;
  const solid = tree.bordered(fine, false, rim), wet = tree.bordered(fine, true, rim);
  const got = [3, 4, 5].map((y) => solid[place(y)]! & 0x3fff), levels = [7, 8, 9, 10].map((y) => wet[place(y)]! & 0x3fff);
  assert.deepEqual(got, [0x1ff, 0x100 + 155, 0]);
  assert.deepEqual(levels, [255, 255, 127, 0]);
});

test("a ray finds the block that it meets", () => {
  const tree = new Tree();
  const cells = new Uint16Array(edge ** 3);
  cells[(5 * edge + 3) * edge + 2] = 9; // at x -14, y 5, z 3
  tree.set(0, -1, 0, 0, cells, 0);
  tree.set(1, -1, 0, 0, 0, 0);
  const seen = () => true;
  assert.deepEqual(cast(tree, [20.5, 5.5, 3.5], [-1, 0, 0], 100, seen)?.block, [-14, 5, 3]);
  assert.equal(cast(tree, [20.5, 5.5, 3.5], [-1, 0, 0], 100, seen)?.face, 1);
  assert.equal(cast(tree, [20.5, 6.5, 3.5], [-1, 0, 0], 100, seen), undefined);
  const d = [-34.1, -20.2, -7.3], l = Math.hypot(...d);
  assert.deepEqual(cast(tree, [20.6, 25.7, 10.8], d.map((v) => v / l) as [number, number, number], 100, seen)?.block, [-14, 5, 3]);
  assert.equal(cellAt(tree.at(-14, 5, 3)!, -14, 5, 3), 9);
});

/** A floor up to y 4, a wall from x 12 on, and water from z 12 on. */
function room(): Tree {
  const cells = new Uint16Array(edge ** 3);
  for (let y = 0; y < edge; y++)
    for (let z = 0; z < edge; z++) for (let x = 0; x < edge; x++) cells[(y * edge + z) * edge + x] = y < 4 || x >= 12 ? 1 : z >= 12 && y < 10 ? 2 : 0;
  const tree = new Tree();
  tree.set(0, 0, 0, 0, cells, 0);
  tree.set(0, 0, 1, 0, 0, 0);
  return tree;
}

function walker(tree: Tree, x: number, y: number, z: number): Walker {
  const w = new Walker({ x, y, z, yaw: 90, pitch: 0 }, tree, (_, c) => (c === 1 ? Body.Solid : c === 2 ? Body.Liquid : Body.Free), () => 0.6, () => false);
  w.flying = false;
  return w;
}

const still = { ahead: 0, right: 0, up: 0, fast: false };
const go = (w: Walker, seconds: number, wish: Partial<typeof still> = {}) => {
  for (let t = 0; t < seconds; t += 1 / 60) w.move(1 / 60, { ...still, ...wish });
};

test("a walker falls to the ground, stops at a wall and jumps", () => {
  const w = walker(room(), 6, 14, 6);
  go(w, 2);
  assert.ok(Math.abs(w.pose.y - 4 - eyes) < 0.02, `feet at ${w.pose.y - eyes}`);
  go(w, 3, { ahead: 1 });
  assert.ok(w.pose.x > 11.5 && w.pose.x <= 11.7, `at x ${w.pose.x}`);
  assert.ok(Math.abs(w.pose.z - 6) < 0.01);
  let top = 0;
  for (let i = 0; i < 60; i++) {
    w.move(1 / 60, { ...still, up: i < 5 ? 1 : 0 });
    top = Math.max(top, w.pose.y - eyes - 4);
  }
  assert.ok(top > 1.05 && top < 1.6, `it jumps ${top} blocks`);
});

test("a walker swims, and does not fall where the ground is not known", () => {
  const w = walker(room(), 6, 7, 14);
  go(w, 2, { up: 1 });
  assert.ok(w.pose.y - eyes > 8, `feet at ${w.pose.y - eyes}`);
  const lost = walker(room(), 40, 30, 6);
  go(lost, 2);
  assert.equal(lost.pose.y, 30);
  lost.flying = true;
  go(lost, 1, { up: -1 });
  assert.ok(lost.pose.y < 20);
});

test("a walker climbs what is at most as high as a step", () => {
  const tree = room();
  const cells = (tree.get(0, 0, 0, 0)!.cells as Uint16Array).slice();
  for (let z = 0; z < edge; z++) for (let x = 8; x < 12; x++) cells[(4 * edge + z) * edge + x] = 1;
  tree.set(0, 0, 0, 0, cells, 0);
  const low = walker(tree, 6, 6, 6);
  go(low, 2, { ahead: 1 });
  assert.ok(low.pose.x < 7.8, "a whole block is too high");
  const high = new Walker({ x: 6, y: 6, z: 6, yaw: 90, pitch: 0 }, tree, (_, c) => (c === 1 ? Body.Solid : Body.Free), () => 1.1, () => false);
  high.flying = false;
  go(high, 2, { ahead: 1 });
  assert.ok(high.pose.x > 9 && Math.abs(high.pose.y - eyes - 5) < 0.05, `at x ${high.pose.x}, feet at ${high.pose.y - eyes}`);
});

/** A floor of 64 by 64 blocks at y 0 to 3 around the origin, and one block alone far away. */
function isle(): Tree {
  const tree = new Tree(), floor = new Uint16Array(edge ** 3).fill(1, 0, 4 * edge * edge), alone = new Uint16Array(edge ** 3);
  alone[0] = 1;
  for (let z = -2; z < 2; z++) for (let x = -2; x < 2; x++) tree.set(0, x, 0, z, floor, 0);
  tree.set(0, 60, 0, 60, alone, 0);
  return tree;
}

test("a view without a place shows much of the land, wherever a block lies alone", () => {
  const tree = isle(), seen = () => true, land = landOf(tree, seen);
  assert.equal(land.length, 64 * 64 + 1);
  const { middle, reach } = middleOf(land)!;
  assert.ok(Math.hypot(middle.x, middle.z) < 2 && middle.top === 4 && reach < 40, `${middle.x} ${middle.z} ${middle.top} ${reach}`);
  const p = lookAt(tree, seen, land, 256)!;
  assert.ok(shown(tree, seen, p, 256) > 0.3 && p.y > 10, `${shown(tree, seen, p, 256)} at y ${p.y}`);
  assert.equal(lookAt(tree, seen, landOf(tree, () => false), 256), undefined);
});

test("of small things far apart one is seen from near", () => {
  const tree = new Tree(), small = new Uint16Array(edge ** 3);
  for (let y = 0; y < 4; y++) for (let z = 0; z < 6; z++) small.fill(1, (y * edge + z) * edge, (y * edge + z) * edge + 6);
  tree.set(0, 0, 0, 0, small, 0);
  tree.set(0, 6, 0, 6, small, 0);
  const seen = () => true, p = lookAt(tree, seen, landOf(tree, seen), 768)!;
  assert.ok(shown(tree, seen, p, 768) > 0.05, `${shown(tree, seen, p, 768)}`);
});

test("who begins at a place stands on the ground there, and nowhere where there is none", () => {
  const tree = isle(), seen = () => true;
  const at = (x: number, y: number, z: number) => standAt(tree, seen, (_, c) => c === 1, [x, y, z], 0, eyes, 256);
  for (const [what, y] of [["in the ground", 1], ["on it", 4], ["above it", 200]] as const) assert.equal(at(0.5, y, 0.5)!.y, 4 + eyes, what);
  assert.equal(at(300, 10, 0), undefined);
  const rim = at(0.5, 4, -31.5)!; // north of it is nothing
  assert.ok(shown(tree, seen, rim, 256) >= 0.4 && rim.yaw !== 0, `${rim.yaw}`);
});

/** A terrain whose floor has a top layer at y 4, 0 to 255 full, with liquid up to y 8.25 from z 12 on. */
function ground(top: number): Tree {
  const cells = new Uint16Array(edge ** 3), liquid = new Uint16Array(edge ** 3);
  for (let i = 0; i < cells.length; i++) {
    const y = Math.floor(i / edge / edge), z = Math.floor(i / edge) % edge;
    cells[i] = y < 4 ? 0x1ff : y === 4 ? 0x100 | top : 0;
    liquid[i] = z < 12 || y > 8 ? 0 : y === 8 ? 63 : 255;
  }
  const tree = new Tree();
  tree.smooth = true;
  tree.set(0, 0, 0, 0, cells, liquid);
  tree.set(0, 0, 1, 0, 0, 0);
  return tree;
}

test("bodies, rays and surfaces of a terrain agree on what is solid", () => {
  const solid = (tree: Tree, z: number) => {
    const w = new Walker({ x: 6, y: 12, z, yaw: 90, pitch: 0 }, tree, (_, c) => (c >> 8 ? Body.Solid : Body.Free), () => 1.1, () => false);
    w.flying = false;
    return w;
  };
  const n = new Netter(new Uint8Array());
  for (const top of [0, 63, 127, 255]) {
    const tree = ground(top), high = 4 + (top + 1) / 256;
    const w = solid(tree, 6);
    go(w, 2);
    assert.ok(Math.abs(w.pose.y - eyes - high) < 0.02, `${top}: feet at ${w.pose.y - eyes}, want ${high}`);
    assert.equal(cast(tree, [1, high + 0.02, 6.5], [1, 0, 0], 10, () => true), undefined, `${top}: a ray above the ground`);
    assert.deepEqual(cast(tree, [1, high - 0.002, 6.5], [1, 0, 0], 10, () => true)?.block, [1, 4, 6]);
    assert.deepEqual(cast(tree, [6.5, 12, 6.5], [0, -1, 0], 20, () => true)?.block, [6, 4, 6]);
    const m = n.mesh(tree.bordered(tree.get(0, 0, 0, 0)!, false, rim));
    let least = Infinity, most = -Infinity;
    for (let i = m.ranges[0]!; i < m.ranges[1]!; i++) {
      const [x, y, z] = [m.texels[2 * i]! & 8191, (m.texels[2 * i]! >> 13) & 8191, m.texels[2 * i + 1]! & 8191].map((v) => v / 256 - 1) as [number, number, number];
      const inner = [x, z].every((v) => v > 2 && v < edge - 2); // around the cube nothing is known
      if (inner && y > 2) (least = Math.min(least, y)), (most = Math.max(most, y));
    }
    assert.deepEqual([least, most], [high, high], `${top}: the surface`);
  }
  const w = solid(ground(127), 14);
  go(w, 3);
  assert.ok(Math.abs(w.pose.y - eyes - 4.5) < 0.02);
  go(w, 3, { up: 1 });
  assert.ok(w.pose.y - eyes > 7.3 && w.pose.y - eyes < 8.3, `swims with feet at ${w.pose.y - eyes}`);
});

test("thin matter of a terrain has a surface on both sides, at every border of cubes", () => {
  const n = new Netter(Uint8Array.from([0, 0, 1, 2]));
  for (const [name, thin] of [
    ["a layer", (_x: number, y: number) => y === 5],
    ["a layer under a border", (_x: number, y: number) => y === edge - 1],
    ["a layer over a border", (_x: number, y: number) => y === edge],
    ["a pillar", (x: number, _y: number, z: number) => x === edge && z === 3],
    ["a diagonal", (x: number, y: number, z: number) => x === y && y === z],
  ] as const)
    for (const full of [0, 60, 255])
      for (let material = 1; material < 4; material++) {
        const edges = new Map<string, number>();
        let triangles = 0;
        for (let cube = 0; cube < 8; cube++) {
          const o = [cube & 1, (cube >> 1) & 1, cube >> 2].map((i) => i * edge);
          const m = n.mesh(around((x, y, z) => (thin(x, y, z) ? (material << 8) | full : 0), o));
          const corner = (i: number) => [(m.texels[2 * i]! & 8191) + o[0]! * 256, ((m.texels[2 * i]! >> 13) & 8191) + o[1]! * 256, (m.texels[2 * i + 1]! & 8191) + o[2]! * 256].join();
          for (let i = m.ranges[0]!; i < m.ranges[1]!; i += 3, triangles++)
            for (let k = 0; k < 3; k++) {
              const p = corner(i + k), q = corner(i + ((k + 1) % 3)), key = p < q ? `${p} ${q}` : `${q} ${p}`;
              if (p !== q) edges.set(key, (edges.get(key) ?? 0) + (p < q ? 1 : -1));
            }
        }
        assert.ok(triangles >= 8 * 2 * edge, `${name} of ${full}: ${triangles} triangles`);
        const inner = (p: string) => p.split(",").every((v) => Number(v) > 512 && Number(v) < (2 * edge) * 256);
        for (const [key, left] of edges) assert.ok(left === 0 || !key.split(" ").every(inner), `${name} of ${full}: open at ${key}`);
      }
});
