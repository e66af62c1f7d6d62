// The map of a world from above, drawn on a canvas of tiles that the server makes.

import { address, gaveUp, json, Lanes, picture, Refused, words } from "./api";
import { el, fill, icon } from "./dom";
import { many } from "./text";
import { edge, inside, needed, parent, round, zoomFor, type Tile, type Window } from "./tiles";
import { loadLog, Timeline } from "./timeline";
import type { Page, View } from "./view";

/** What GET /v1/map answers. */
interface About {
  dimension: string;
  dimensions: string[];
  from: number[];
  to: number[];
  least: number;
  greatest: number;
  layers: string[];
}

const layerNames: Record<string, string> = { blocks: "Blocks", light: "Light", biome: "Biomes", height: "Height" };
const kept = 600; // tiles in memory

export const map: Page = async (v) => {
  const m = new MapPage(v);
  await m.begin();
};

type Picture = ImageBitmap | "none" | "asked" | "failed";

class MapPage {
  private canvas = el("canvas", { tabIndex: 0, role: "application", "aria-roledescription": "map" });
  private frame = el("div", { class: "map" }, this.canvas);
  private where = el("output", { class: "where", "aria-live": "off" });
  private said = el("div", { class: "mapsaid", role: "status" });
  private panel = el("form", { class: "panel card", "aria-label": "What the map shows", onsubmit: (e: Event) => e.preventDefault() });
  private legend = el("div", { class: "scale", "aria-hidden": "true" }, el("span"), el("i"));
  private timeline = new Timeline(() => this.version(), true);
  private there = el("a", { class: "button round", "aria-label": "Look at this place in 3D", title: "Look at this place in 3D" }, icon("cube"));
  private w: Window = { x: 0, z: 0, scale: 1, width: 1, height: 1 };
  private about!: About;
  private at = "";
  private dimension = "";
  private layer = "blocks";
  private low = -Infinity;
  private high = Infinity;
  private tiles = new Map<string, Picture>();
  private lanes = new Lanes(6);
  private look = "";
  private before = "";
  private frameAsked = false;
  private asking = new AbortController();
  private pointer: { x: number; y: number } | null = null;

  constructor(private v: View) {
    const q = v.query;
    this.at = q.get("at") ?? "";
    this.dimension = q.get("dimension") ?? "";
    this.layer = q.get("layer") ?? "blocks";
    this.low = number(q.get("from"), -Infinity);
    this.high = number(q.get("to"), Infinity);
    this.there.href = "/3d/" + v.name;
    this.canvas.setAttribute("aria-label", `Map of ${v.name}. Arrow keys move it, plus and minus zoom, 0 shows the whole world.`);
    const button = (name: string, label: string, do_: () => void): HTMLElement => el("button", { type: "button", class: "round", "aria-label": label, title: label, onclick: do_ }, icon(name));
    const buttons = el("div", { class: "zoom" }, this.there, button("plus", "Zoom in", () => this.zoom(0.5)), button("minus", "Zoom out", () => this.zoom(2)), button("whole", "The whole world", () => (this.whole(), this.draw())));
    const toggle = el("button", { type: "button", class: "round toggle", "aria-label": "What the map shows", title: "What the map shows", "aria-expanded": "true" }, icon("layers"));
    toggle.addEventListener("click", () => {
      const open = this.frame.classList.toggle("closed");
      toggle.setAttribute("aria-expanded", String(!open));
    });
    if (innerWidth < 700) {
      this.frame.classList.add("closed");
      toggle.setAttribute("aria-expanded", "false");
    }
    this.frame.append(toggle, this.panel, buttons, this.legend, this.where, this.said);
    v.main.classList.add("full");
    fill(v.main, this.frame);
  }

