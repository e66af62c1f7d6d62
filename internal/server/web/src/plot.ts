// Plots as SVG, made of elements. Each has its values as text beside it.

import { el, fill, svg, type Child } from "./dom";
import { short } from "./text";

export interface Line {
  name: string;
  /** Pairs of a time in milliseconds and a value; NaN makes a gap. */
  points: [number, number][];
}

export interface PlotOptions {
  title: string;
  /** Says a value as text. Default short. */
  text?: (n: number) => string;
  /** Says values of the axis. Default text. */
  axis?: (n: number) => string;
  height?: number;
}

/** Lines is a plot of values over time. */
export class Lines {
  readonly node: HTMLElement;
  private picture = svg("svg", { class: "plot", role: "img" });
  private legend = el("ul", { class: "legend" });
  private lines: Line[] = [];
  private at = -1; // time under the pointer
  private wide = 0;

  constructor(private o: PlotOptions) {
    this.node = el("figure", { class: "figure" }, this.picture, this.legend);
    new ResizeObserver(() => {
      const wide = this.picture.clientWidth;
      if (wide !== this.wide) this.draw();
    }).observe(this.picture);
    this.picture.addEventListener("pointermove", (e) => {
      const box = this.picture.getBoundingClientRect();
      this.at = this.timeAt(e.clientX - box.left);
      this.draw();
    });
    this.picture.addEventListener("pointerleave", () => {
      this.at = -1;
      this.draw();
    });
  }

  set(lines: Line[]): void {
    this.lines = lines.filter((l) => l.points.some(([, v]) => !Number.isNaN(v)));
    this.draw();
  }

  private left = 46;
  private from = 0;
  private to = 1;
  private timeAt(x: number): number {
    return this.from + ((x - this.left) / Math.max(1, this.wide - this.left - 8)) * (this.to - this.from);
  }

  private draw(): void {
    const text = this.o.text ?? short;
    const axis = this.o.axis ?? text;
    const w = (this.wide = this.picture.clientWidth || 400);
    const h = this.o.height ?? 150;
    const [top, bottom] = [8, 20];
    const all = this.lines.flatMap((l) => l.points).filter(([, v]) => !Number.isNaN(v));
    this.picture.setAttribute("viewBox", `0 0 ${w} ${h}`);
    this.picture.setAttribute("height", String(h));
    this.to = Math.max(...all.map(([t]) => t));
    this.from = Math.min(this.to - 30000, ...all.map(([t]) => t));
    const most = nice(Math.max(0, ...all.map(([, v]) => v)) || 1);
    if (all.length === 0) {
      this.picture.setAttribute("aria-label", `${this.o.title}: nothing yet`);
      this.picture.replaceChildren(svg("text", { class: "none", x: w / 2, y: h / 2, "text-anchor": "middle" }, "nothing yet"));
      fill(this.legend);
      return;
    }
    const x = (t: number): number => this.left + ((t - this.from) / (this.to - this.from)) * (w - this.left - 8);
    const y = (v: number): number => top + (1 - v / most) * (h - top - bottom);
    const grid = [0, 0.5, 1].map((f) => [svg("line", { class: "grid", x1: this.left, x2: w - 8, y1: y(f * most), y2: y(f * most) }), svg("text", { class: "tick", x: this.left - 6, y: y(f * most) + 4, "text-anchor": "end" }, axis(f * most))]);
    const span = (this.to - this.from) / 1000;
    const times = [svg("text", { class: "tick", x: this.left, y: h - 5 }, span < 120 ? `${Math.round(span)} s ago` : `${Math.round(span / 60)} min ago`), svg("text", { class: "tick", x: w - 8, y: h - 5, "text-anchor": "end" }, "now")];
    const curves = this.lines.map((l, i) => {
      let d = "";
      let pen = false;
      for (const [t, v] of l.points) {
        if (Number.isNaN(v)) pen = false;
        else {
          d += `${pen ? "L" : "M"}${x(t).toFixed(1)} ${y(v).toFixed(1)}`;
          if (!pen) d += `h0.01`;
          pen = true;
        }
      }
      return svg("path", { class: `curve c${i + 1}`, d });
    });
    const shown = this.lines.map((l) => {
      const p = this.at < 0 ? l.points.findLast(([, v]) => !Number.isNaN(v)) : nearest(l.points, this.at);
      return { name: l.name, point: p };
    });
    const hair = this.at < 0 ? [] : [svg("line", { class: "hair", x1: x(shown[0]?.point?.[0] ?? this.at), x2: x(shown[0]?.point?.[0] ?? this.at), y1: top, y2: h - bottom })];
    this.picture.replaceChildren(...grid.flat(), ...hair, ...curves, ...times);
    const value = (v: number | undefined): string => (v === undefined || Number.isNaN(v) ? "–" : text(v));
    this.picture.setAttribute("aria-label", `${this.o.title}: ${shown.map((s) => `${s.name} ${value(s.point?.[1])}`).join(", ")}`);
    fill(this.legend, shown.map((s, i) => el("li", null, el("i", { class: `c${i + 1}` }), s.name, " ", el("b", null, value(s.point?.[1])))));
  }
}

