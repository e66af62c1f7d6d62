import assert from "node:assert/strict";
import { test } from "node:test";
import { address, Lanes, refusedBy, words } from "./api";

test("a refusal says which right is missing", () => {
  const e = refusedBy(403, '{"error":{"code":"forbidden","message":"this call needs the role write"}}', "/v1/x");
  assert.equal(words(e, "delete this world"), "You may not delete this world: this call needs the role write.");
  assert.equal(words(refusedBy(401, '{"error":{"code":"unauthorized","message":""}}', ""), "see this world"), "You may not see this world: you are not logged in.");
  assert.match(words(refusedBy(502, "<html>bad gateway", "")), /502/);
  assert.match(words(refusedBy(500, '{"error":{"code":"new_code","message":"something"}}', "")), /Something\./);
  assert.match(words(new TypeError("failed to fetch")), /does not answer/);
});

test("an address leaves out what is not given", () => {
  assert.equal(address("/v1/a", { x: 0, y: undefined, z: "", q: "a b&c" }), "/v1/a?x=0&q=a+b%26c");
  assert.equal(address("/v1/a"), "/v1/a");
});

test("lanes bound how much runs at once, and keep the order", async () => {
  const lanes = new Lanes(2);
  let [running, most] = [0, 0];
  const order: number[] = [];
  const stop = new AbortController();
  const job = (i: number) => async (): Promise<void> => {
    order.push(i);
    most = Math.max(most, ++running);
    await new Promise((r) => setImmediate(r));
    running--;
    if (i === 1) throw new Error("one fails");
  };
  const all = [0, 1, 2, 3, 4].map((i) => lanes.run(job(i), i === 3 ? stop.signal : undefined));
  stop.abort();
  const results = await Promise.allSettled(all);
  assert.deepEqual(results.map((r) => r.status), ["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(order, [0, 1, 2, 4]);
  assert.equal(most, 2);
});
