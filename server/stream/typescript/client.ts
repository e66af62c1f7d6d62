// A viewer of one dimension of one world: the session, its copy of the cubes, and what changes in it.

import { cubeEdge, Decoder, encode, maxClientFrame, Schema } from "./frames.ts";
import type { Cells, ClientFrame, Look, Moment, Name, Place, ServerFrame, View, Volume, Welcome } from "./frames.ts";

/** A connection: messages of whole frames in both directions. */
export interface Link {
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/** What a connection reports. */
export interface LinkEvents {
  open(): void;
  message(bytes: Uint8Array): void;
  closed(): void;
}

/** Opens a WebSocket at a URL as a connection. */
export function webSocket(url: string): (on: LinkEvents) => Link {
  return (on) => {
    const s = new WebSocket(url);
    s.binaryType = "arraybuffer";
    s.onopen = () => on.open();
    s.onmessage = (e) => {
      if (e.data instanceof ArrayBuffer) on.message(new Uint8Array(e.data));
    };
    s.onclose = () => on.closed();
    return { send: (b) => s.send(b), close: () => s.close() };
  };
}

/** A cube of the copy. Cell numbers are those of the Client, which stay from session to session. */
export interface Cube extends Place {
  version: bigint;
  cells: Cells[]; // by volume
}

/** What the viewer calls a cell of a palette, or a material of a terrain. */
export interface Named {
  name: string;
  look: Look;
}

export interface Options {
  token?: string;
  world: string;
  at?: string;
  dimension?: string;
  volumes?: string[];
  /** Runs f after some milliseconds. It is setTimeout if it is left out. */
  later?: (f: () => void, milliseconds: number) => void;
}

/** What a Client reports. */
export interface Events {
  welcome?(w: Welcome): void;
  /** There are new names in a volume, from a number on. */
  names?(volume: number, from: number): void;
  /** Cubes are new or have changed. */
  cubes?(cubes: Cube[]): void;
  /** Cubes that the copy had have changed. cubes is called too. */
  edited?(cubes: Cube[]): void;
  forget?(places: Place[]): void;
  now?(m: Moment): void;
  synced?(stage: number): void;
  /** The server ended the session, with a code and words of the API. */
  failure?(code: string, words: string): void;
  /** The connection was lost. The client connects again after some milliseconds, or never if it is -1. */
  lost?(milliseconds: number): void;
}

const firstWait = 500, longestWait = 15_000;

/** Codes after which it is no use to connect again. */
const final = new Set([
  "bad_frame", "no_world", "no_version", "no_commit", "no_dimension", "no_volume", "too_many_names",
  "unauthorized", "forbidden", "bad_name", "bad_request", "corrupt", "gone",
]);

/** Returns the key of a cube in Client.cubes. */
export function keyOf(p: Place): string {
  return `${p.level},${p.x},${p.y},${p.z}`;
}

/** Client keeps a copy of what the viewer sees. Call connect once, then view as the viewer moves. */
export class Client {
  /** The copy, by keyOf. */
  readonly cubes = new Map<string, Cube>();
  /** The names of each volume by the numbers of the copy. Number 0 is the empty cell. */
  names: Named[][] = [];
  volumes: Volume[] = [];
  moment: Moment | undefined;
  /** Bytes received so far. */
  received = 0;
  /** Whether Welcome has come and the connection is not lost. */
  connected = false;

  private link: Link | undefined;
  private decoder = new Decoder();
  private numbers: Map<string, number>[] = []; // of names, by volume
  private session: Uint16Array[] = []; // from numbers of the session to those of the copy
  private sequence = 0;
  private last: View | undefined;
  private wait = firstWait;
  private stopped = false;

  constructor(
    private readonly open: (on: LinkEvents) => Link,
    private readonly options: Options,
    private readonly on: Events,
  ) {}

