// Numbers: what the server does, from its metrics. The history lasts as long as the page is open.

import { call, gaveUp, json, pause, Refused, words } from "./api";
import { el, fill, type Child } from "./dom";
import { buckets, quantile, rate, Sample, since, type Histogram } from "./metrics";
import { distribution, Lines, percentiles, type Line } from "./plot";
import { savings } from "./savings";

import { ago, bytes, count, many, seconds, short } from "./text";
import type { Page, View } from "./view";

const every = 5000; // milliseconds between two samples
const kept = 720; // samples: an hour
const lately = 60; // samples that percentiles "lately" look back

export const numbers: Page = async (v) => {
  fill(v.main, el("h1", null, "Numbers"));
  let text: string;
  try {
    text = await (await call("/metrics", { signal: v.signal })).text();
  } catch (e) {
    if (!(e instanceof Refused) || e.status === 401) throw e;
    v.main.append(el("div", { class: "note bad", role: "alert" }, e.code === "forbidden" ? "You may not see the server's numbers: they are for a token with the role admin that is for all worlds." : words(e, "see the server's numbers")));
    savings(v);
    return;
  }
  await new NumbersPage(v).run(text);
};

/** What GET /v1/stats answers, as far as the page shows it. */
interface Stats {
  sizes: { sampled: number; bytes: number; median: number; p90: number; p99: number; largest: number; counts: { upto: number; worlds: number }[] | null };
  stream: { viewers: number; worlds: number; bytes: number; cubes: number; edits: number; cut: number } | null;
}

class NumbersPage {
  private stats: { time: number; stats: Stats }[] = [];
  private history: Sample[] = [];
  private whole = false;
  private said = el("p", { class: "muted", role: "status" });
  private draws: (() => void)[] = [];
  private grid = el("div", { class: "numbers" });

  constructor(private v: View) {
    const choice = el(
      "fieldset",
      { class: "choice inline" },
      el("legend", { class: "hidden" }, "Percentiles and distributions"),
      [false, true].map((whole) => el("label", null, el("input", { type: "radio", name: "span", checked: whole === this.whole, onchange: () => ((this.whole = whole), this.draw()) }), el("span", null, whole ? "since the start" : "lately"))),
    );
    fill(v.main, el("div", { class: "bar" }, el("h1", null, "Numbers"), this.said, choice), this.grid);
    savings(v);
    this.cards();
  }

  /** Asks for what the metrics do not have. A server may not offer it. */
  private async ask(): Promise<void> {
    const stats = await json<Stats>("/v1/stats", { signal: this.v.signal }).catch((e) => {
      if (e instanceof Refused) return null;
      throw e;
    });
    if (stats) this.stats.push({ time: Date.now(), stats });
    if (this.stats.length > kept) this.stats.shift();
  }

  async run(text: string): Promise<void> {
    await this.ask();
    this.add(text);
    for (;;) {
      await pause(every, this.v.signal);
      if (document.hidden) continue;
      try {
        if (this.stats.length) await this.ask();
        this.add(await (await call("/metrics", { signal: this.v.signal })).text());
      } catch (e) {
        if (gaveUp(e)) return;
        this.said.textContent = words(e, "see the server's numbers");
      }
    }
  }

  private add(text: string): void {
    this.history.push(new Sample(text, Date.now()));
    if (this.history.length > kept) this.history.shift();
    this.said.textContent = `every ${every / 1000} s, as long as this page is open`;
    this.draw();
  }

  private draw(): void {
    for (const d of this.draws) d();
  }

  private get now(): Sample {
    return this.history[this.history.length - 1]!;
  }

  /** The moment that percentiles count from; undefined for the start of the server. */
  private get then(): Sample | undefined {
    if (this.whole || this.history.length < 2) return undefined;
    return this.history[Math.max(0, this.history.length - 1 - lately)];
  }

  private lately(name: string, labels: Record<string, string> = {}): Histogram {
    const now = this.now.histogram(name, labels);
    const part = since(now, this.then?.histogram(name, labels));
    return part.count > 0 ? part : now;
  }

  private line(name: string, value: (s: Sample, before: Sample | undefined) => number | undefined): Line {
    return { name, points: this.history.map((s, i) => [s.time, value(s, this.history[i - 1]) ?? NaN]) };
  }

  private card(title: string, big: () => Child, ...body: Child[]): HTMLElement {
    const value = el("p", { class: "big" });
    this.draws.push(() => fill(value, big()));
    return el("section", { class: "card number", "aria-label": title }, el("h2", null, title), value, body);
  }

