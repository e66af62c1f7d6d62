// Quads of a cube, as package mesh makes them (mesh/FORMAT.md): binary greedy meshing with ambient
// occlusion. A cube has 16 cells an edge and comes with a border of one cell.

export const edge = 16;
/** The edge of a cube with its border. */
export const padded = edge + 2;
/** A cell that is not known. */
export const unknown = 0x8000;

export const enum Kind {
  Nothing,
  Opaque,
  CutOut,
  Transparent,
}

/**
 * A mesh of quads or of triangles. `texels` are pairs of 32-bit numbers: quads, or corners of
 * triangles. `ranges` says for each of the three lists (opaque, cut-out, transparent) where the parts
 * begin: by face the faces that are seen, then those that close the cube on that side. The last
 * number of a list is its end.
 */
export interface Mesh {
  texels: Uint32Array<ArrayBuffer>;
  ranges: Uint32Array<ArrayBuffer>;
}

/** How many numbers a list has in `ranges`. */
export const parts = 13;

const p2 = padded * padded;
const inner = (1 << edge) - 1;

// Distances in cells along x, y and z.
const steps = [1, p2, padded];

// occlusion has the four levels of a face for each set of opaque cells around the cell before it:
// bit 3*(v+1)+u+1 is the one at (u,v).
const occlusion = (() => {
  const t = new Uint8Array(512);
  for (let near = 0; near < 512; near++) {
    const at = (u: number, v: number) => (near >> (3 * (v + 1) + u + 1)) & 1;
    for (let corner = 0; corner < 4; corner++) {
      const u = (corner & 1) * 2 - 1, v = (corner >> 1) * 2 - 1;
      let level = 0;
      if (at(u, 0) + at(0, v) < 2) level = 3 - at(u, 0) - at(0, v) - at(u, v);
      t[near]! |= level << (2 * corner);
    }
  }
  return t;
})();

class List {
  data = new Uint32Array(4096);
  n = 0;

  push(low: number, high: number) {
    if (this.n + 2 > this.data.length) {
      const more = new Uint32Array(this.data.length * 2);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.n++] = low;
    this.data[this.n++] = high;
  }
}

// Masks of a kind in three turns: bits along u, at layer*padded + v.
type Turns = [Uint32Array, Uint32Array, Uint32Array];
const turns = (): Turns => [new Uint32Array(p2), new Uint32Array(p2), new Uint32Array(p2)];

/** Makes the quads of cubes. It keeps its memory. */
export class Mesher {
  private readonly solid = turns(); // opaque
  private readonly matter = turns(); // opaque or cut-out
  private readonly clear = turns(); // transparent
  private readonly strange = turns(); // not known
  private readonly lists = [new List(), new List(), new List()];
  private readonly ranges = [new Uint32Array(parts), new Uint32Array(parts), new Uint32Array(parts)];
  private keys = new Uint32Array(padded);
  private next = new Uint32Array(padded);
  private readonly high = new Uint8Array(padded);
  private readonly seen = new Uint32Array(padded);
  private cells: Uint16Array = new Uint16Array(0);

  /** kinds says by cell what it is; cells past its end are opaque. */
  constructor(private readonly kinds: Uint8Array, private readonly flat = false) {}

  /** Makes the mesh of a cube with its border: x fastest, then z, then y. */
  mesh(cells: Uint16Array): Mesh {
    this.cells = cells;
    this.mask();
    for (let k = 0; k < 3; k++) this.lists[k]!.n = 0;
    for (let face = 0; face < 6; face++) {
      this.begin(2 * face);
      this.face(face, false);
      this.begin(2 * face + 1);
      this.face(face, true);
    }
    this.begin(12);
    return this.result();
  }

  private begin(part: number) {
    for (let k = 0; k < 3; k++) this.ranges[k]![part] = this.lists[k]!.n >> 1;
  }

  private result(): Mesh {
    const [a, b, c] = this.lists as [List, List, List];
    const texels = new Uint32Array(a.n + b.n + c.n);
    texels.set(a.data.subarray(0, a.n));
    texels.set(b.data.subarray(0, b.n), a.n);
    texels.set(c.data.subarray(0, c.n), a.n + b.n);
    const ranges = new Uint32Array(3 * parts);
    let base = 0;
    for (let k = 0; k < 3; k++) {
      for (let i = 0; i < parts; i++) ranges[k * parts + i] = base + this.ranges[k]![i]!;
      base += this.lists[k]!.n >> 1;
    }
    return { texels, ranges };
  }

