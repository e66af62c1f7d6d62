// The memory of the graphics card for meshes. A page of it is a texture of texels (quads or corners of
// triangles) in rows of 64; a mesh has whole rows. A shader finds by the row which cube a texel belongs to.

import * as THREE from "three";

const rowTexels = 64;
const rows = 4096;
const tableEdge = 64; // rows of a page as a square texture

/** Where a mesh is. */
export interface Place {
  page: Page;
  row: number;
  rows: number;
}

/** One page: textures, and three lists of what to draw of it. */
export class Page {
  readonly texels: THREE.DataTexture;
  readonly table: THREE.DataTexture;
  readonly draws: Draw[];
  private readonly free: { row: number; rows: number }[] = [{ row: 0, rows }];
  private readonly origins = new Int32Array(rows * 4);

  constructor(private readonly renderer: THREE.WebGLRenderer, materials: THREE.RawShaderMaterial[]) {
    this.texels = integers(null, rowTexels, rows, THREE.RGIntegerFormat, THREE.UnsignedIntType, "RG32UI");
    this.table = integers(this.origins, tableEdge, tableEdge, THREE.RGBAIntegerFormat, THREE.IntType, "RGBA32I");
    renderer.initTexture(this.texels);
    this.draws = materials.map((m) => new Draw(m, this));
  }

  /** Takes rows, or returns -1 if no run of free rows is long enough. */
  take(n: number): number {
    const i = this.free.findIndex((f) => f.rows >= n);
    if (i < 0) return -1;
    const f = this.free[i]!;
    const row = f.row;
    f.row += n;
    f.rows -= n;
    if (f.rows === 0) this.free.splice(i, 1);
    return row;
  }

  give(row: number, n: number) {
    const { free } = this;
    let i = free.findIndex((f) => f.row > row);
    if (i < 0) i = free.length;
    free.splice(i, 0, { row, rows: n });
    for (const j of [i, i - 1]) {
      const a = free[j], b = free[j + 1];
      if (a && b && a.row + a.rows === b.row) {
        a.rows += b.rows;
        free.splice(j + 1, 1);
      }
    }
  }

  /** Reports whether no mesh is in the page. */
  get empty(): boolean {
    return this.free.length === 1 && this.free[0]!.rows === rows;
  }

  write(row: number, texels: Uint32Array, origin: [number, number, number], level: number) {
    const n = Math.ceil(texels.length / 2 / rowTexels);
    const whole = texels.length === n * rowTexels * 2 ? texels : new Uint32Array(n * rowTexels * 2);
    if (whole !== texels) whole.set(texels);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const t = (this.renderer.properties.get(this.texels) as { __webglTexture?: WebGLTexture }).__webglTexture!;
    this.renderer.state.activeTexture(gl.TEXTURE0);
    this.renderer.state.bindTexture(gl.TEXTURE_2D, t);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, rowTexels, n, gl.RG_INTEGER, gl.UNSIGNED_INT, whole);
    for (let i = row; i < row + n; i++) {
      this.origins.set(origin, 4 * i);
      this.origins[4 * i + 3] = level;
    }
    this.table.needsUpdate = true;
  }

  dispose() {
    this.texels.dispose();
    this.table.dispose();
    for (const d of this.draws) d.geometry.dispose();
  }
}

/** The bytes that a page takes on the graphics card. */
export const pageBytes = rowTexels * rows * 8 + rows * 16;

function integers(data: Int32Array<ArrayBuffer> | null, w: number, h: number, format: THREE.PixelFormat, type: THREE.TextureDataType, internal: THREE.PixelFormatGPU): THREE.DataTexture {
  const t = new THREE.DataTexture(data, w, h, format, type);
  t.internalFormat = internal;
  t.generateMipmaps = false;
  t.unpackAlignment = 4;
  if (!data) t.source.dataReady = false; // room without content
  t.needsUpdate = true;
  return t;
}

/**
 * Draws parts of a page. The renderer takes it for one of its batches: it draws runs of vertices that
 * have no attributes, in one call where the browser can.
 */
export class Draw extends THREE.Mesh<THREE.BufferGeometry, THREE.RawShaderMaterial> {
  readonly isBatchedMesh = true;
  _multiDrawStarts = new Int32Array(256);
  _multiDrawCounts = new Int32Array(256);
  _multiDrawCount = 0;
  readonly _matricesTexture = null;
  readonly _indirectTexture = null;
  readonly _colorsTexture = null;
  private end = -1;

  constructor(material: THREE.RawShaderMaterial, page: Page) {
    const g = new THREE.BufferGeometry();
    g.setDrawRange(0, 3);
    g.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
    super(g, material);
    this.frustumCulled = false;
    this.matrixAutoUpdate = false;
    this.onBeforeRender = () => {
      material.uniforms.texels!.value = page.texels;
      material.uniforms.table!.value = page.table;
      material.uniformsNeedUpdate = true;
    };
  }

  clearRuns() {
    this._multiDrawCount = 0;
    this.end = -1;
  }

  /** Adds a run of vertices. One that goes on where the last ended makes it longer. */
  run(start: number, count: number) {
    if (count <= 0) return;
    let n = this._multiDrawCount;
    if (start === this.end) {
      this._multiDrawCounts[n - 1]! += count;
    } else {
      if (n === this._multiDrawStarts.length) {
        const grow = (a: Int32Array) => {
          const b = new Int32Array(2 * a.length);
          b.set(a);
          return b;
        };
        this._multiDrawStarts = grow(this._multiDrawStarts) as Int32Array<ArrayBuffer>;
        this._multiDrawCounts = grow(this._multiDrawCounts) as Int32Array<ArrayBuffer>;
      }
      this._multiDrawStarts[n] = start;
      this._multiDrawCounts[n] = count;
      this._multiDrawCount = ++n;
    }
    this.end = start + count;
  }
}

/** Keeps meshes in pages. */
export class Pool {
  readonly pages: Page[] = [];

  /** group receives what draws the pages, in three lists: opaque, cut-out and transparent. */
  constructor(private readonly renderer: THREE.WebGLRenderer, private readonly materials: THREE.RawShaderMaterial[], private readonly groups: THREE.Group[]) {}

  add(texels: Uint32Array, origin: [number, number, number], level: number): Place {
    const n = Math.ceil(texels.length / 2 / rowTexels);
    let row = -1;
    let page = this.pages.find((p) => (row = p.take(n)) >= 0);
    if (!page) {
      page = new Page(this.renderer, this.materials);
      this.pages.push(page);
      page.draws.forEach((d, i) => this.groups[i]!.add(d));
      row = page.take(n);
    }
    page.write(row, texels, origin, level);
    return { page, row, rows: n };
  }

  remove(p: Place) {
    p.page.give(p.row, p.rows);
    if (p.page.empty && this.pages.length > 1) {
      this.pages.splice(this.pages.indexOf(p.page), 1);
      p.page.draws.forEach((d, i) => this.groups[i]!.remove(d));
      p.page.dispose();
    }
  }

  dispose() {
    for (const p of this.pages) p.dispose();
  }
}

/** The first texel of a place. */
export const firstTexel = (p: Place): number => p.row * rowTexels;
