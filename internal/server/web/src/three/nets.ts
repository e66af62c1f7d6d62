// Smooth surfaces of Terrain cells, as package mesh makes them: surface nets around all matter, shaped by
// material. A cube has the faces of its own cells. A texel is a corner of a triangle:
//
//   low   x 13 bits, y 13 bits (256ths of a cell from one cell below the cube), material 6 bits
//   high  z 13 bits, normal 2 x 6 bits (octahedral), flat 1 bit at 25, side that it closes plus 1 at 26

import { edge, parts, unknown, type Mesh } from "./quads.ts";
import { coarse, fullness, reach, whole } from "./solid.ts";

/** How a smooth surface is formed around a material. */
export const enum Shape {
  Round,
  Faceted,
  Square,
}

/** How many cells around a cube its surface depends on. */
export const rim = 2;
const padded = edge + 2 * rim;
const p2 = padded * padded;
const far = 1 << 20;

// Corners of a cube between cells are bits: x is 1, y is 2 and z is 4.
const strides = [1, p2, padded];
const corners = Int32Array.from({ length: 8 }, (_, i) => (i & 1) + ((i >> 1) & 1) * p2 + (i >> 2) * padded);
// From the least cell of a cube to the next cell away from it at a corner, at 3 * corner + axis.
const behind = Int32Array.from({ length: 24 }, (_, i) => corners[Math.floor(i / 3)]! + strides[i % 3]! * ((Math.floor(i / 3) >> (i % 3)) & 1 ? 1 : -1));
const flat = [0x55, 0xaa, 0x33, 0xcc, 0x0f, 0xf0];

// facet moves a place to one of three within its cell.
function facet(p: number): number {
  const q = (p + 256) & 255;
  return p - q + (q < 96 ? 64 : q < 160 ? 128 : 192);
}

/** Says how a material is shaped: stone has facets, what people build has corners, all else is round. */
export function shapeOf(name: string): Shape {
  if (/brick|plank|concrete|cobblestone|tile/.test(name)) return Shape.Square;
  if (/rock|stone|slate|basalt|granite|ore|ice|glacier/.test(name)) return Shape.Faceted;
  return Shape.Round;
}

/** Makes smooth surfaces of cubes. It keeps its memory. */
export class Netter {
  private readonly first = new Int32Array(p2 * padded); // number of the vertex of a cube between cells, plus 1
  private n = 0;
  private place = new Int32Array(4096 * 3); // of vertices, in 256ths of a cell
  private normals = new Float32Array(4096 * 3);
  private looks = new Uint8Array(4096 * 2); // material and whether it is flat
  private rims = new Uint8Array(4096); // a bit for each side at which a vertex lies
  private direction = new Int32Array(4096); // the normal of a vertex in a texel
  private readonly fullness = new Int16Array(p2 * padded);
  private readonly inside = new Uint8Array(p2 * padded);
  private out = new Uint32Array(1 << 14);
  private size = 0;
  private readonly full = new Int32Array(8); // of the corners of a cube
  private readonly depth = new Int32Array(8); // about how deep in matter their centres lie
  // Of the faces between the cells of a cube: sums of their middles, and of those across an axis.
  private readonly sum = new Int32Array(3);
  private readonly own = new Int32Array(3);
  private readonly many = new Int32Array(3);
  private readonly middle = new Int32Array(3);

  /** shapes are those of materials, by number. list says which list the triangles belong to. */
  constructor(private readonly shapes: Uint8Array, private readonly list = 0) {}