  /** Opens the connection. */
  connect() {
    this.stopped = false;
    this.sequence = 0;
    this.decoder = new Decoder();
    let current = true;
    const lost = () => {
      if (!current) return;
      current = false;
      this.link = undefined;
      this.connected = false;
      if (this.stopped) return;
      const wait = this.wait;
      this.wait = Math.min(2 * wait, longestWait);
      this.on.lost?.(wait);
      this.later(() => this.stopped || this.link || this.connect(), wait);
    };
    const link = this.open({
      open: () => {
        if (!current) return;
        const o = this.options;
        this.send({ type: "hello", token: o.token ?? "", world: o.world, at: o.at ?? "", dimension: o.dimension ?? "", volumes: o.volumes ?? [] });
        this.claim();
        if (this.last) this.send(this.last);
      },
      message: (bytes) => {
        if (!current) return;
        try {
          this.read(bytes);
        } catch (error) {
          this.fail("bad_frame", error instanceof Error ? error.message : String(error));
        }
      },
      closed: lost,
    });
    this.link = link;
  }

  private later(f: () => void, milliseconds: number) {
    if (this.options.later) this.options.later(f, milliseconds);
    else setTimeout(f, milliseconds);
  }

  /** Connects at once if the connection is lost. */
  retry() {
    if (!this.link) {
      this.wait = firstWait;
      this.connect();
    }
  }

  /** Ends the session for good. */
  close() {
    this.stopped = true;
    this.connected = false;
    this.link?.close();
    this.link = undefined;
  }

  /** Says where the viewer is. */
  view(v: Omit<View, "type">) {
    this.last = { type: "view", ...v };
    if (this.connected) this.send(this.last);
  }

  /** Moves to another version of the world, "" for the newest. */
  at(version: string) {
    this.options.at = version;
    if (this.connected) this.send({ type: "at", version });
  }

  /** Forgets cubes to save memory, and says so. */
  drop(places: Place[]) {
    for (const p of places) this.cubes.delete(keyOf(p));
    for (let i = 0; i < places.length && this.connected; i += 2000)
      this.send({ type: "dropped", sequence: this.sequence, cubes: places.slice(i, i + 2000) });
  }

  private send(f: ClientFrame) {
    this.link?.send(encode(f));
  }

  // claim says what the copy has, in frames that are not too long.
  private claim() {
    const cubes = [...this.cubes.values()].sort((a, b) => b.level - a.level);
    const each = Math.floor((maxClientFrame - 16) / (9 + 3 * 4));
    for (let i = 0; i < cubes.length; i += each) this.send({ type: "have", cubes: cubes.slice(i, i + each) });
  }

  private read(bytes: Uint8Array) {
    this.received += bytes.length;
    const before = this.sequence;
    this.decoder.all(bytes, (f) => this.frame(f));
    if (this.sequence !== before && this.connected) this.send({ type: "ack", sequence: this.sequence });
  }

  private fail(code: string, words: string) {
    if (final.has(code)) this.stopped = true;
    const link = this.link;
    this.on.failure?.(code, words);
    if (this.stopped) {
      this.connected = false;
      this.link = undefined;
      this.on.lost?.(-1);
    }
    link?.close();
  }

  private frame(f: ServerFrame) {
    switch (f.type) {
      case "welcome":
        return this.welcome(f);
      case "names":
        return this.named(f.volume, f.names);
      case "cubes": {
        this.next(f.sequence);
        const changed: Cube[] = [], other: Cube[] = [];
        for (const c of f.cubes) {
          const had = this.cubes.get(keyOf(c));
          if (had && had.version !== c.version) other.push(c);
          c.cells.forEach((cells, v) => (c.cells[v] = this.own(v, cells)));
          this.cubes.set(keyOf(c), c);
          changed.push(c);
        }
        this.on.cubes?.(changed);
        if (other.length) this.on.edited?.(other);
        return;
      }
      case "edits": {
        this.next(f.sequence);
        const changed: Cube[] = [];
        for (const e of f.cubes) {
          const c = this.cubes.get(keyOf(e));
          if (!c) continue;
          c.version = e.version;
          for (const p of e.parts) c.cells[p.volume] = this.patched(p.volume, c.cells[p.volume]!, p.part, this.own(p.volume, p.cells));
          if (e.version === 0n) c.cells = this.volumes.map((v, i) => this.own(i, v.default));
          changed.push(c);
        }
        this.on.cubes?.(changed);
        return this.on.edited?.(changed);
      }
      case "forget":
        this.next(f.sequence);
        for (const p of f.cubes) this.cubes.delete(keyOf(p));
        return this.on.forget?.(f.cubes);
      case "now":
        this.moment = f.moment;
        return this.on.now?.(f.moment);
      case "synced":
        return this.on.synced?.(f.stage);
      case "failure":
        return this.fail(f.code, f.words);
    }
  }

