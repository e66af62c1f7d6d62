import assert from "node:assert/strict";
import { test } from "node:test";
import { buckets, quantile, rate, Sample, since } from "./metrics";

const text = (n: number): string => `# HELP x y
cairn_worlds 3
cairn_requests_total{code="ok",route="GET /v1/worlds"} ${n}
cairn_requests_total{code="forbidden",route="GET /v1/worlds"} 1
odd{a="b\\"c\\\\d\\ne"} 1.5e+06
h_bucket{step="a",le="1"} ${n}
h_bucket{step="a",le="2"} ${2 * n}
h_bucket{step="a",le="+Inf"} ${2 * n + 2}
h_sum{step="a"} 9
h_count{step="a"} ${2 * n + 2}
broken{ 5
`;

test("the text becomes values", () => {
  const s = new Sample(text(10), 0);
  assert.equal(s.get("cairn_worlds"), 3);
  assert.equal(s.get("cairn_requests_total"), 11);
  assert.equal(s.get("cairn_requests_total", { code: "ok" }), 10);
  assert.equal(s.get("none"), undefined);
  assert.deepEqual(s.all("odd")[0], { labels: { a: 'b"c\\d\ne' }, value: 1.5e6 });
  assert.deepEqual(s.labels("cairn_requests_total", "code"), ["forbidden", "ok"]);
});

test("percentiles lie where the values lie", () => {
  const h = new Sample(text(49), 0).histogram("h", { step: "a" });
  assert.equal(h.count, 100);
  assert.ok(Math.abs(quantile(h, 0.49) - 1) < 1e-9);
  assert.ok(Math.abs(quantile(h, 0.25) - 25 / 49) < 1e-9);
  assert.equal(quantile(h, 0.999), 2);
  assert.ok(Number.isNaN(quantile(new Sample("", 0).histogram("h"), 0.5)));
  assert.deepEqual(buckets(h).map((b) => b.count), [49, 49, 2]);
});

test("what came since is the difference, and a new start counts from zero", () => {
  const [a, b] = [new Sample(text(10), 1000), new Sample(text(30), 3000)];
  assert.equal(since(b.histogram("h"), a.histogram("h")).count, 40);
  assert.equal(since(a.histogram("h"), b.histogram("h")).count, 22);
  assert.equal(rate(a, b, "cairn_requests_total", { code: "ok" }), 10);
  assert.ok(Number.isNaN(rate(b, a, "cairn_requests_total", { code: "ok" })));
  assert.ok(Number.isNaN(rate(undefined, a, "cairn_worlds")));
});