  /** Makes the mesh of a cube with a border of `rim` cells: x fastest, then z, then y. */
  mesh(cells: Uint16Array): Mesh {
    this.n = 0;
    this.size = 0;
    this.points(cells);
    const ranges = new Uint32Array(3 * parts);
    if (this.n > 0) this.faces(cells);
    const surface = this.size >> 1;
    // A surface has no faces: all of it is the first part.
    const ends = new Uint32Array(6);
    const skirts: number[][] = [[], [], [], [], [], []];
    // One would see through bands of liquid.
    if (this.n > 0 && this.list === 0) this.closing(surface, skirts);
    this.numbers = [];
    const at: number[] = [0, surface];
    for (let side = 0; side < 6; side++) {
      for (const word of skirts[side]!) this.word(word);
      ends[side] = this.size >> 1;
    }
    // Parts: face 0 is the surface, then the side 0; further faces are empty.
    at.push(ends[0]!, ends[0]!, ends[1]!, ends[1]!, ends[2]!, ends[2]!, ends[3]!, ends[3]!, ends[4]!, ends[4]!, ends[5]!);
    const end = this.size >> 1;
    for (let k = 0; k < 3; k++)
      for (let i = 0; i < parts; i++) ranges[k * parts + i] = k < this.list ? 0 : k === this.list ? at[i]! : end;
    return { texels: this.out.slice(0, this.size), ranges };
  }

  private word(w: number) {
    if (this.size === this.out.length) {
      const more = new Uint32Array(this.out.length * 2);
      more.set(this.out);
      this.out = more;
    }
    this.out[this.size++] = w;
  }

  private points(cells: Uint16Array) {
    const { first, inside } = this;
    first.fill(0);
    for (let i = 0; i < cells.length; i++) {
      const c = cells[i]!, v = c === unknown ? 0 : fullness(c);
      this.fullness[i] = v;
      inside[i] = v > 0 ? 1 : 0;
    }
    for (let y = 0; y <= edge; y++)
      for (let z = 0; z <= edge; z++) {
        const row = (y + 1) * p2 + (z + 1) * padded + 1;
        // The four cells at one x, and those at the next.
        let four = inside[row]! | (inside[row + p2]! << 2) | (inside[row + padded]! << 4) | (inside[row + p2 + padded]! << 6);
        for (let x = 0; x <= edge; x++) {
          const i = row + x + 1;
          const next = inside[i]! | (inside[i + p2]! << 2) | (inside[i + padded]! << 4) | (inside[i + p2 + padded]! << 6);
          const has = four | (next << 1);
          four = next;
          if (has === 0 || has === 255) continue;
          this.vertex(cells, row + x, has, x, y, z);
          first[row + x] = this.n;
        }
      }
  }

