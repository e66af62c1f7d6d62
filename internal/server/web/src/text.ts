// Numbers, sizes and times as text for people.

/** Returns a count with thin spaces between groups of three digits: 12 345. */
export function count(n: number): string {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** Returns a count with its noun: 1 world, 2 worlds. */
export const many = (n: number, one: string, more = one + "s"): string => `${count(n)} ${n === 1 ? one : more}`;

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Returns a number of bytes in units of 1,000: 12.3 kB. */
export function bytes(n: number): string {
  if (!Number.isFinite(n)) return "–";
  let u = 0;
  while (Math.abs(n) >= 999.5 && u < units.length - 1) {
    n /= 1000;
    u++;
  }
  return `${u === 0 || Math.abs(n) >= 100 ? Math.round(n) : n.toPrecision(3).replace(/\.0+$|(\.\d*[1-9])0+$/, "$1")} ${units[u]}`;
}

/** Returns a duration: 350 µs, 1.2 ms, 3.4 s, 5 min. */
export function seconds(s: number): string {
  if (!Number.isFinite(s)) return "–";
  const a = Math.abs(s);
  const digits = (v: number): string => (v >= 99.5 ? Math.round(v).toString() : String(+v.toPrecision(2)));
  if (a === 0) return "0 s";
  if (a < 0.001) return `${digits(s * 1e6)} µs`;
  if (a < 1) return `${digits(s * 1e3)} ms`;
  if (a < 120) return `${digits(s)} s`;
  if (a < 7200) return `${Math.round(s / 60)} min`;
  if (a < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} days`;
}

/** Returns a short number for an axis: 0.5, 12, 3.4k, 2M. */
export function short(n: number): string {
  if (!Number.isFinite(n)) return "–";
  const a = Math.abs(n);
  const cut = (v: number): string => (v >= 100 ? Math.round(v).toString() : String(+v.toPrecision(3)));
  if (a >= 1e9) return cut(n / 1e9) + "G";
  if (a >= 1e6) return cut(n / 1e6) + "M";
  if (a >= 1e4) return cut(n / 1e3) + "k";
  return String(+n.toPrecision(3));
}

/** Returns the time of a commit in the reader's own zone: 3 Nov 2026, 14:02. */
export function time(iso: string): string {
  const d = new Date(iso);
  if (Number.isNaN(d.getTime())) return iso;
  return d.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** Returns how long ago a time was, or how far ahead it is. */
export function ago(iso: string, now = Date.now()): string {
  const s = (now - new Date(iso).getTime()) / 1000;
  if (Number.isNaN(s)) return iso;
  const a = Math.abs(s);
  const [n, unit] =
    a < 45 ? [0, ""] : a < 3600 ? [a / 60, "minute"] : a < 86400 ? [a / 3600, "hour"] : a < 86400 * 45 ? [a / 86400, "day"] : a < 86400 * 548 ? [a / 2629746, "month"] : [a / 31556952, "year"];
  if (!unit) return s >= 0 ? "just now" : "in a moment";
  const text = many(Math.max(1, Math.round(n)), unit);
  return s >= 0 ? `${text} ago` : `in ${text}`;
}

/** Returns the parts of a world's name: what stands before the last slash, with it, and the rest. */
export function nameParts(name: string): [string, string] {
  const at = name.lastIndexOf("/") + 1;
  return [name.slice(0, at), name.slice(at)];
}