function nearest(points: [number, number][], t: number): [number, number] | undefined {
  let best: [number, number] | undefined;
  for (const p of points) if (!best || Math.abs(p[0] - t) < Math.abs(best[0] - t)) best = p;
  return best;
}

/** Returns the least round number that is not less than n. */
export function nice(n: number): number {
  const ten = 10 ** Math.floor(Math.log10(n));
  return [1, 2, 2.5, 5, 10].map((m) => m * ten).find((m) => m >= n * 0.9999) ?? n;
}

/** Makes a plot of how many values lie in each bucket. */
export function distribution(title: string, all: { name: string; count: number }[], what: string): HTMLElement {
  const first = all.findIndex((b) => b.count > 0);
  const last = all.findLastIndex((b) => b.count > 0);
  if (first < 0) return el("figure", { class: "figure" }, el("p", { class: "muted none" }, "nothing yet"));
  const shown = all.slice(Math.max(0, first - 1), last + 2);
  const most = Math.max(...shown.map((b) => b.count));
  return el(
    "figure",
    { class: "figure columns", role: "img", "aria-label": `${title}: ${shown.filter((b) => b.count).map((b) => `${b.name}: ${b.count}`).join(", ")}` },
    shown.map((b) => {
      const bar = el("i", { class: b.count ? "" : "zero" });
      bar.style.height = `${b.count ? 4 + 96 * (b.count / most) : 1}%`;
      return el("div", { class: "column", title: `${b.name}: ${short(b.count)} ${what}`, "aria-hidden": "true" }, el("b", null, b.count ? short(b.count) : ""), el("div", { class: "stem" }, bar), el("span", null, b.name));
    }),
  );
}

/** Makes a plot of percentiles on a logarithmic axis: one row for each name. */
export function percentiles(title: string, rows: { name: string; at: number[]; count: number }[], names: string[], text: (n: number) => string): HTMLElement {
  const known = rows.filter((r) => r.count > 0);
  if (known.length === 0) return el("figure", { class: "figure" }, el("p", { class: "muted none" }, "nothing yet"));
  const all = known.flatMap((r) => r.at).filter((v) => v > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(...all)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...all) * 1.0001));
  const x = (v: number): number => (100 * Math.log(Math.max(low, v) / low)) / Math.log(high / low);
  const ticks: Child[] = [];
  const step = Math.ceil(Math.round(Math.log10(high / low)) / 2);
  for (let v = low; v <= high * 1.01; v *= 10 ** step) {
    const t = el("span", null, text(v));
    t.style.left = `${x(v)}%`;
    ticks.push(t);
  }
  return el(
    "figure",
    { class: "figure percentiles" },
    el(
      "table",
      null,
      el("caption", { class: "hidden" }, title),
      el("thead", null, el("tr", null, el("th", { scope: "col" }, el("span", { class: "hidden" }, "Step")), el("th", { class: "axis", "aria-hidden": "true" }, el("div", null, ticks)), names.map((n, i) => el("th", { scope: "col", class: "num" }, el("i", { class: `c${i + 1}` }), n)))),
      el(
        "tbody",
        null,
        known.map((r) => {
          const span = el("i", { class: "span" });
          span.style.left = `${x(r.at[0]!)}%`;
          span.style.width = `${x(r.at[r.at.length - 1]!) - x(r.at[0]!)}%`;
          const marks = r.at.map((v, i) => {
            const m = el("i", { class: `mark c${i + 1}` });
            m.style.left = `${x(v)}%`;
            return m;
          });
          return el("tr", null, el("th", { scope: "row", title: `${short(r.count)} times` }, r.name), el("td", { class: "axis", "aria-hidden": "true" }, el("div", null, span, marks)), r.at.map((v) => el("td", { class: "num" }, text(v))));
        }),
      ),
    ),
  );
}
