// Smooth surfaces of Terrain cells, as package mesh makes them: naive surface nets, shaped by
// material. A texel is a corner of a triangle:
//
//   low   x 13 bits, y 13 bits (256ths of a cell from one cell below the cube), material 6 bits
//   high  z 13 bits, normal 2 x 6 bits (octahedral), flat 1 bit at 25, side that it closes plus 1 at 26

import { edge, padded, parts, unknown, type Mesh } from "./quads.ts";

/** How a smooth surface is formed around a material. */
export const enum Shape {
  Round,
  Faceted,
  Square,
}

const half = 128;
const p2 = padded * padded;

const fullness = (c: number) => ((c >> 8) & 63 ? (c & 255) + 1 : 0);

function facet(p: number): number {
  return p < 96 ? 64 : p < 160 ? 128 : 192;
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
  private readonly f = new Int32Array(8);
  private readonly corners = [0, 1, p2, p2 + 1, padded, padded + 1, p2 + padded, p2 + padded + 1];

  /** shapes are those of materials, by number. list says which list the triangles belong to. */
  constructor(private readonly shapes: Uint8Array, private readonly list = 0) {}

  /** Makes the mesh of a cube with its border: x fastest, then z, then y. */
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
    const { first, f, corners, inside } = this;
    first.fill(0);
    for (let i = 0; i < cells.length; i++) {
      const c = cells[i]!, v = c === unknown ? 0 : fullness(c);
      this.fullness[i] = v;
      inside[i] = v >= half ? 1 : 0;
    }
    for (let y = 0; y <= edge; y++)
      for (let z = 0; z <= edge; z++) {
        const row = y * p2 + z * padded;
        // The four cells at one x, and those at the next.
        let four = inside[row]! | (inside[row + p2]! << 2) | (inside[row + padded]! << 4) | (inside[row + p2 + padded]! << 6);
        for (let x = 0; x <= edge; x++) {
          const i = row + x + 1;
          const next = inside[i]! | (inside[i + p2]! << 2) | (inside[i + padded]! << 4) | (inside[i + p2 + padded]! << 6);
          const full = four | (next << 1);
          four = next;
          if (full === 0 || full === 255) continue;
          for (let k = 0; k < 8; k++) f[k] = this.fullness[row + x + corners[k]!]!;
          this.vertex(cells, row + x, full, x, y, z);
          first[row + x] = this.n;
        }
      }
  }

  private vertex(cells: Uint16Array, at: number, full: number, x: number, y: number, z: number) {
    const { f } = this;
    let best = 0, most = 0;
    for (let i = 0; i < 8; i++)
      if ((full >> i) & 1 && f[i]! >= most) {
        best = i;
        most = f[i]!;
      }
    const material = (cells[at + this.corners[best]!]! >> 8) & 63;
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
    let nx = f[0]! + f[2]! + f[4]! + f[6]! - f[1]! - f[3]! - f[5]! - f[7]!;
    let ny = f[0]! + f[1]! + f[4]! + f[5]! - f[2]! - f[3]! - f[6]! - f[7]!;
    let nz = f[0]! + f[1]! + f[2]! + f[3]! - f[4]! - f[5]! - f[6]! - f[7]!;
    const length = Math.hypot(nx, ny, nz);
    if (length === 0) ny = 1;
    else (nx /= length), (ny /= length), (nz /= length);
    this.normals[3 * n] = nx;
    this.normals[3 * n + 1] = ny;
    this.normals[3 * n + 2] = nz;
    let sx = 0.5, sy = 0.5, sz = 0.5;
    if (shape !== Shape.Square) {
      let count = 0;
      sx = sy = sz = 0;
      for (let i = 0; i < 8; i++)
        for (let axis = 0; axis < 3; axis++) {
          const j = i | (1 << axis);
          if (j === i || ((full >> i) & 1) === ((full >> j) & 1)) continue;
          const part = (half - f[i]!) / (f[j]! - f[i]!);
          sx += axis === 0 ? part : i & 1;
          sy += axis === 1 ? part : (i >> 1) & 1;
          sz += axis === 2 ? part : i >> 2;
          count++;
        }
      sx /= count;
      sy /= count;
      sz /= count;
    }
    const fix = (s: number, cell: number) => {
      let p = Math.min(Math.max(Math.trunc(s * 256 + 0.5), 16), 240);
      if (shape === Shape.Faceted) p = facet(p);
      return p + cell * 256 + 128; // a cube begins in the centre of its first cell
    };
    this.place[3 * n] = fix(sx, x);
    this.place[3 * n + 1] = fix(sy, y);
    this.place[3 * n + 2] = fix(sz, z);
    const rim = (at: number) => (at === 0 ? 1 : at === edge ? 2 : 0);
    this.rims[n] = rim(x) | (rim(y) << 2) | (rim(z) << 4);
    this.direction[n] = octahedral(nx, ny, nz);
  }

  private faces(cells: Uint16Array) {
    const { first, inside } = this;
    for (let y = 1; y <= edge; y++)
      for (let z = 1; z <= edge; z++)
        for (let x = 1; x <= edge; x++) {
          const i = y * p2 + z * padded + x;
          const at = inside[i]!;
          if (at === inside[i + 1] && at === inside[i + p2] && at === inside[i + padded]) continue;
          const here = at === 1;
          const ex = this.crosses(cells, i, i + 1), ey = this.crosses(cells, i, i + p2), ez = this.crosses(cells, i, i + padded);
          // Rings go counterclockwise around the axis.
          if (ex) this.quad(first[i - p2 - padded]!, first[i - padded]!, first[i]!, first[i - p2]!, here);
          if (ey) this.quad(first[i - padded - 1]!, first[i - 1]!, first[i]!, first[i - padded]!, here);
          if (ez) this.quad(first[i - p2 - 1]!, first[i - p2]!, first[i]!, first[i - 1]!, here);
        }
  }

  private crosses(cells: Uint16Array, i: number, j: number): boolean {
    return this.inside[i] !== this.inside[j] && cells[i] !== unknown && cells[j] !== unknown;
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