  private vertex(cells: Uint16Array, at: number, has: number, x: number, y: number, z: number) {
    const { full, depth, sum, own, many, middle } = this;
    const level = flat.includes(has), liquid = this.list > 0;
    let best = -1;
    for (let i = 0; i < 8; i++) {
      const f = (full[i] = this.fullness[at + corners[i]!]!);
      depth[i] = f > 0 ? far : -far;
      if (f > 0) {
        if (best < 0 || f >= full[best]!) best = i;
      } else if (!level)
        for (let k = 3 * i; k < 3 * i + 3; k++) {
          const b = this.fullness[at + behind[k]!]!;
          if (b > 0 && b - 384 > depth[i]!) depth[i] = b - 384; // matter that ends before the cube
        }
    }
    const material = (cells[at + corners[best]!]! >> 8) & 63;
    const shape = material < this.shapes.length ? this.shapes[material]! : Shape.Round;
    const n = this.n++;
    if (this.place.length < 3 * this.n) {
      const grow = <T extends Int32Array | Float32Array | Uint8Array>(a: T, b: T) => (b.set(a), b);
      this.place = grow(this.place, new Int32Array(this.place.length * 2));
      this.normals = grow(this.normals, new Float32Array(this.normals.length * 2));
      this.looks = grow(this.looks, new Uint8Array(this.looks.length * 2));
      this.rims = grow(this.rims, new Uint8Array(this.rims.length * 2));
      this.direction = grow(this.direction, new Int32Array(this.direction.length * 2));
    }
    this.looks[2 * n] = material;
    this.looks[2 * n + 1] = shape === Shape.Round ? 0 : 1;
    sum.fill(0), own.fill(0), many.fill(0);
    let faced = 0;
    for (let i = 0; i < 8; i++) {
      const f = full[i]!;
      if (f === 0) continue;
      let open = 0;
      for (let axis = 0; axis < 3; axis++) {
        const k = i ^ (1 << axis), beside = (has >> k) & 1, high = (i >> axis) & 1, into = 1 - 2 * high, centre = high * 256;
        let lies = 1, held = 1; // on the next cell away from the cube, and on the one beside it in the cube
        if (f < whole) {
          // A liquid fills its cell from below.
          lies = liquid && (axis !== 1 || !high) ? 1 : this.fullness[at + behind[3 * i + axis]!]! > 0 ? 1 : 0;
          held = liquid && (axis !== 1 || high) ? 1 : beside;
        }
        middle[axis] = centre;
        if (lies !== held) {
          middle[axis] = centre + ((whole - f) >> 1) * (lies ? -into : into);
          if (!lies && f - 128 < depth[i]!) depth[i] = f - 128;
        }
        if (beside) continue;
        const deep = held ? 128 : reach(f, lies === 1), to = centre + deep * into;
        sum[axis]! += to - middle[axis]!;
        own[axis]! += to;
        many[axis]!++;
        open++;
        faced |= (1 << i) | (1 << k);
        if (deep < depth[i]!) depth[i] = deep;
        if (deep - 256 > depth[k]!) depth[k] = deep - 256;
      }
      for (let a = 0; a < 3; a++) sum[a]! += open * middle[a]!;
    }
    const count = many[0]! + many[1]! + many[2]!;
    if (faced !== 255) this.deepen(has);
    const d = depth;
    let nx = d[0]! + d[2]! + d[4]! + d[6]! - d[1]! - d[3]! - d[5]! - d[7]!;
    let ny = d[0]! + d[1]! + d[4]! + d[5]! - d[2]! - d[3]! - d[6]! - d[7]!;
    let nz = d[0]! + d[1]! + d[2]! + d[3]! - d[4]! - d[5]! - d[6]! - d[7]!;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (length === 0) ny = 1;
    else (nx /= length), (ny /= length), (nz /= length);
    this.normals[3 * n] = nx;
    this.normals[3 * n + 1] = ny;
    this.normals[3 * n + 2] = nz;
    const fix = (a: number, cell: number) => {
      let p = Math.floor(sum[a]! / count + 0.5);
      if (shape === Shape.Faceted) p = facet(p);
      else if (shape === Shape.Square) p = many[a] ? Math.floor(own[a]! / many[a]! + 0.5) : 128;
      return p + cell * 256 + 128; // a cube begins in the centre of its first cell
    };
    this.place[3 * n] = fix(0, x);
    this.place[3 * n + 1] = fix(1, y);
    this.place[3 * n + 2] = fix(2, z);
    const side = (at: number) => (at === 0 ? 1 : at === edge ? 2 : 0);
    this.rims[n] = side(x) | (side(y) << 2) | (side(z) << 4);
    this.direction[n] = octahedral(nx, ny, nz);
  }

  // deepen sets the depths of cells without a face in the cube: one cell deeper than those beside them.
  private deepen(has: number) {
    const d = this.depth;
    for (let step = 0; step < 2; step++)
      for (let i = 0; i < 8; i++) {
        if (d[i] !== far && d[i] !== -far) continue;
        const inside = (has >> i) & 1;
        for (let axis = 0; axis < 3; axis++) {
          const k = i ^ (1 << axis);
          if (((has >> k) & 1) === inside) d[i] = inside ? Math.min(d[i]!, d[k]! + 256) : Math.max(d[i]!, d[k]! - 256);
        }
      }
  }

  private faces(cells: Uint16Array) {
    const { inside } = this;
    for (let y = rim; y < edge + rim; y++)
      for (let z = rim; z < edge + rim; z++)
        for (let x = rim; x < edge + rim; x++) {
          const i = y * p2 + z * padded + x, here = inside[i]!;
          for (let axis = 0; axis < 3; axis++) {
            const s = strides[axis]!;
            if (inside[i + s] !== here) this.face(cells, i, i + s, i, axis);
            if (inside[i - s] !== here) this.face(cells, i, i - s, i - s, axis);
          }
        }
  }

