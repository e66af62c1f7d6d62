// The client of the stream protocol against the vectors that the Go code is tested with.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Client, CorruptError, Decoder, encode, keyOf, type Cells, type Cube, type Link, type LinkEvents, type ServerFrame, type Volume } from "../../../../server/stream/typescript/index.ts";

interface Golden {
  volumes: Volume[];
  frames: { name: string; from: "client" | "server"; hex: string; frame: Record<string, any> }[];
  bad: { name: string; from: "client" | "server"; hex: string }[];
}

const golden = JSON.parse(readFileSync("../../../server/stream/testdata/golden.json", "utf8")) as Golden;
const hex = (s: string) => Uint8Array.from(s.match(/../g) ?? [], (b) => parseInt(b, 16));
const text = (b: Uint8Array) => Buffer.from(b).toString("hex");

const place = ([level, x, y, z]: number[]) => ({ level: level!, x: x!, y: y!, z: z! });
const claim = (c: { cube: number[]; version: string }) => ({ ...place(c.cube), version: BigInt("0x" + c.version) });

/** The cells of runs, in the form of the client. */
function cellsOf(runs: [number, number][]): Cells {
  if (runs.length === 1) return runs[0]![1];
  return Uint16Array.from(runs.flatMap(([n, c]) => Array<number>(n).fill(c)));
}

const momentOf = (m: any) => ({ live: m.live, id: m.id, number: m.number, time: m.time, min: m.min, max: m.max, top: m.top });

/** The frame that a vector says in words. */
function wanted(f: Record<string, any>): unknown {
  switch (f.type) {
    case "Hello":
      return { type: "hello", token: f.token, world: f.world, at: f.at, dimension: f.dimension, volumes: f.volumes };
    case "View":
      return { ...f, type: "view" };
    case "Have":
      return { type: "have", cubes: f.claims.map(claim) };
    case "Dropped":
      return { type: "dropped", sequence: f.sequence, cubes: f.cubes.map(place) };
    case "Ack":
      return { type: "ack", sequence: f.sequence };
    case "At":
      return { type: "at", version: f.version };
    case "Welcome":
      return { type: "welcome", world: f.world, dimension: f.dimension, window: f.window, moment: momentOf(f.moment), volumes: f.volumes };
    case "Names":
      return { type: "names", volume: f.volume, names: f.names.map((n: any) => ({ number: n.number, name: n.name, look: { red: n.look[0], green: n.look[1], blue: n.look[2], alpha: n.look[3], kind: n.look[4] } })) };
    case "Cubes":
      return {
        type: "cubes", sequence: f.sequence,
        cubes: f.cubes.map((c: any) => ({ ...claim(c), cells: /^0*$/.test(c.version) ? golden.volumes.map((v) => v.default) : c.cells.map(cellsOf) })),
      };
    case "Edits":
      return { type: "edits", sequence: f.sequence, cubes: f.edits.map((e: any) => ({ ...claim(e), parts: (e.parts ?? []).map((p: any) => ({ volume: p.volume, part: p.part, cells: cellsOf(p.cells) })) })) };
    case "Forget":
      return { type: "forget", sequence: f.sequence, cubes: f.cubes.map(place) };
    case "Now":
      return { type: "now", moment: momentOf(f.moment) };
    case "Synced":
      return { type: "synced", stage: f.stage };
    case "Failure":
      return { type: "failure", code: f.code, words: f.words };
  }
  throw new Error(`a vector of type ${f.type}`);
}

function decode(bytes: Uint8Array): ServerFrame[] {
  const d = new Decoder();
  d.volumes = golden.volumes;
  const out: ServerFrame[] = [];
  d.all(bytes, (f) => out.push(f));
  return out;
}

for (const g of golden.frames)
  test(`${g.from}: ${g.name}`, () => {
    if (g.from === "client") assert.equal(text(encode(wanted(g.frame) as never)), g.hex);
    else assert.deepEqual(decode(hex(g.hex)), [wanted(g.frame)]);
  });

for (const g of golden.bad)
  if (g.from === "server") test(`refused: ${g.name}`, () => assert.throws(() => decode(hex(g.hex)), CorruptError));

test("a frame that is cut is refused", () => {
  for (const g of golden.frames) {
    if (g.from !== "server") continue;
    const all = hex(g.hex);
    for (let n = 1; n < all.length; n = n < 64 ? n + 1 : n + 97) assert.throws(() => decode(all.subarray(0, n)), CorruptError, `${g.name}: ${n} bytes`);
  }
});