  private next(sequence: number) {
    if (sequence !== this.sequence + 1) throw new Error(`stream: frame ${sequence} after frame ${this.sequence}`);
    this.sequence = sequence;
  }

  private welcome(w: Welcome) {
    const same = w.volumes.length === this.volumes.length && w.volumes.every((v, i) => {
      const u = this.volumes[i]!;
      return u.name === v.name && u.schema === v.schema && u.scale === v.scale;
    });
    if (!same) {
      const gone = [...this.cubes.values()];
      this.cubes.clear();
      if (gone.length) this.on.forget?.(gone);
      this.names = w.volumes.map(() => [{ name: "", look: { red: 0, green: 0, blue: 0, alpha: 0, kind: 0 } }]);
      this.numbers = w.volumes.map(() => new Map());
    }
    this.volumes = w.volumes;
    this.session = w.volumes.map((v) => (v.schema === Schema.Level ? new Uint16Array() : new Uint16Array(v.schema === Schema.Terrain ? 64 : 32768)));
    this.moment = w.moment;
    this.connected = true;
    this.wait = firstWait;
    this.on.welcome?.(w);
  }

  private named(volume: number, names: Name[]) {
    let from = this.names[volume]!.length;
    for (const n of names) {
      const mine = this.names[volume]!, numbers = this.numbers[volume]!, session = this.session[volume]!;
      if (n.number === 0) {
        mine[0] = n;
        continue;
      }
      let number = numbers.get(n.name);
      if (number === undefined && mine.length >= session.length) {
        session[n.number] = 0;
        this.renumber(volume);
        from = 1;
      }
      if (number === undefined) number = this.add(volume, n);
      session[n.number] = number;
    }
    this.on.names?.(volume, from);
  }

  private add(volume: number, n: Named): number {
    const number = this.names[volume]!.push(n) - 1;
    this.numbers[volume]!.set(n.name, number);
    return number;
  }

  // renumber lets go of the names of a volume that the session has no number for, and so of all cubes.
  private renumber(volume: number) {
    const gone = [...this.cubes.values()], old = this.names[volume]!, session = this.session[volume]!;
    this.drop(gone);
    if (gone.length) this.on.forget?.(gone);
    this.names[volume] = [old[0]!];
    this.numbers[volume] = new Map();
    for (let i = 1; i < session.length; i++) {
      const n = session[i] ? old[session[i]!]! : undefined;
      if (n) session[i] = this.numbers[volume]!.get(n.name) ?? this.add(volume, n);
    }
  }

  // own translates cells of the session to those of the copy.
  private own(volume: number, cells: Cells): Cells {
    const to = this.session[volume]!;
    const schema = this.volumes[volume]!.schema;
    if (schema === Schema.Level) return cells;
    const one = schema === Schema.Terrain ? (c: number) => (to[c >> 8]! << 8) | (c & 255) : (c: number) => to[c]!;
    if (typeof cells === "number") return one(cells);
    for (let i = 0; i < cells.length; i++) cells[i] = one(cells[i]!);
    return cells;
  }

  // patched returns the cells of a cube after a part of them has changed.
  private patched(volume: number, cells: Cells, part: number, by: Cells): Cells {
    const edge = cubeEdge / this.volumes[volume]!.scale, m = edge / 4;
    const out = typeof cells === "number" ? new Uint16Array(edge ** 3).fill(cells) : cells;
    const x = (part % m) * 4, z = (Math.floor(part / m) % m) * 4, y = Math.floor(part / (m * m)) * 4;
    for (let i = 0; i < 64; i++)
      out[((y + (i >> 4)) * edge + z + ((i >> 2) & 3)) * edge + x + (i & 3)] = typeof by === "number" ? by : by[i]!;
    return out;
  }
}