  async begin(): Promise<void> {
    this.about = await this.ask();
    this.dimension = this.about.dimension;
    this.listen();
    this.resize();
    const q = this.v.query;
    this.whole();
    if (q.has("x") && q.has("z")) {
      this.w.x = number(q.get("x"), this.w.x);
      this.w.z = number(q.get("z"), this.w.z);
      this.w.scale = 2 ** number(q.get("zoom"), Math.log2(this.w.scale));
      this.clamp();
    }
    this.controls();
    this.draw();
    try {
      let wanted = this.at || undefined;
      await loadLog(this.v.name, this.v.signal, (all) => {
        if (this.timeline.set(all, wanted)) wanted = undefined;
      });
    } catch (e) {
      if (!gaveUp(e)) this.timeline.node.remove();
    }
  }

  private ask(): Promise<About> {
    return json<About>("/v1/map/" + this.v.name, { query: { at: this.at, dimension: this.dimension }, signal: this.v.signal });
  }

  /** Makes the panel for the dimension that is shown. */
  private controls(): void {
    const a = this.about;
    const layers = a.layers.filter((l) => layerNames[l]);
    if (!layers.includes(this.layer)) this.layer = layers[0] ?? "blocks";
    const [bottom, top] = [a.from[1]!, a.to[1]!];
    const slider = (label: string, value: number, set: (n: number) => void): HTMLElement => {
      const id = "height-" + label.split(" ")[0]!.toLowerCase();
      const text = el("output", { for: id });
      const input = el("input", { type: "range", id, min: String(bottom), max: String(top), step: "1" });
      input.value = String(Math.max(bottom, Math.min(top, value)));
      const show = (): void => {
        text.textContent = input.value;
      };
      input.addEventListener("input", () => {
        set(+input.value);
        show();
        this.changed(120);
      });
      show();
      return el("div", { class: "field slider" }, el("label", { for: id }, label, text), input);
    };
    const dims = a.dimensions ?? [];
    const dim = el("select", { id: "dimension" }, dims.map((d) => el("option", { value: d, selected: d === a.dimension }, d)));
    dim.addEventListener("change", () => void this.changeDimension(dim.value));
    fill(
      this.panel,
      dims.length > 1 && el("div", { class: "field" }, el("label", { for: "dimension" }, "Dimension"), dim),
      el("fieldset", { class: "choice" }, el("legend", null, "Layer"), layers.map((l) => el("label", null, el("input", { type: "radio", name: "layer", value: l, checked: l === this.layer, onchange: () => ((this.layer = l), this.changed(0)) }), el("span", null, layerNames[l]!)))),
      top > bottom && [slider("Highest block", Math.min(top, this.high), (n) => (this.high = n >= top ? Infinity : n)), slider("Lowest block", Math.max(bottom, this.low), (n) => (this.low = n <= bottom ? -Infinity : n))],
      this.timeline.node,
    );
    this.look = this.lookNow();
  }

  private async changeDimension(d: string): Promise<void> {
    this.dimension = d;
    [this.low, this.high] = [-Infinity, Infinity];
    await this.again(true);
  }

  /** Another version was selected. */
  private version(): void {
    const c = this.timeline.selected;
    this.at = c && !this.timeline.head ? String(c.number) : "";
    void this.again(false);
  }

  private async again(whole: boolean): Promise<void> {
    try {
      this.about = await this.ask();
      this.said.textContent = "";
      if (whole) {
        this.whole();
        this.controls();
      }
      this.changed(0);
    } catch (e) {
      if (!gaveUp(e)) this.said.textContent = words(e, "see this map");
    }
  }

  private lookNow(): string {
    const { at, dimension, layer } = this;
    return address("", { at, dimension, layer, from: Number.isFinite(this.low) ? this.low : undefined, to: Number.isFinite(this.high) ? this.high : undefined });
  }

  private timer = 0;