  private mask() {
    const { cells, kinds, solid, matter, clear, strange } = this;
    for (const t of [solid, matter, clear, strange]) for (const m of t) m.fill(0);
    const put = (t: Turns, x: number, y: number, z: number) => {
      t[0][x * padded + y]! |= 1 << z;
      t[1][y * padded + z]! |= 1 << x;
      t[2][z * padded + y]! |= 1 << x;
    };
    let i = 0;
    for (let y = 0; y < padded; y++)
      for (let z = 0; z < padded; z++)
        for (let x = 0; x < padded; x++, i++) {
          const c = cells[i]!;
          if (c === 0) continue;
          if (c === unknown) {
            put(strange, x, y, z);
            continue;
          }
          const k = c < kinds.length ? kinds[c]! : Kind.Opaque;
          if (k === Kind.Nothing) continue;
          if (k === Kind.Transparent) {
            put(clear, x, y, z);
            continue;
          }
          put(matter, x, y, z);
          if (k === Kind.Opaque) put(solid, x, y, z);
        }
  }

  // face makes the quads of a face that are seen; or those of the outermost layer that close it.
  private face(face: number, closing: boolean) {
    const axis = face >> 1, step = face & 1 ? 1 : -1;
    const u = axis === 0 ? 2 : 0, v = axis === 1 ? 2 : 1;
    const cl = steps[axis]!, cu = steps[u]!, cv = steps[v]!;
    const turn = axis;
    const solid = this.solid[turn]!, matter = this.matter[turn]!, clear = this.clear[turn]!, strange = this.strange[turn]!;
    const outer = step > 0 ? edge : 1;
    const { cells, seen } = this;
    for (let l = closing ? outer : 1; l <= (closing ? outer : edge); l++) {
      const below = l * padded, above = (l + step) * padded;
      let rows = 0;
      for (let w = 1; w <= edge; w++) {
        const m = matter[below + w]!, c = clear[below + w]!;
        let s = m | c;
        if (s === 0) {
          seen[w] = 0;
          continue;
        }
        const hidden = solid[above + w]! | strange[above + w]!;
        if (closing) {
          // Of transparent matter only the surface, which would else be open where levels meet.
          const under = axis === 1 ? -1 : matter[below + w + 1]! | clear[below + w + 1]!;
          s = (m & hidden) | (c & (hidden | clear[above + w]!) & ~under);
        } else {
          // Equal transparent cells hide their faces.
          for (let both = c & clear[above + w]!; both !== 0; both &= both - 1) {
            const bit = 31 - Math.clz32(both & -both);
            const at = l * cl + w * cv + bit * cu;
            if (cells[at] === cells[at + step * cl]) s &= ~(1 << bit);
          }
          s &= ~hidden;
        }
        s = (s >> 1) & inner;
        seen[w] = s;
        if (s !== 0) rows |= 1 << w;
      }
      if (rows !== 0) this.plane(face, l, u, v, cl, cu, cv, rows, solid, above, closing);
    }
  }

  // plane joins faces of a layer: first along v, then such columns of equal height along u.
  private plane(face: number, l: number, u: number, v: number, cl: number, cu: number, cv: number, rows: number, solid: Uint32Array, above: number, closing: boolean) {
    const { seen, high } = this;
    const keysOf = (w: number, s: number, out: Uint32Array) => {
      const flat = closing || this.flat;
      const a = solid[above + w - 1]!, b = solid[above + w]!, c = solid[above + w + 1]!;
      const base = l * cl + w * cv + cu;
      for (; s !== 0; s &= s - 1) {
        const i = 31 - Math.clz32(s & -s);
        const near = ((a >> i) & 7) | (((b >> i) & 7) << 3) | (((c >> i) & 7) << 6);
        out[i] = (this.cells[base + i * cu]! << 8) | (flat ? 255 : occlusion[near]!);
      }
    };
    let have = 0;
    for (; rows !== 0; rows &= rows - 1) {
      const w = 31 - Math.clz32(rows & -rows);
      let s = seen[w]!;
      const after = w < edge ? seen[w + 1]! : 0;
      if (have !== w) keysOf(w, s, this.keys);
      if ((s & after) !== 0) {
        keysOf(w + 1, after, this.next);
        have = w + 1;
      }
      const cur = this.keys, next = this.next;
      for (let both = s & after; both !== 0; both &= both - 1) {
        const i = 31 - Math.clz32(both & -both);
        if (cur[i] === next[i]) {
          high[i]!++;
          s &= ~(1 << i);
        }
      }
      while (s !== 0) {
        const i = 31 - Math.clz32(s & -s);
        const key = cur[i]!, h = high[i]!;
        high[i] = 0;
        let end = i + 1;
        while (end < edge && (s >> end) & 1 && cur[end] === key && high[end] === h) high[end++] = 0;
        s &= ~((1 << end) - 1);
        const at = [0, 0, 0];
        at[face >> 1] = l;
        at[u] = i + 1;
        at[v] = w - h;
        const low = at[0]! | (at[1]! << 6) | (at[2]! << 12) | ((end - i - 1) << 18) | (h << 24);
        const cell = key >>> 8;
        const k = cell < this.kinds.length ? this.kinds[cell]! : Kind.Opaque;
        this.lists[k - 1]!.push(low >>> 0, (face | (key & 255) << 3 | cell << 11) >>> 0);
      }
      this.keys = next;
      this.next = cur;
    }
  }
}
