// Reads the text of GET /metrics, and percentiles of its histograms.

export interface Value {
  labels: Record<string, string>;
  value: number;
}

/** The values of one moment, by name of the metric. */
export class Sample {
  readonly values = new Map<string, Value[]>();

  constructor(text: string, readonly time: number) {
    for (const line of text.split("\n")) {
      const m = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? +(\S+)/.exec(line);
      if (!m) continue;
      const value = number(m[3]!);
      const list = this.values.get(m[1]!) ?? [];
      list.push({ labels: labelsOf(m[2] ?? ""), value });
      this.values.set(m[1]!, list);
    }
  }

  /** Returns the sum of the values whose labels are as given; undefined if there is none. */
  get(name: string, labels: Record<string, string> = {}): number | undefined {
    const all = this.all(name, labels);
    return all.length ? all.reduce((n, v) => n + v.value, 0) : undefined;
  }

  all(name: string, labels: Record<string, string> = {}): Value[] {
    return (this.values.get(name) ?? []).filter((v) => Object.entries(labels).every(([k, x]) => v.labels[k] === x));
  }

  /** Returns the values that a label of a metric has. */
  labels(name: string, label: string): string[] {
    return [...new Set(this.all(name).map((v) => v.labels[label] ?? ""))].sort();
  }

  histogram(name: string, labels: Record<string, string> = {}): Histogram {
    const at = new Map<number, number>();
    for (const v of this.all(name + "_bucket", labels)) {
      const le = number(v.labels.le ?? "");
      at.set(le, (at.get(le) ?? 0) + v.value);
    }
    const bounds = [...at.keys()].sort((a, b) => a - b);
    return { bounds, upto: bounds.map((b) => at.get(b)!), sum: this.get(name + "_sum", labels) ?? 0, count: this.get(name + "_count", labels) ?? 0 };
  }
}

/** A histogram: upto[i] values are at most bounds[i]; the last bound is infinite. */
export interface Histogram {
  bounds: number[];
  upto: number[];
  sum: number;
  count: number;
}

function number(text: string): number {
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
}

function labelsOf(text: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const m of text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) out[m[1]!] = m[2]!.replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c));
  return out;
}

/** Returns what a histogram received since an earlier moment. A server that began anew counts from zero. */
export function since(now: Histogram, then: Histogram | undefined): Histogram {
  if (!then || then.count > now.count || then.bounds.length !== now.bounds.length) return now;
  return { bounds: now.bounds, upto: now.upto.map((n, i) => n - then.upto[i]!), sum: now.sum - then.sum, count: now.count - then.count };
}

/** Returns a percentile, 0 <= q <= 1, as a straight line within its bucket; NaN if nothing was counted. */
export function quantile(h: Histogram, q: number): number {
  if (h.count <= 0 || h.bounds.length === 0) return NaN;
  const rank = q * h.count;
  const i = h.upto.findIndex((n) => n >= rank);
  if (i < 0) return NaN;
  const low = i === 0 ? 0 : h.bounds[i - 1]!;
  const high = h.bounds[i]!;
  if (!Number.isFinite(high)) return low;
  const before = i === 0 ? 0 : h.upto[i - 1]!;
  const inside = h.upto[i]! - before;
  return inside <= 0 ? high : low + ((high - low) * Math.max(0, rank - before)) / inside;
}

/** Returns how many values lie in each bucket. */
export function buckets(h: Histogram): { upto: number; count: number }[] {
  return h.bounds.map((b, i) => ({ upto: b, count: h.upto[i]! - (i ? h.upto[i - 1]! : 0) }));
}

/** Returns by how much a counter grew in a second; NaN across a new start of the server. */
export function rate(a: Sample | undefined, b: Sample, name: string, labels: Record<string, string> = {}): number {
  const [from, to] = [a?.get(name, labels), b.get(name, labels)];
  if (!a || to === undefined || b.time <= a.time || (from ?? 0) > to) return NaN;
  return ((to - (from ?? 0)) * 1000) / (b.time - a.time);
}