  private plot(title: string, lines: () => Line[], text?: (n: number) => string, axis?: (n: number) => string): HTMLElement {
    const p = new Lines({ title, text, axis });
    this.draws.push(() => p.set(lines()));
    return p.node;
  }

  private live(make: () => Child): HTMLElement {
    const box = el("div");
    this.draws.push(() => fill(box, make()));
    return box;
  }

  private value(name: string, text: (n: number) => string, labels: Record<string, string> = {}): string {
    const n = this.now.get(name, labels);
    return n === undefined ? "–" : text(n);
  }

  private cards(): void {
    const g = (name: string, labels?: Record<string, string>) => (s: Sample): number | undefined => s.get(name, labels);
    const r = (name: string, labels?: Record<string, string>) => (s: Sample, before: Sample | undefined): number => rate(before, s, name, labels);
    const perSecond = (n: number): string => `${short(n)}/s`;
    fill(
      this.grid,
      this.card("Worlds", () => [this.value("cairn_worlds", count), el("small", null, "in the store")], this.plot("Worlds", () => [this.line("in the store", g("cairn_worlds")), this.line("used in the last minutes", g("cairn_worlds_loaded"))], count, short)),
      this.card("Disk", () => [this.value("cairn_store_disk_bytes", bytes), el("small", null, "on the disk")], this.plot("Bytes on the disk", () => [this.line("all", g("cairn_store_disk_bytes")), this.line("not freed yet", g("cairn_store_dead_bytes")), this.line("stones that are needed", g("cairn_store_stone_bytes"))], bytes)),
      this.card("Sizes of worlds", () => { const s = this.asked?.sizes; return [s ? bytes(s.median) : "–", el("small", null, "at the median")]; }, this.live(() => this.worldSizes())),
      this.card("Calls", () => [this.value("cairn_requests_total", count), el("small", null, "since the start")], this.plot("Calls a second", () => [this.line("done", r("cairn_requests_total", { code: "ok" })), this.line("refused or failed", (s, before) => rate(before, s, "cairn_requests_total") - (rate(before, s, "cairn_requests_total", { code: "ok" }) || 0)), this.line("under way", g("cairn_requests_in_flight"))], short)),
      this.card("Loads and saves", () => [this.value("cairn_load_bytes_count", count), el("small", null, "loads, "), this.value("cairn_save_bytes_count", count), el("small", null, "saves")], this.plot("Loads and saves a second", () => [this.line("loads", r("cairn_load_bytes_count")), this.line("saves", r("cairn_save_bytes_count"))], perSecond, short)),
      this.card("Steps of a load", () => this.times("cairn_load_step_seconds"), this.live(() => this.steps("cairn_load_step_seconds", "step"))),
      this.card("Steps of a save", () => this.times("cairn_save_step_seconds"), this.live(() => this.steps("cairn_save_step_seconds", "step"))),
      this.card("Bytes of a load", () => [bytes(quantile(this.lately("cairn_load_bytes"), 0.5)), el("small", null, "at the median")], this.live(() => distribution("Bytes of a load", this.sizes("cairn_load_bytes", bytes), "loads"))),
      this.card("Bytes of a save", () => [bytes(quantile(this.lately("cairn_save_bytes"), 0.5)), el("small", null, "at the median")], this.live(() => distribution("Bytes of a save", this.sizes("cairn_save_bytes", bytes), "saves"))),
      this.card("Stones of a load", () => [short(quantile(this.lately("cairn_load_stones"), 0.5)), el("small", null, "at the median")], this.live(() => distribution("Stones of a load", this.sizes("cairn_load_stones", short), "loads"))),
      this.card("Viewers in 3D", () => [this.asked?.stream ? count(this.asked.stream.viewers) : "–", el("small", null, "now")], this.plot("Viewers", () => [this.stream("viewers", (s) => s.viewers), this.stream("worlds that are shown", (s) => s.worlds)], short), this.live(() => this.sent())),
      this.card("Packs", () => [this.value("cairn_packs_total", count), el("small", null, "made, "), this.value("cairn_pack_queue", count), el("small", null, "wait")], this.plot("Worlds that wait to be packed", () => [this.line("waiting", g("cairn_pack_queue")), this.line("packed a second", r("cairn_packs_total"))], short), this.live(() => this.packs())),
      this.card("Garbage", () => [this.value("cairn_garbage_condemned_bytes", bytes), el("small", null, "wait for the end of their grace")], this.live(() => this.garbage())),
      this.card("Backups and collections", () => this.lastGood("backup"), this.live(() => this.work())),
      this.card("Decoded pages", () => [this.hits(), el("small", null, "found in memory")], this.plot("Decoded pages", () => [this.line("in memory", g("cairn_page_bytes")), this.line("decoded a second", r("cairn_page_decoded_bytes_total")), this.line("decoded again a second", r("cairn_page_decoded_again_bytes_total"))], bytes)),
      this.half("catalogue", "Catalogue"),
      this.half("bucket", "Bucket"),
      this.card("Memory of the process", () => [this.value("process_resident_memory_bytes", bytes), el("small", null, "")], this.plot("Memory", () => [this.line("process", g("process_resident_memory_bytes")), this.line("heap in use", g("go_memstats_heap_inuse_bytes"))], bytes)),
      this.card("Processor", () => [this.value("process_cpu_seconds_total", seconds), el("small", null, "of processor time")], this.plot("Cores that are busy", () => [this.line("cores busy", r("process_cpu_seconds_total"))], (n) => n.toPrecision(2), short)),
      el("section", { class: "card number wide", "aria-label": "Routes" }, el("h2", null, "Routes"), this.live(() => this.routes())),
    );
  }

