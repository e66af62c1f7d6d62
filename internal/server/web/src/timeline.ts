// The time line: a slider over all versions of a world, with what each added.

import { json, type Commit } from "./api";
import { el, fill, icon, svg } from "./dom";
import { bytes, count, time } from "./text";

const perCall = 1000;
const most = 50000; // versions; older ones stay in the log, beyond the slider

/** Loads the log of a world, oldest first. more is called whenever older versions have come. */
export async function loadLog(name: string, signal: AbortSignal, more: (all: Commit[]) => void): Promise<void> {
  let all: Commit[] = [];
  for (let from = ""; ; ) {
    const { commits } = await json<{ commits: Commit[] | null }>("/v1/log/" + name, { query: { n: perCall, from }, signal });
    const page = (commits ?? []).filter((c) => c.id !== all[0]?.id);
    all = [...page.reverse(), ...all];
    more(all);
    const oldest = all[0];
    if (!commits || commits.length < perCall || !oldest?.parent || all.length >= most) return;
    from = oldest.id;
  }
}

/** Returns the bytes that a version added. */
export const added = (c: Commit): number => (c.stones ?? []).reduce((n, s) => n + s.size, 0);

/** Timeline shows versions, oldest at the left, and which of them is selected. */
export class Timeline {
  readonly node: HTMLElement;
  private range = el("input", { type: "range", min: "0", max: "0", step: "1", "aria-label": "Version" });
  private bars = svg("svg", { class: "bars", preserveAspectRatio: "none", "aria-hidden": "true" });
  private said = el("p", { class: "version", "aria-hidden": "true" });
  private older = el("button", { class: "quiet round small", type: "button", "aria-label": "The version before", title: "The version before" }, "‹");
  private newer = el("button", { class: "quiet round small", type: "button", "aria-label": "The version after", title: "The version after" }, "›");
  private all: Commit[] = [];
  private at = -1;

  /** changed is called when the user selects another version. */
  constructor(private changed: (c: Commit, head: boolean) => void, small = false) {
    this.range.addEventListener("input", () => this.pick(+this.range.value));
    this.older.addEventListener("click", () => this.pick(this.at - 1));
    this.newer.addEventListener("click", () => this.pick(this.at + 1));
    this.node = el("div", { class: small ? "timeline small" : "timeline" }, el("div", { class: "track" }, this.older, el("div", { class: "slide" }, !small && this.bars, this.range), this.newer), this.said);
  }

  get selected(): Commit | undefined {
    return this.all[this.at];
  }

  get commits(): readonly Commit[] {
    return this.all;
  }

  get head(): boolean {
    return this.at === this.all.length - 1;
  }

  /** Shows other versions. The selected one stays, the newest stays the newest. keep names another one: a number, an id or its beginning; the answer says whether it is there. */
  set(all: Commit[], keep?: string): boolean {
    const id = keep ?? this.selected?.id;
    const head = keep === undefined && this.head;
    this.all = all;
    this.at = all.length - 1;
    let i = -1;
    if (id && !head) {
      i = all.findIndex((c) => c.id === id || String(c.number) === id);
      if (i < 0 && id.length >= 4) i = all.findIndex((c) => c.id.startsWith(id));
      if (i >= 0) this.at = i;
    }
    this.range.max = String(Math.max(0, all.length - 1));
    this.node.classList.toggle("single", all.length < 2); // nothing to slide to
    this.draw();
    this.say();
    return i >= 0;
  }

  /** Selects the version of an id. */
  select(id: string): void {
    const i = this.all.findIndex((c) => c.id === id);
    if (i >= 0) this.pick(i);
  }

  private pick(i: number): void {
    if (i < 0 || i >= this.all.length || i === this.at) return;
    this.at = i;
    this.say();
    this.changed(this.all[i]!, this.head);
  }

  private say(): void {
    const c = this.selected;
    this.range.value = String(this.at);
    this.older.disabled = this.at <= 0;
    this.newer.disabled = this.at >= this.all.length - 1;
    if (!c) return;
    const words = [`version ${c.number}${this.head ? ", the newest" : ""}`, time(c.time), c.author && `by ${c.author}`, c.message].filter(Boolean);
    this.range.setAttribute("aria-valuetext", words.join(", "));
    fill(this.said, el("strong", null, "Version ", count(c.number)), this.head && el("span", { class: "badge" }, "newest"), el("span", null, time(c.time)), c.author && el("span", { class: "author" }, c.author), c.message && el("span", { class: "message" }, c.message), el("span", { class: "muted" }, "+", bytes(added(c))));
    this.bars.querySelector(".now")?.classList.remove("now");
    this.bars.children[this.group(this.at)]?.classList.add("now");
  }

  private groups = 0;
  private group(i: number): number {
    return Math.floor((i * this.groups) / Math.max(1, this.all.length));
  }

  /** Draws a bar for each version, or for a few neighbours, as high as the logarithm of what they added. */
  private draw(): void {
    const n = (this.groups = Math.min(this.all.length, 200));
    const size = new Array<number>(n).fill(0);
    this.all.forEach((c, i) => (size[this.group(i)]! += added(c)));
    const high = Math.log(2 + Math.max(1, ...size));
    const wide = Math.min(9, 700 / n); // of a thousand
    this.bars.setAttribute("viewBox", "0 0 1000 30");
    this.bars.replaceChildren(
      ...size.map((s, i) => {
        const h = 3 + (27 * Math.log(2 + s)) / high;
        return svg("rect", { x: (n < 2 ? 1000 : (1000 * i) / (n - 1)) - wide / 2, width: wide, y: 30 - h, height: h, rx: 1 });
      }),
    );
  }
}

/** Returns a small button that selects the newest version again. */
export function toNewest(t: Timeline): HTMLElement {
  return el("button", { type: "button", class: "quiet small", onclick: () => t.select(t.commits[t.commits.length - 1]?.id ?? "") }, icon("back"), "Newest");
}
