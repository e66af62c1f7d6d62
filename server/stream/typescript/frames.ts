// The frames of stream/FORMAT.md as values.

import { decodeCells, Schema } from "./bits.ts";
import { CorruptError, Reader, Writer } from "./bytes.ts";

export { CorruptError, Schema };

export const protocol = 1;
/** The greatest frame from a server, in bytes after its length. */
export const maxFrame = 1 << 20;
/** The greatest frame from a client. */
export const maxClientFrame = 1 << 16;
/** Cells along an edge of a cube. */
export const cubeEdge = 16;

const maxLevel = 20;

/** The place of a cube. A cube of level L spans 16 * 2^L blocks. */
export interface Place {
  level: number;
  x: number;
  y: number;
  z: number;
}

/** The cells of a box: one number if all are equal, else x fastest, then z, then y. */
export type Cells = Uint16Array | number;

export interface Volume {
  name: string;
  schema: Schema;
  scale: number;
  default: number;
}

export interface Moment {
  live: boolean;
  id: string;
  number: number;
  time: number; // milliseconds since 1970
  min: [number, number, number];
  max: [number, number, number];
  top: number;
}

/** How a cell is to be seen. kind is 0 nothing, 1 opaque, 2 cut-out, 3 transparent. */
export interface Look {
  red: number;
  green: number;
  blue: number;
  alpha: number;
  kind: number;
}

export interface Name {
  number: number;
  name: string;
  look: Look;
}

export interface Part {
  volume: number;
  part: number;
  cells: Cells;
}

export interface Hello {
  type: "hello";
  token: string;
  world: string;
  at: string;
  dimension: string;
  volumes: string[];
}

export interface View {
  type: "view";
  position: [number, number, number];
  direction: [number, number, number];
  velocity: [number, number, number];
  pixels: number;
  error: number;
  radius: number;
  rate: number;
  memory: number;
}

export type Claim = Place & { version: bigint };

export type ClientFrame =
  | Hello
  | View
  | { type: "have"; cubes: Claim[] }
  | { type: "dropped"; sequence: number; cubes: Place[] }
  | { type: "ack"; sequence: number }
  | { type: "at"; version: string };

export interface Welcome {
  type: "welcome";
  world: string;
  dimension: string;
  window: number;
  moment: Moment;
  volumes: Volume[];
}

export type ServerFrame =
  | Welcome
  | { type: "names"; volume: number; names: Name[] }
  | { type: "cubes"; sequence: number; cubes: (Claim & { cells: Cells[] })[] }
  | { type: "edits"; sequence: number; cubes: (Claim & { parts: Part[] })[] }
  | { type: "forget"; sequence: number; cubes: Place[] }
  | { type: "now"; moment: Moment }
  | { type: "synced"; stage: number }
  | { type: "failure"; code: string; words: string };

/** Returns the frame of a value as bytes. */
export function encode(f: ClientFrame): Uint8Array<ArrayBuffer> {
  const w = new Writer();
  switch (f.type) {
    case "hello":
      w.u8(1).uint(protocol).string(f.token).string(f.world).string(f.at).string(f.dimension).uint(f.volumes.length);
      for (const v of f.volumes) w.string(v);
      break;
    case "view":
      w.u8(2);
      for (const v of f.position) w.f64(v);
      for (const v of [...f.direction, ...f.velocity, f.pixels, f.error, f.radius]) w.f32(v);
      w.uint(f.rate).uint(f.memory);
      break;
    case "have":
      w.u8(3);
      for (const c of f.cubes) putPlace(w, c).u64(c.version);
      break;
    case "dropped":
      w.u8(4).uint(f.sequence);
      for (const c of f.cubes) putPlace(w, c);
      break;
    case "ack":
      w.u8(5).uint(f.sequence);
      break;
    case "at":
      w.u8(6).string(f.version);
  }
  const body = w.done();
  return new Writer().uint(body.length).raw(body).done();
}

function putPlace(w: Writer, p: Place): Writer {
  return w.u8(p.level).sint(p.x).sint(p.y).sint(p.z);
}

/** Decodes the frames of a server. The volumes of Welcome say how cells are read. */
export class Decoder {
  volumes: Volume[] = [];

  /** Calls f for each frame of some bytes, which hold whole frames. */
  all(bytes: Uint8Array, f: (frame: ServerFrame) => void) {
    for (let at = 0; at < bytes.length; ) {
      const r = new Reader(bytes.subarray(at), "frame");
      const n = r.uint(maxFrame);
      if (n < 1 || n > r.left) r.fail(`a frame of ${n} bytes, ${r.left} are there`);
      const start = at + r.at;
      f(this.frame(bytes.subarray(start, start + n)));
      at = start + n;
    }
  }