  // face makes the face between a cell of the cube and the next, of which low is the lower one.
  private face(cells: Uint16Array, i: number, j: number, low: number, axis: number) {
    const { first, inside } = this, own = inside[i] === 1;
    // The finer cube makes the faces of a coarser one beside it.
    if (own ? cells[j] === unknown : !(cells[j]! & coarse)) return;
    const u = strides[(axis + 1) % 3]!, v = strides[(axis + 2) % 3]!;
    // The ring goes counterclockwise around the axis.
    this.quad(first[low - u - v]!, first[low - v]!, first[low]!, first[low - u]!, (low === i) === own);
  }

  private far(a: number, b: number): number {
    const p = this.place;
    return (p[3 * a]! - p[3 * b]!) ** 2 + (p[3 * a + 1]! - p[3 * b + 1]!) ** 2 + (p[3 * a + 2]! - p[3 * b + 2]!) ** 2;
  }

  private quad(a: number, b: number, c: number, d: number, outward: boolean) {
    a--, b--, c--, d--;
    if (!outward) [b, d] = [d, b];
    if (this.far(a, c) <= this.far(b, d)) {
      this.triangle(a, b, c);
      this.triangle(a, c, d);
    } else {
      this.triangle(a, b, d);
      this.triangle(b, c, d);
    }
  }

  // triangle adds a triangle. A flat corner has the material that most corners have, or else the
  // first; round ones keep their own, and the colours run into each other.
  private triangle(a: number, b: number, c: number) {
    const { looks } = this;
    let m = looks[2 * a]!;
    if (looks[2 * b] === looks[2 * c]) m = looks[2 * b]!;
    for (const v of [a, b, c]) {
      this.numbers.push(v);
      const p = this.place;
      this.word(low(p[3 * v]!, p[3 * v + 1]!, looks[2 * v + 1] ? m : looks[2 * v]!));
      this.word(high(p[3 * v + 2]!, this.direction[v]!, looks[2 * v + 1]!, 0));
    }
  }
  private numbers: number[] = [];

  // closing makes bands from the rim of the surface outwards and into the ground, which close the gap
  // to a neighbour of another level.
  private closing(surface: number, skirts: number[][]) {
    const { rims, place, looks, normals } = this;
    const numbers = this.numbers;
    const rim = (a: number, b: number) => {
      for (let sides = rims[a]! & rims[b]!; sides !== 0; sides &= sides - 1) {
        const side = 31 - Math.clz32(sides & -sides), axis = side >> 1;
        const beyond = side & 1 ? 256 : -256;
        const clamp = (p: number) => Math.min(Math.max(Math.round(p), 0), 8191);
        const word = (v: number, out: boolean) => {
          let x = place[3 * v]!, y = place[3 * v + 1]!, z = place[3 * v + 2]!;
          if (out) {
            x = clamp(x + (axis === 0 ? beyond : 0) - normals[3 * v]! * 256);
            y = clamp(y + (axis === 1 ? beyond : 0) - normals[3 * v + 1]! * 256);
            z = clamp(z + (axis === 2 ? beyond : 0) - normals[3 * v + 2]! * 256);
          }
          skirts[side]!.push(low(x, y, looks[2 * v]!), high(z, this.direction[v]!, 0, side + 1));
        };
        word(a, false), word(b, false), word(b, true);
        word(a, false), word(b, true), word(a, true);
      }
    };
    for (let i = 0; i < surface; i += 3) {
      const a = numbers[i]!, b = numbers[i + 1]!, c = numbers[i + 2]!;
      rim(a, b), rim(b, c), rim(c, a);
    }
  }
}

// octahedral returns a normal in 2 x 6 bits.
function octahedral(x: number, y: number, z: number): number {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  (x /= sum), (y /= sum), (z /= sum);
  if (z < 0) {
    const t = x;
    x = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
    y = (1 - Math.abs(t)) * (y < 0 ? -1 : 1);
  }
  return Math.round(x * 31 + 31) | (Math.round(y * 31 + 31) << 6);
}

function low(x: number, y: number, material: number): number {
  return (x | (y << 13) | (material << 26)) >>> 0;
}

function high(z: number, normal: number, flat: number, side: number): number {
  return (z | (normal << 13) | (flat << 25) | (side << 26)) >>> 0;
}