test("bytes at random are refused or understood, and nothing else happens", () => {
  let seed = 1;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 16;
  for (const g of golden.frames) {
    if (g.from !== "server") continue;
    for (let i = 0; i < 60; i++) {
      const b = hex(g.hex);
      for (let k = 0; k < 3; k++) b[random() % b.length] = random();
      try {
        decode(b);
      } catch (e) {
        assert.ok(e instanceof CorruptError, `${g.name}: ${e}`);
      }
    }
  }
});

// A connection whose other end is the test.
function linked() {
  const links: { on: LinkEvents; sent: Uint8Array[]; closed: boolean }[] = [];
  const waits: (() => void)[] = [];
  const changed: Cube[] = [];
  const open = (on: LinkEvents): Link => {
    const l = { on, sent: [] as Uint8Array[], closed: false };
    links.push(l);
    return { send: (b) => l.sent.push(b), close: () => ((l.closed = true), on.closed()) };
  };
  const failures: string[] = [];
  const c = new Client(open, { world: "w", later: (f) => waits.push(f) }, { cubes: (cs) => changed.push(...cs), failure: (code) => failures.push(code) });
  return { c, links, waits, changed, failures };
}

const frame = (name: string) => hex(golden.frames.find((f) => f.name === name)!.hex);

test("a client keeps a copy, takes edits, and claims its copy when it comes back", () => {
  const { c, links, waits, changed } = linked();
  c.connect();
  links[0]!.on.open();
  links[0]!.on.message(frame("welcome live"));
  links[0]!.on.message(frame("names"));
  links[0]!.on.message(frame("cubes"));
  const cubes = golden.frames.find((f) => f.name === "cubes")!.frame.cubes as { cube: number[]; version: string }[];
  assert.equal(c.cubes.size, cubes.length);
  assert.ok(changed.length >= cubes.length);
  assert.equal(text(links[0]!.sent.at(-1)!), text(encode({ type: "ack", sequence: 1 })));
  // Numbers of the session become numbers of the copy.
  assert.deepEqual(c.names[0]!.slice(1).map((n) => n.name), ["minecraft:stone", "minecraft:water[level=0]", ""]);

  links[0]!.on.closed();
  assert.equal(c.connected, false);
  waits.pop()!();
  links[1]!.on.open();
  const have = encode({ type: "have", cubes: [...c.cubes.values()].sort((a, b) => b.level - a.level) });
  assert.ok(links[1]!.sent.some((b) => text(b) === text(have)), "it does not claim its copy");
  links[1]!.on.message(frame("welcome live"));
  assert.equal(c.cubes.size, cubes.length, "the copy is lost");
});

test("another set of volumes empties the copy", () => {
  const { c, links, waits } = linked();
  c.connect();
  links[0]!.on.open();
  links[0]!.on.message(frame("welcome live"));
  links[0]!.on.message(frame("cubes"));
  links[0]!.on.closed();
  waits.pop()!();
  links[1]!.on.open();
  links[1]!.on.message(frame("welcome stored"));
  assert.equal(c.cubes.size, 0);
});

test("a copy has no more names than its volume can have", () => {
  const { c, links, failures } = linked();
  c.connect();
  links[0]!.on.open();
  links[0]!.on.message(frame("welcome live"));
  links[0]!.on.message(frame("names"));
  links[0]!.on.message(frame("cubes"));
  const terrain = c.volumes.findIndex((v) => v.schema === 1), had = c.cubes.size;
  assert.ok(terrain >= 0 && had > 0);
  for (let i = 0; i < 300; i++) {
    const name = new TextEncoder().encode(`m${i}`);
    links[0]!.on.message(Uint8Array.of(9 + name.length, 17, terrain, 1, name.length, ...name, 1, 2, 3, 255, 1));
  }
  assert.deepEqual(failures, []);
  assert.ok(c.names[terrain]!.length <= 64 && c.names[terrain]!.some((n) => n.name === "m299"), `${c.names[terrain]!.length} names`);
  assert.equal(c.cubes.size, 0);
  assert.ok(links[0]!.sent.some((b) => b[1] === 4), "it does not say what it dropped");
});

test("a sequence with a gap ends the session", () => {
  const { c, links, failures } = linked();
  c.connect();
  links[0]!.on.open();
  links[0]!.on.message(frame("welcome live"));
  links[0]!.on.message(frame("forget"));
  assert.deepEqual(failures, ["bad_frame"]);
  assert.ok(links[0]!.closed);
  assert.equal(c.connected, false);
});

test("a place has one key", () => assert.equal(keyOf({ level: 3, x: -1, y: 0, z: 2 }), "3,-1,0,2"));
