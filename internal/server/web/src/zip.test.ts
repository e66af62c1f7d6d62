import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { crc32, zip } from "./zip";

const never = new AbortController().signal;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("the checksum is that of the standard, in any pieces", () => {
  assert.equal(crc32(0, bytes("123456789")), 0xcbf43926);
  assert.equal(crc32(crc32(0, bytes("12345")), bytes("6789")), 0xcbf43926);
  assert.equal(crc32(0, bytes("")), 0);
});

test("a zip holds the files", async () => {
  const files = [
    { path: "level.dat", file: new Blob(["some bytes"]) },
    { path: "region/wörld <b>.mca", file: new Blob([new Uint8Array(300_000).fill(7)]) },
    { path: "empty", file: new Blob([]) },
  ];
  let read = 0;
  const z = await zip(files, never, (n) => (read = n));
  assert.equal(read, 300_010);
  assert.ok(z.size < 300_010 + 1000);
  // Another program reads it too, if one asks for it.
  if (process.env.CAIRN_ZIP) writeFileSync(process.env.CAIRN_ZIP, new Uint8Array(await z.arrayBuffer()));
});

test("packing ends when it is given up", async () => {
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(zip([{ path: "a", file: new Blob(["x"]) }], stop.signal));
});