  /** The tiles are others now. The old ones stay until the new ones are there. */
  private changed(wait: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const look = this.lookNow();
      if (look !== this.look) {
        this.before = this.look;
        this.look = look;
        this.asking.abort();
        this.asking = new AbortController();
        for (const [k, t] of this.tiles) if (t === "asked" || t === "failed") this.tiles.delete(k);
      }
      this.draw();
    }, wait);
  }

  /** Makes the window show the whole world. */
  private whole(): void {
    const { from, to } = this.about;
    const [wide, high] = [to[0]! - from[0]! + 1, to[2]! - from[2]! + 1];
    const covered = this.w.width >= 1000 && !this.frame.classList.contains("closed") ? 324 : 0; // by the panel
    this.w.scale = Math.max(wide / ((this.w.width - covered) * 0.92), high / (this.w.height * 0.92), 1 / 16);
    this.w.x = from[0]! + wide / 2 - (covered / 2) * this.w.scale;
    this.w.z = from[2]! + high / 2;
    this.clamp();
  }

  /** Keeps the world in reach: it cannot be lost by panning. */
  private clamp(): void {
    const { from, to, greatest } = this.about;
    this.w.scale = Math.min(Math.max(this.w.scale, 1 / 40), 2 ** (greatest + 2));
    this.w.x = Math.min(Math.max(this.w.x, from[0]!), to[0]! + 1);
    this.w.z = Math.min(Math.max(this.w.z, from[2]!), to[2]! + 1);
  }

  private resize(): void {
    const box = this.frame.getBoundingClientRect();
    this.w.width = Math.max(1, box.width);
    this.w.height = Math.max(1, box.height);
    this.canvas.width = Math.round(this.w.width * devicePixelRatio);
    this.canvas.height = Math.round(this.w.height * devicePixelRatio);
  }

  private zoom(by: number, px = this.w.width / 2, py = this.w.height / 2): void {
    const { w } = this;
    const [bx, bz] = this.block(px, py);
    w.scale *= by;
    this.clamp();
    w.x = bx - (px - w.width / 2) * w.scale;
    w.z = bz - (py - w.height / 2) * w.scale;
    this.clamp();
    this.draw();
  }

  private block(px: number, py: number): [number, number] {
    const { w } = this;
    return [w.x + (px - w.width / 2) * w.scale, w.z + (py - w.height / 2) * w.scale];
  }

  private pan(dx: number, dy: number): void {
    this.w.x -= dx * this.w.scale;
    this.w.z -= dy * this.w.scale;
    this.clamp();
    this.draw();
  }

  private listen(): void {
    const { canvas, v } = this;
    const down = new Map<number, { x: number; y: number }>();
    const on = <K extends keyof HTMLElementEventMap>(kind: K, f: (e: HTMLElementEventMap[K]) => void): void => canvas.addEventListener(kind, f, { passive: false });
    on("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    });
    on("pointermove", (e) => {
      this.pointer = { x: e.offsetX, y: e.offsetY };
      const old = down.get(e.pointerId);
      const others = [...down].filter(([id]) => id !== e.pointerId);
      if (old && others.length === 0) this.pan(e.offsetX - old.x, e.offsetY - old.y);
      if (old && others.length === 1) {
        const o = others[0]![1];
        const [far, near] = [Math.hypot(old.x - o.x, old.y - o.y), Math.hypot(e.offsetX - o.x, e.offsetY - o.y)];
        this.pan((e.offsetX - old.x) / 2, (e.offsetY - old.y) / 2);
        this.zoom(Math.max(1, far) / Math.max(1, near), (e.offsetX + o.x) / 2, (e.offsetY + o.y) / 2);
      }
      if (old) down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
      this.tell();
    });
    const up = (e: PointerEvent): void => void down.delete(e.pointerId);
    on("pointerup", up);
    on("pointercancel", up);
    on("pointerleave", () => ((this.pointer = null), this.tell()));
    on("dblclick", (e) => this.zoom(0.5, e.offsetX, e.offsetY));
    on("wheel", (e) => {
      e.preventDefault();
      const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : e.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 300 : 1;
      this.zoom(2 ** Math.max(-1, Math.min(1, (e.deltaY * lines) / (e.ctrlKey ? 60 : 240))), e.offsetX, e.offsetY);
    });
    const key = (e: KeyboardEvent): void => {
      if (e.target !== canvas && e.target !== document.body) return;
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const step = e.shiftKey ? 240 : 80;
      const keys: Record<string, () => void> = {
        ArrowLeft: () => this.pan(step, 0),
        ArrowRight: () => this.pan(-step, 0),
        ArrowUp: () => this.pan(0, step),
        ArrowDown: () => this.pan(0, -step),
        "+": () => this.zoom(0.5),
        "=": () => this.zoom(0.5),
        "-": () => this.zoom(2),
        "0": () => (this.whole(), this.draw()),
      };
      const do_ = keys[e.key];
      if (!do_) return;
      e.preventDefault();
      this.pointer = null;
      do_();
      this.tell();
    };
    document.addEventListener("keydown", key, { signal: v.signal });
    const size = new ResizeObserver(() => (this.resize(), this.draw()));
    size.observe(this.frame);
    v.signal.addEventListener("abort", () => {
      size.disconnect();
      clearTimeout(this.timer);
      for (const t of this.tiles.values()) if (typeof t !== "string") t.close();
    });
    addEventListener("theme", () => this.draw(), { signal: v.signal });
  }

  /** Shows the block under the pointer, or at the centre. */
  private tell(): void {
    const [x, z] = this.pointer ? this.block(this.pointer.x, this.pointer.y) : [this.w.x, this.w.z];
    this.where.textContent = `x ${count0(x)}  z ${count0(z)}`;
  }

  /** Draws at the next frame. */
  private draw(): void {
    if (this.frameAsked) return;
    this.frameAsked = true;
    requestAnimationFrame(() => {
      this.frameAsked = false;
      if (!this.v.signal.aborted) this.paint();
    });
  }

  private paint(): void {
    const { w, about } = this;
    const ctx = this.canvas.getContext("2d")!;
    const density = devicePixelRatio;
    ctx.setTransform(density, 0, 0, density, 0, 0);
    ctx.clearRect(0, 0, w.width, w.height);
    const zoom = zoomFor(w.scale, density, Math.max(0, about.least), about.greatest);
    const all = needed(w, zoom).filter((t) => inside(t, about.from, about.to));
    ctx.imageSmoothingEnabled = 2 ** zoom < w.scale;
    for (const t of all) {
      const mine = this.tiles.get(key(this.look, t));
      if (mine !== undefined && typeof mine !== "string") this.put(ctx, mine, t, 0, 0, edge);
      else if (mine !== "none") this.standIn(ctx, t);
    }
    this.load(all);
    this.share();
    this.tell();
    const length = round(120 * w.scale);
    (this.legend.children[0] as HTMLElement).textContent = many(length, "block");
    (this.legend.children[1] as HTMLElement).style.width = `${length / w.scale}px`;
  }

  /** Draws a part of a picture where a tile lies. */
  private put(ctx: CanvasRenderingContext2D, from: ImageBitmap, t: Tile, x: number, y: number, size: number): void {
    const { w } = this;
    const blocks = edge * 2 ** t.zoom;
    const at = (b: number, centre: number, half: number): number => Math.round(((b - centre) / w.scale + half) * devicePixelRatio) / devicePixelRatio;
    const [left, top] = [at(t.x * blocks, w.x, w.width / 2), at(t.z * blocks, w.z, w.height / 2)];
    const [right, bottom] = [at((t.x + 1) * blocks, w.x, w.width / 2), at((t.z + 1) * blocks, w.z, w.height / 2)];
    ctx.drawImage(from, x, y, size, size, left, top, right - left, bottom - top);
  }

  /** Draws what is known already where a tile is missing: the version before, or a coarser or finer tile. */
  private standIn(ctx: CanvasRenderingContext2D, t: Tile): void {
    for (const look of [this.look, this.before]) {
      const same = this.tiles.get(key(look, t));
      if (same !== undefined && typeof same !== "string") return this.put(ctx, same, t, 0, 0, edge);
      for (let zoom = t.zoom + 1; zoom <= this.about.greatest; zoom++) {
        const p = parent(t, zoom);
        const up = this.tiles.get(key(look, p));
        if (up === undefined || typeof up === "string") continue;
        const by = 2 ** (zoom - t.zoom);
        const size = edge / by;
        if (size >= 1) this.put(ctx, up, t, (t.x - p.x * by) * size, (t.z - p.z * by) * size, size);
        return;
      }
      for (let dx = 0; dx < 2; dx++) {
        for (let dz = 0; dz < 2; dz++) {
          const c = { zoom: t.zoom - 1, x: 2 * t.x + dx, z: 2 * t.z + dz };
          const down = this.tiles.get(key(look, c));
          if (down !== undefined && typeof down !== "string") this.put(ctx, down, c, 0, 0, edge);
        }
      }
    }
  }

  private wanted = new Set<string>();

  /** Asks for tiles that are missing. Tiles that left the window before their turn are not asked for. */
  private load(all: Tile[]): void {
    this.wanted = new Set(all.map((t) => key(this.look, t)));
    for (const t of all) {
      const k = key(this.look, t);
      const old = this.tiles.get(k);
      if (old !== undefined) {
        this.tiles.delete(k); // used lately: to the end of the order
        this.tiles.set(k, old);
        continue;
      }
      this.tiles.set(k, "asked");
      void this.fetch(k, t);
    }
    for (const [k, t] of this.tiles) {
      if (this.tiles.size <= kept) break;
      if (t === "asked" || this.wanted.has(k)) continue;
      if (typeof t !== "string") t.close();
      this.tiles.delete(k);
    }
  }

  private async fetch(k: string, t: Tile): Promise<void> {
    const signal = AbortSignal.any([this.asking.signal, this.v.signal]);
    const path = address("/v1/tiles/" + this.v.name + this.look, {});
    try {
      const blob = await this.lanes.run(() => {
        if (!this.wanted.has(k)) throw new DOMException("out of sight", "AbortError");
        return picture(`${path}${path.includes("?") ? "&" : "?"}zoom=${t.zoom}&x=${t.x}&z=${t.z}`, signal);
      }, signal);
      this.tiles.set(k, blob.size < 200 ? "none" : await createImageBitmap(blob));
      if (this.said.textContent) this.said.textContent = "";
    } catch (e) {
      if (gaveUp(e) || signal.aborted) {
        this.tiles.delete(k);
        return;
      }
      this.tiles.set(k, "failed");
      if (!(e instanceof Refused) || e.code !== "no_chunk") this.said.textContent = words(e, "see this map");
    }
    this.draw();
  }

  private sharing = 0;

  /** Puts the view into the address, so that a copied link shows the same. */
  private share(): void {
    clearTimeout(this.sharing);
    this.sharing = window.setTimeout(() => {
      const { w, about } = this;
      const back = 60; // blocks south of the place, from where the eye looks north and down
      const query = { at: this.at, dim: this.dimension === about.dimensions?.[0] ? undefined : this.dimension, p: [Math.round(w.x), about.to[1]! + 30, Math.round(w.z) + back].join(), d: "0,-40" };
      this.there.href = address("/3d/" + this.v.name, query).replaceAll("%2C", ",");
      this.v.share({
        at: this.at,
        dimension: this.dimension === this.about.dimensions?.[0] ? undefined : this.dimension,
        layer: this.layer === "blocks" ? undefined : this.layer,
        from: Number.isFinite(this.low) ? this.low : undefined,
        to: Number.isFinite(this.high) ? this.high : undefined,
        x: Math.round(w.x),
        z: Math.round(w.z),
        zoom: +Math.log2(w.scale).toFixed(2),
      });
    }, 300);
  }
}

const key = (look: string, t: Tile): string => `${look} ${t.zoom} ${t.x} ${t.z}`;
const count0 = (n: number): string => String(Math.floor(n)).replace("-", "\u2212");

function number(text: string | null, standard: number): number {
  const n = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(n) ? n : standard;
}