  /** The calls to a half of a store on a cluster. Other stores count none, and have no such card. */
  private half(half: string, title: string): HTMLElement {
    const calls = (of: Record<string, string> = {}) => (s: Sample, before: Sample | undefined): number => rate(before, s, "cairn_store_calls_total", { half, ...of }) || 0;
    const card = this.card(
      title,
      () => [this.value("cairn_store_calls_total", count, { half }), el("small", null, "calls since the start")],
      this.plot(`Calls of the ${half} a second`, () => [this.line("all", calls()), this.line("away", calls({ result: "away" })), this.line("failed", calls({ result: "failed" }))], short),
      this.live(() => {
        const rows = this.now.labels("cairn_store_call_seconds_count", "operation").map((operation) => {
          const h = this.lately("cairn_store_call_seconds", { half, operation });
          return { name: operation, at: [0.5, 0.9, 0.99].map((q) => quantile(h, q)), count: h.count };
        });
        return percentiles("Percentiles", rows, ["50 %", "90 %", "99 %"], seconds);
      }),
    );
    this.draws.push(() => (card.hidden = this.now.get("cairn_store_calls_total", { half }) === undefined));
    return card;
  }

  private get asked(): Stats | undefined {
    return this.stats[this.stats.length - 1]?.stats;
  }

  private stream(name: string, value: (s: NonNullable<Stats["stream"]>) => number): Line {
    return { name, points: this.stats.map((s) => [s.time, s.stats.stream ? value(s.stats.stream) : NaN]) };
  }

  private sent(): Child {
    const s = this.asked?.stream;
    return s && el("p", { class: "muted small-text" }, `Sent since the start: ${bytes(s.bytes)}, ${many(s.cubes, "cube")}, ${many(s.edits, "edit")}. ${s.cut ? many(s.cut, "viewer") + " cut off." : ""}`);
  }

  private worldSizes(): Child {
    const s = this.asked?.sizes;
    if (!s) return el("p", { class: "muted none" }, "nothing yet");
    const counts = s.counts ?? [];
    const last = counts.filter((c) => c.upto > 0).at(-1)?.upto ?? 0;
    return [
      distribution("Sizes of worlds", counts.map((c) => ({ name: c.upto ? `≤ ${bytes(c.upto)}` : `> ${bytes(last)}`, count: c.worlds })), "worlds"),
      el("p", { class: "muted small-text" }, `90 % have at most ${bytes(s.p90)}, 99 % at most ${bytes(s.p99)}; the largest has ${bytes(s.largest)}. Of ${many(s.sampled, "world")}, ${bytes(s.bytes)} together; what several share counts for each.`),
    ];
  }

  private times(name: string): Child {
    const h = this.lately(name);
    return [h.count ? seconds(h.sum / Math.max(1, this.lately(name, { step: "admit" }).count || h.count)) : "–", el("small", null, "on average")];
  }

  private steps(name: string, label: string): HTMLElement {
    const rows = this.now.labels(name + "_count", label).map((step) => {
      const h = this.lately(name, { [label]: step });
      return { name: step, at: [0.5, 0.9, 0.99].map((q) => quantile(h, q)), count: h.count };
    });
    const order = ["admit", "wait", "receive", "fetch", "read", "check", "merge", "commit", "write", "send"];
    rows.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return percentiles("Percentiles", rows, ["50 %", "90 %", "99 %"], seconds);
  }

  private sizes(name: string, text: (n: number) => string): { name: string; count: number }[] {
    const all = buckets(this.lately(name));
    return all.map((b, i) => ({ name: Number.isFinite(b.upto) ? `≤ ${text(b.upto)}` : `> ${text(all[i - 1]?.upto ?? 0)}`, count: b.count }));
  }