  /** Decodes one frame without its length. */
  frame(bytes: Uint8Array): ServerFrame {
    const r = new Reader(bytes, "frame");
    const f = this.fields(r, r.u8());
    r.end();
    return f;
  }

  private fields(r: Reader, type: number): ServerFrame {
    switch (type) {
      case 16: {
        if (r.uint() !== protocol) r.fail("another protocol");
        const f: Welcome = { type: "welcome", world: r.string(1024), dimension: r.string(1024), window: r.uint(), moment: moment(r), volumes: [] };
        const n = r.uint(8);
        if (n < 1) r.fail("no volume");
        for (let i = 0; i < n; i++) f.volumes.push(volume(r));
        this.volumes = f.volumes;
        return f;
      }
      case 17: {
        const v = this.volume(r, r.u8());
        const { schema } = this.volumes[v]!;
        if (schema === Schema.Level) r.fail("names of levels");
        const most = schema === Schema.Terrain ? 63 : 32767;
        const names: Name[] = [];
        while (r.left) names.push({ number: r.uint(most), name: r.string(4096), look: look(r) });
        return { type: "names", volume: v, names };
      }
      case 18: {
        const sequence = r.uint(), cubes = [];
        while (r.left) {
          const c = { ...place(r), version: r.u64(), cells: [] as Cells[] };
          for (const v of this.volumes) c.cells.push(c.version === 0n ? v.default : this.cells(r, v, cubeEdge / v.scale));
          cubes.push(c);
        }
        return { type: "cubes", sequence, cubes };
      }
      case 19: {
        const sequence = r.uint(), cubes = [];
        while (r.left) {
          const c = { ...place(r), version: r.u64(), parts: [] as Part[] };
          const n = r.uint(512);
          if (n === 0 && c.version !== 0n) r.fail("no part");
          for (let i = 0; i < n; i++) {
            const v = this.volume(r, r.u8()), part = r.u8(), of = this.volumes[v]!;
            if (part >= (4 / of.scale) ** 3) r.fail(`part ${part} of a cube`);
            c.parts.push({ volume: v, part, cells: this.cells(r, of, 4) });
          }
          cubes.push(c);
        }
        return { type: "edits", sequence, cubes };
      }
      case 20: {
        const sequence = r.uint(), cubes = [];
        while (r.left) cubes.push(place(r));
        return { type: "forget", sequence, cubes };
      }
      case 21:
        return { type: "now", moment: moment(r) };
      case 22: {
        const stage = r.u8();
        if (stage !== 1 && stage !== 2) r.fail(`stage ${stage}`);
        return { type: "synced", stage };
      }
      case 23:
        return { type: "failure", code: r.string(256), words: r.string(4096) };
    }
    return r.fail(`a frame of type ${type}`);
  }

  private volume(r: Reader, i: number): number {
    if (i >= this.volumes.length) r.fail(`volume ${i} of ${this.volumes.length}`);
    return i;
  }

  private cells(r: Reader, v: Volume, edge: number): Cells {
    const [cells, end] = decodeCells(r.bytes, r.at, v.schema, edge);
    r.at = end;
    return cells;
  }
}

function place(r: Reader): Place {
  const level = r.u8();
  if (level > maxLevel) r.fail(`level ${level}`);
  const most = 2 ** (21 - level);
  const one = () => {
    const v = r.sint();
    if (v < -most || v >= most) r.fail(`position ${v} of level ${level}`);
    return v;
  };
  return { level, x: one(), y: one(), z: one() };
}

function moment(r: Reader): Moment {
  const live = r.u8();
  if (live > 1) r.fail(`live is ${live}`);
  const id = r.string(128), number = r.uint(), time = r.sint();
  const three = (): [number, number, number] => [r.sint(), r.sint(), r.sint()];
  const m: Moment = { live: live === 1, id, number, time, min: three(), max: three(), top: r.u8() };
  if (m.top > maxLevel) r.fail(`the top level ${m.top}`);
  return m;
}

function volume(r: Reader): Volume {
  const v: Volume = { name: r.string(256), schema: r.u8(), scale: r.u8(), default: r.uint(32767) };
  if (v.schema > 2) r.fail(`schema ${v.schema}`);
  if (v.scale !== 1 && v.scale !== 2 && v.scale !== 4) r.fail(`scale ${v.scale}`);
  return v;
}

function look(r: Reader): Look {
  const l = { red: r.u8(), green: r.u8(), blue: r.u8(), alpha: r.u8(), kind: r.u8() };
  if (l.kind > 3) r.fail(`kind ${l.kind}`);
  return l;
}
