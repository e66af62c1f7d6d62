import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, bytes, count, many, nameParts, seconds, short } from "./text";

test("sizes and counts have few digits", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(1000), "1 kB");
  assert.equal(bytes(12345), "12.3 kB");
  assert.equal(bytes(999_600), "1 MB");
  assert.equal(bytes(123_456_789), "123 MB");
  assert.equal(count(1234567), "1\u202f234\u202f567");
  assert.equal(many(1, "world"), "1 world");
  assert.equal(many(0, "world"), "0 worlds");
  assert.equal(short(12345), "12.3k");
});

test("times say how long", () => {
  assert.equal(seconds(0.00025), "250 µs");
  assert.equal(seconds(0.0012), "1.2 ms");
  assert.equal(seconds(90000), "25 h");
  const now = Date.parse("2026-11-22T12:00:00Z");
  assert.equal(ago("2026-11-22T11:59:50Z", now), "just now");
  assert.equal(ago("2026-11-22T11:00:00Z", now), "1 hour ago");
  assert.equal(ago("2026-11-24T12:00:00Z", now), "in 2 days");
});

test("a name has a folder and a last part", () => {
  assert.deepEqual(nameParts("a/b/c"), ["a/b/", "c"]);
  assert.deepEqual(nameParts("c"), ["", "c"]);
});