  private packs(): Child {
    const h = this.lately("cairn_pack_seconds");
    const failed = this.now.get("cairn_pack_failures_total") ?? 0;
    return el("p", { class: "muted small-text" }, h.count ? `A pack takes ${seconds(quantile(h, 0.5))}, at most ${seconds(quantile(h, 0.99))} in 99 of 100 cases. ` : "", failed ? el("span", { class: "bad" }, many(failed, "pack"), " failed.") : "None failed.");
  }

  private garbage(): Child {
    const rows: [string, string][] = [["stones that wait", this.value("cairn_garbage_condemned_stones", count)], ...this.now.all("cairn_garbage_deleted_total").map((d): [string, string] => [`${d.labels.what ?? ""} deleted since the start`, d.labels.what === "bytes" ? bytes(d.value) : count(d.value)])];
    return el("table", null, el("tbody", null, rows.map(([k, n]) => el("tr", null, el("th", { scope: "row" }, k), el("td", { class: "num" }, n)))));
  }

  private lastGood(work: string): Child {
    const at = this.now.get("cairn_work_last_good_timestamp_seconds", { work });
    return at ? [ago(new Date(at * 1000).toISOString()), el("small", null, "was the last good backup")] : ["–", el("small", null, "no backup yet")];
  }

  private work(): Child {
    const works = [...new Set([...this.now.labels("cairn_work_failures_total", "work"), ...this.now.labels("cairn_work_seconds_count", "work")])];
    return [
      el(
        "table",
        null,
        el("thead", null, el("tr", null, ["Work", "Last good", "Took", "Runs", "Failed"].map((h, i) => el("th", { scope: "col", class: i ? "num" : "" }, h)))),
        el(
          "tbody",
          null,
          works.map((work) => {
            const at = this.now.get("cairn_work_last_good_timestamp_seconds", { work });
            const h = this.now.histogram("cairn_work_seconds", { work });
            const failed = this.now.get("cairn_work_failures_total", { work }) ?? 0;
            return el("tr", null, el("th", { scope: "row" }, work), el("td", { class: "num" }, at ? ago(new Date(at * 1000).toISOString()) : "–"), el("td", { class: "num" }, h.count ? seconds(h.sum / h.count) : "–"), el("td", { class: "num" }, count(h.count)), el("td", { class: failed ? "num bad" : "num" }, count(failed)));
          }),
        ),
      ),
      this.now.get("cairn_backup_bytes") !== undefined && el("p", { class: "muted small-text" }, `The last backup has ${this.value("cairn_backup_bytes", bytes, { part: "new" })} of its own and shares ${this.value("cairn_backup_bytes", bytes, { part: "shared" })} with the one before.`),
    ];
  }

  private hits(): string {
    const [all, hits] = [this.now.get("cairn_page_requests_total") ?? 0, this.now.get("cairn_page_hits_total") ?? 0];
    return all ? `${((100 * hits) / all).toPrecision(3)} %` : "–";
  }

  private routes(): Child {
    const before = this.history[Math.max(0, this.history.length - 1 - lately)];
    const rows = this.now.labels("cairn_requests_total", "route").map((route) => {
      const all = this.now.get("cairn_requests_total", { route }) ?? 0;
      const h = this.lately("cairn_request_seconds", { route });
      return { route, all, bad: all - (this.now.get("cairn_requests_total", { route, code: "ok" }) ?? 0), speed: before === this.now ? NaN : rate(before, this.now, "cairn_requests_total", { route }), half: quantile(h, 0.5), most: quantile(h, 0.99) };
    });
    rows.sort((a, b) => b.all - a.all);
    return el(
      "div",
      { class: "scroll", role: "region", "aria-label": "Calls by route", tabIndex: 0 },
      el(
        "table",
        null,
        el("thead", null, el("tr", null, ["Route", "Calls", "Not done", "A second", "50 %", "99 %"].map((h, i) => el("th", { scope: "col", class: i ? "num" : "" }, h)))),
        el("tbody", null, rows.slice(0, 24).map((x) => el("tr", null, el("th", { scope: "row" }, el("code", null, x.route)), el("td", { class: "num" }, count(x.all)), el("td", { class: x.bad ? "num bad" : "num" }, count(x.bad)), el("td", { class: "num" }, Number.isNaN(x.speed) ? "–" : short(x.speed)), el("td", { class: "num" }, seconds(x.half)), el("td", { class: "num" }, seconds(x.most))))),
      ),
    );
  }
}
