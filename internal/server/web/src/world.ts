// A world's page: its versions on a time line, what it holds, and what can be done with it.

import { call, gaveUp, json, pause, Refused, words, capital, type Commit, type Facts, type Volume } from "./api";
import { bringPlayerBack } from "./back";
import { compare } from "./compare";
import { breaking, el, fill, icon, type Child } from "./dom";
import { chosen } from "./drop";
import { exists, freeName, nameFault, shown } from "./names";
import { confirm, download, formatChooser, lostWords, Notes, showPicture } from "./parts";
import { ago, bytes, count, many, time } from "./text";
import { added, loadLog, Timeline, toNewest } from "./timeline";
import { Uploads } from "./upload";
import { may, type Page, type View } from "./view";
import { deleted, dropZone } from "./worlds";

export const world: Page = async (v) => {
  const p = new WorldPage(v);
  await p.load();
};

const watchEvery = 5000; // milliseconds

class WorldPage {
  private notes = new Notes();
  private picture = el("div", { class: "picture big none" }, el("span", { class: "muted" }, "…"));
  private facts = el("div", { class: "facts" });
  private lease = el("span");
  private timeline = new Timeline(() => this.moved());
  private versionActions = el("div", { class: "row" });
  private versions = el("div", { class: "versions" });
  private snapshots = el("div");
  private players = el("section", { class: "card", hidden: true });
  private readonly player = { file: "" }; // that was chosen last
  private comparison: ReturnType<typeof compare>;
  private uploads: Uploads;
  private writes: boolean;
  private forks: boolean; // the caller may make worlds somewhere
  private drawing = new AbortController();

  constructor(private v: View) {
    const { name } = v;
    this.writes = may(v.who, "write", name);
    this.forks = may(v.who, "write", v.who?.prefixes?.[0]);
    this.uploads = new Uploads(v, () => "", () => void this.load(true), name);
    this.comparison = compare(v, this.timeline);
    const input = el("input", { type: "file", class: "hidden", tabIndex: -1, "aria-hidden": "true", onchange: () => (void this.uploads.take(chosen(input.files!)), (input.value = "")) });
    fill(
      v.main,
      el(
        "div",
        { class: "bar" },
        el("h1", null, breaking(shown(name)), " ", this.lease),
        el(
          "div",
          { class: "row" },
          this.writes && el("button", { type: "button", onclick: () => input.click(), title: "Upload a zip or a file as the newest version; folders can be dropped on this page" }, icon("up"), "New version"),
          input,
          this.writes && el("button", { type: "button", onclick: () => void this.rename() }, icon("pen"), "Rename"),
          this.writes && el("button", { type: "button", class: "danger", onclick: () => void this.remove() }, icon("bin"), "Delete"),
        ),
      ),
      this.notes.node,
      this.uploads.node,
      el("section", { class: "card line", "aria-label": "Time line" }, this.timeline.node, this.versionActions),
      el("div", { class: "split" }, el("section", { class: "card shotcard", "aria-label": "Picture" }, this.picture), el("section", { class: "card", "aria-label": "Facts" }, el("h2", { class: "hidden" }, "Facts"), this.facts)),
      this.comparison.node,
      this.players,
      el("div", { class: "split even" }, el("section", { class: "card" }, el("h2", null, "Named snapshots"), this.snapshots), el("section", { class: "card" }, el("h2", null, "Versions"), this.versions)),
    );
    dropZone(v, (files) => this.uploads.take(files), (e) => this.uploads.fail(e), this.writes);
    void this.watch().catch(() => undefined); // ends with the page
  }

  /** Shows versions that others save while the page is open. */
  private async watch(): Promise<void> {
    for (;;) {
      await pause(watchEvery, this.v.signal);
      if (document.hidden) continue;
      const now = await this.newer().catch((e) => {
        if (gaveUp(e)) throw e;
        return null; // the next call may succeed
      });
      if (!now) continue;
      const was = this.timeline.selected?.id, stay = this.timeline.head;
      this.timeline.set(now);
      this.list();
      if (stay || this.timeline.selected?.id !== was) this.moved();
    }
  }

  /** Returns all versions, null if the newest is the one that is known. */
  private async newer(): Promise<Commit[] | null> {
    const all = this.timeline.commits, newest = all[all.length - 1]?.id;
    const { commits } = await json<{ commits: Commit[] | null }>("/v1/log/" + this.v.name, { query: { n: 100 }, signal: this.v.signal });
    const old = (commits ?? []).findIndex((c) => c.id === newest);
    if (!commits?.length || old === 0) return null;
    if (old > 0) return [...all, ...commits.slice(0, old).reverse()];
    let whole: Commit[] = []; // the page slept for many versions, or the one it knew was dropped
    await loadLog(this.v.name, this.v.signal, (more) => (whole = more));
    return whole;
  }

  /** Loads the log, then what the selected version holds. */
  async load(again = false): Promise<void> {
    let first = true;
    let wanted = again ? null : this.v.query.get("at"); // may be among older versions, which come later
    try {
      await loadLog(this.v.name, this.v.signal, (all) => {
        const found = this.timeline.set(all, wanted ?? undefined);
        if (again && first) this.timeline.select(all[all.length - 1]?.id ?? "");
        if (first || (wanted && found)) this.moved();
        if (found) wanted = null;
        first = false;
        this.list();
      });
    } catch (e) {
      if (!(e instanceof Refused) || e.code !== "no_commit") throw e;
      this.moved();
    }
    await this.loadSnapshots();
  }

  /** Another version is selected. */
  private moved(): void {
    const c = this.timeline.selected;
    this.drawing.abort();
    this.drawing = new AbortController();
    const signal = AbortSignal.any([this.drawing.signal, this.v.signal]);
    this.v.share({ at: c && !this.timeline.head ? c.number : undefined });
    this.actions(c);
    this.comparison.moved();
    for (const li of this.versions.querySelectorAll("[aria-current]")) li.removeAttribute("aria-current");
    this.versions.querySelector(`[data-number="${c?.number ?? ""}"]`)?.setAttribute("aria-current", "true");
    void this.draw(c, signal).catch((e) => {
      if (!signal.aborted && !gaveUp(e)) fill(this.facts, el("p", { class: "bad", role: "alert" }, words(e, "see this world")));
    });
  }

  private async draw(c: Commit | undefined, signal: AbortSignal): Promise<void> {
    await pause(60, signal); // while the slider moves, versions in between are skipped
    const at = c && !this.timeline.head ? c.id : "";
    const shown = c ? showPicture(this.picture, this.v.name, { size: 1024, at: c.number }, signal, true) : fill(this.picture, el("span", { class: "muted" }, "This world has no version yet."));
    const f = await json<Facts>("/v1/worlds/" + this.v.name, { query: { at }, signal });
    const until = f.lease && `until ${time(f.lease.until)}`;
    fill(this.lease, f.lease && el("span", { class: "badge warn", title: until! }, icon("lock"), f.lease.holder || "leased", ` ${until}`));
    const bounds = await this.bounds(f, at, signal);
    fill(this.facts, factsOf(f, bounds));
    if (f.commit) await this.listPlayers(f.commit, f.folder && this.writes, signal);
    await shown;
  }

  /** Shows how to bring a player of a version back. */
  private async listPlayers(c: Commit, folder: boolean, signal: AbortSignal): Promise<void> {
    const how = await bringPlayerBack({ name: this.v.name, version: String(c.number), folder, signal, tell: (text) => this.notes.say("good", text) }, this.player);
    this.players.hidden = how === null;
    fill(this.players, el("h2", null, `Bring a player back from version ${c.number}`), how);
  }

  /** Asks where the chunks of each dimension lie. */
  private async bounds(f: Facts, at: string, signal: AbortSignal): Promise<Map<string, Bounds>> {
    const out = new Map<string, Bounds>();
    for (const d of f.commit ? f.dimensions.slice(0, mostBounds) : []) {
      const b = await json<Bounds>("/v1/map/" + this.v.name, { query: { at, dimension: d.name }, signal }).catch((e) => {
        if (e instanceof Refused) return null; // nothing to be drawn
        throw e;
      });
      if (b) out.set(d.name, b);
    }
    return out;
  }

  private actions(c: Commit | undefined): void {
    const q = c && !this.timeline.head ? `?at=${c.number}` : "";
    const { name } = this.v;
    fill(
      this.versionActions,
      el("a", { class: "button", href: `/map/${name}${q}` }, icon("map"), "Map"),
      el("a", { class: "button", href: `/3d/${name}${q}` }, icon("cube"), "3D"),
      c && el("button", { type: "button", onclick: () => void this.download(c) }, icon("down"), "Download"),
      c && this.forks && el("button", { type: "button", onclick: () => void this.fork(c) }, icon("fork"), "Fork"),
      c && this.writes && el("button", { type: "button", onclick: () => void this.save(c) }, icon("flag"), "Name it"),
      c && this.writes && !this.timeline.head && el("button", { type: "button", onclick: () => void this.restore(c) }, icon("back"), "Go back to this"),
      c && !this.timeline.head && toNewest(this.timeline),
    );
  }

  private list(): void {
    const { commits } = this.timeline;
    const shown = commits.slice(-200).reverse();
    fill(
      this.versions,
      shown.length === 0 && el("p", { class: "muted" }, "None yet."),
      el(
        "ol",
        { class: "log", reversed: true },
        shown.map((c) =>
          el(
            "li",
            { "data-number": c.number, "aria-current": c.id === this.timeline.selected?.id ? "true" : undefined },
            el("button", { type: "button", class: "quiet", onclick: () => this.timeline.select(c.id) }, el("strong", null, count(c.number)), el("span", { class: "grow message" }, c.message || el("span", { class: "muted" }, "no message")), el("span", { class: "muted" }, c.author && el("span", { class: "author" }, c.author + " · "), el("time", { dateTime: c.time, title: time(c.time) }, ago(c.time)), ` · ${bytes(added(c))}`)),
          ),
        ),
      ),
      commits.length > shown.length && el("p", { class: "muted" }, `${count(commits.length - shown.length)} older versions are on the time line.`),
    );
  }

  private async download(c: Commit): Promise<void> {
    const format = formatChooser("format");
    const dims = el("select", { id: "dimension" }, el("option", { value: "" }, "what the format takes"));
    for (const d of this.dimensions) dims.append(el("option", { value: d }, d));
    const body = el("div", { class: "fields" }, el("div", { class: "field" }, el("label", { for: "format" }, "Format"), format), this.dimensions.length > 1 && el("div", { class: "field" }, el("label", { for: "dimension" }, "Dimension"), dims));
    format.addEventListener("change", () => (dims.disabled = format.value === "cairn"));
    dims.disabled = true;
    if (!(await confirm(`Download version ${c.number}`, body, "Download"))) return;
    const text = el("span");
    const stop = new AbortController();
    const note = this.notes.say("", text, " ", el("button", { type: "button", class: "link", onclick: () => (stop.abort(), note.remove()) }, "Stop"));
    try {
      const lost = await download(this.v.name, format.value, this.timeline.head ? "" : String(c.number), dims.disabled ? "" : dims.value, AbortSignal.any([stop.signal, this.v.signal]), (t) => (text.textContent = t));
      note.remove();
      this.notes.say("good", "Downloaded. ", lostWords(lost, "The format cannot hold"));
    } catch (e) {
      note.remove();
      this.notes.fail(e, "download this world");
    }
  }

  private get dimensions(): string[] {
    return [...this.facts.querySelectorAll<HTMLElement>("[data-dimension]")].map((e) => e.dataset.dimension!);
  }

  private async fork(c: Commit): Promise<void> {
    const free = await freeName(this.v.name + "-fork", (n) => exists(n, this.v.signal)).catch(() => this.v.name + "-fork");
    const name = await askName(`Fork version ${c.number}`, free, "A fork is a new world that begins with this version. It takes no room of its own until it changes.", "Fork");
    if (!name) return;
    try {
      await call("/v1/fork/" + name, { method: "POST", json: { from: this.v.name, at: c.id }, signal: this.v.signal });
      this.notes.say("good", "Made ", el("a", { href: "/world/" + name }, name), ".");
    } catch (e) {
      this.notes.fail(e, "make a world of this name");
    }
  }

  private async rename(): Promise<void> {
    const name = await askName("Rename this world", this.v.name, "Its versions and snapshots go with it.", "Rename");
    if (!name || name === this.v.name) return;
    try {
      await call("/v1/rename/" + this.v.name, { method: "POST", json: { to: name }, signal: this.v.signal });
      this.v.go("/world/" + name);
    } catch (e) {
      this.notes.fail(e, "rename this world");
    }
  }

  private async remove(): Promise<void> {
    if (!(await confirm("Delete this world?", el("p", null, el("strong", null, this.v.name), " can be brought back for a week."), "Delete", true))) return;
    try {
      await call("/v1/worlds/" + this.v.name, { method: "DELETE", signal: this.v.signal });
      fill(this.v.main, this.notes.node, el("p", null, el("a", { href: "/" }, "To the worlds")));
      deleted(this.notes, [this.v.name], this.v, () => this.v.go("/world/" + this.v.name));
    } catch (e) {
      this.notes.fail(e, "delete this world");
    }
  }

  private async restore(c: Commit): Promise<void> {
    const message = el("input", { type: "text", id: "message", value: `back to version ${c.number}`, maxLength: 200 });
    const body = el("div", { class: "fields" }, el("p", null, `The newest version becomes what version ${c.number} was. No version is lost: going back is a new version.`), el("div", { class: "field" }, el("label", { for: "message" }, "Message"), message));
    if (!(await confirm(`Go back to version ${c.number}?`, body, "Go back"))) return;
    try {
      const done = await json<Commit>("/v1/restore/" + this.v.name, { method: "POST", json: { at: c.id, message: message.value, author: author(this.v) }, signal: this.v.signal });
      this.notes.say("good", `This is version ${done.number} now.`);
      await this.load(true);
    } catch (e) {
      this.notes.fail(e, "change this world");
    }
  }

  private async save(c: Commit): Promise<void> {
    const name = el("input", { type: "text", id: "snapshot", required: true, pattern: "[a-z0-9._\\-]{1,64}", title: "a-z, 0-9, dot, dash and underscore", spellcheck: false, autocomplete: "off" });
    const message = el("input", { type: "text", id: "message", maxLength: 200 });
    const body = el("div", { class: "fields" }, el("p", { class: "muted" }, "A named snapshot keeps this version for good, and brings it back by its name."), el("div", { class: "field" }, el("label", { for: "snapshot" }, "Name"), name), el("div", { class: "field" }, el("label", { for: "message" }, "Message"), message));
    if (!(await confirm(`Name version ${c.number}`, body, "Save"))) return;
    try {
      await call("/v1/snapshots/" + this.v.name, { method: "POST", json: { snapshot: name.value, at: c.id, message: message.value, author: author(this.v) }, signal: this.v.signal });
      await this.loadSnapshots();
    } catch (e) {
      this.notes.fail(e, "save a snapshot of this world");
    }
  }

  private async loadSnapshots(): Promise<void> {
    let all: Snapshot[] = [];
    try {
      all = (await json<{ snapshots: Snapshot[] | null }>("/v1/snapshots/" + this.v.name, { signal: this.v.signal })).snapshots ?? [];
    } catch (e) {
      if (gaveUp(e)) return;
      fill(this.snapshots, el("p", { class: e instanceof Refused && e.status === 404 ? "muted" : "bad" }, e instanceof Refused && e.status === 404 ? "None." : words(e, "see snapshots of this world")));
      return;
    }
    fill(
      this.snapshots,
      all.length === 0 && el("p", { class: "muted" }, this.writes ? "None. “Name it” keeps the selected version under a name." : "None."),
      el(
        "ul",
        { class: "plain" },
        all.map((s) =>
          el(
            "li",
            null,
            el("div", { class: "grow" }, el("a", { href: "/world/" + s.stored }, s.snapshot), s.message && el("span", { class: "message" }, " ", s.message), el("div", { class: "muted small-text" }, s.commit ? `${time(s.commit.time)} · ` : "", s.region || "the whole world", s.mask && ` · ${s.mask}`, ` · ${bytes(s.bytes)}`)),
            this.writes && el("button", { type: "button", class: "small", onclick: () => void this.bringBack(s) }, "Bring back"),
            this.writes && el("button", { type: "button", class: "quiet danger round small", "aria-label": "Delete the snapshot " + s.snapshot, onclick: () => void this.drop(s) }, icon("bin")),
          ),
        ),
      ),
    );
  }

  private async bringBack(s: Snapshot): Promise<void> {
    if (!(await confirm(`Bring back “${s.snapshot}”?`, el("p", null, s.region ? "The area of the snapshot becomes what it was. " : "The world becomes what it was. ", "No version is lost: this makes a new version."), "Bring back"))) return;
    const bar = el("progress", { max: 1 });
    const text = el("span", null, "Begins.");
    const note = this.notes.say("", `Restoring ${s.snapshot}. `, text, bar);
    try {
      let o = await json<Operation>("/v1/operations/" + this.v.name, { method: "POST", json: { restore: s.snapshot, author: author(this.v) }, signal: this.v.signal });
      while (o.state === "running" || o.state === "paused") {
        bar.value = o.total ? o.done / o.total : 0;
        text.textContent = `${o.done} of ${many(o.total, "chunk")}.`;
        await pause(400, this.v.signal);
        const all = await json<{ operations: Operation[] }>("/v1/operations/" + this.v.name, { query: { operation: o.id }, signal: this.v.signal });
        o = all.operations[0] ?? { ...o, state: "failed", error: "the server no longer knows this operation" };
      }
      note.remove();
      if (o.state === "done") this.notes.say("good", `Restored: ${many(o.cells, "cell")} changed.`);
      else this.notes.say("bad", `The restore is ${o.state}. ${o.error}`);
      await this.load(true);
    } catch (e) {
      note.remove();
      this.notes.fail(e, "restore this world");
    }
  }

  private async drop(s: Snapshot): Promise<void> {
    if (!(await confirm(`Delete the snapshot “${s.snapshot}”?`, el("p", null, "It can be brought back for a week."), "Delete", true))) return;
    try {
      await call("/v1/snapshots/" + this.v.name, { method: "DELETE", query: { snapshot: s.snapshot }, signal: this.v.signal });
      const note = this.notes.say("good", `Deleted ${s.snapshot}. `, el("button", { type: "button", class: "link", onclick: () => void back() }, "Bring back"));
      const back = async (): Promise<void> => {
        note.remove();
        await call("/v1/undelete/" + s.stored, { method: "POST" }).catch((e) => this.notes.fail(e, "bring this snapshot back"));
        await this.loadSnapshots();
      };
      await this.loadSnapshots();
    } catch (e) {
      this.notes.fail(e, "delete this snapshot");
    }
  }
}

interface Snapshot {
  snapshot: string;
  stored: string;
  commit: Commit | null;
  message: string;
  dimension: string;
  region: string;
  mask: string;
  bytes: number;
}

interface Operation {
  id: string;
  state: string;
  total: number;
  done: number;
  cells: number;
  error: string;
}

/** Returns what commits of this page name as their author: the note of the token, if it has one. */
const author = (v: View): string => (v.who?.note ?? "").slice(0, 60);

/** Asks for a name of a world; null if the user declines. */
async function askName(title: string, value: string, about: string, action: string): Promise<string | null> {
  const input = el("input", { type: "text", id: "name", value, spellcheck: false, autocomplete: "off" });
  const hint = el("p", { class: "hint bad", role: "status" });
  input.addEventListener("input", () => {
    hint.textContent = nameFault(input.value);
    input.setCustomValidity(nameFault(input.value));
  });
  const body: Child = el("div", { class: "fields" }, el("p", { class: "muted" }, about), el("div", { class: "field" }, el("label", { for: "name" }, "Name"), input, hint));
  return (await confirm(title, body, action)) ? input.value : null;
}

/** The corners of a box around all chunks of a dimension, both included. */
interface Bounds {
  from: number[];
  to: number[];
}

const mostBounds = 6; // dimensions whose bounds are shown

const kinds: Record<string, [string, string]> = { block: ["kind of block", "kinds of blocks"], biome: ["biome", "biomes"], solid: ["material", "materials"] };
const plain: Record<string, string> = { light: "light", sky: "light of the sky", liquid: "liquid" };

/** Says what the volumes of a dimension hold. */
function contents(volumes: Volume[]): string {
  const said = volumes.map((u) => {
    const [one, more] = kinds[u.name] ?? [`name in “${u.name}”`, `names in “${u.name}”`];
    return u.names > 0 ? many(u.names, one, more) : (plain[u.name] ?? `numbers in “${u.name}”`);
  });
  return said.join(", ") || "nothing yet";
}

function factsOf(f: Facts, bounds: Map<string, Bounds>): Child {
  const row = (k: string, ...value: Child[]): Child => [el("dt", null, k), el("dd", null, value)];
  const c = f.commit;
  const minus = (n: number): string => String(n).replace("-", "\u2212");
  const span = (b: Bounds): Child => ["x", "y", "z"].map((axis, i) => el("span", { class: "span" }, el("i", null, axis), ` ${minus(b.from[i]!)} … ${minus(b.to[i]!)}`));
  return [
    el(
      "dl",
      null,
      row("Size", bytes(f.bytes), ` in ${many(f.stones, "stone")}`),
      c && row("Saved", el("time", { dateTime: c.time, title: c.time }, `${time(c.time)}, ${ago(c.time)}`)),
      c?.author && row("Author", el("span", { class: "author" }, c.author)),
      c?.message && row("Message", el("span", { class: "message" }, c.message)),
      c && row("Id", el("code", { title: c.id }, c.id.slice(0, 16))),
    ),
    f.dimensions.map((d) =>
      el(
        "div",
        { class: "dimension", "data-dimension": d.name },
        el("h3", null, d.name, d.columns !== undefined && d.columns > 0 && el("span", { class: "muted" }, ` ${many(d.columns, "column")}`)),
        bounds.has(d.name) && el("p", { class: "muted bounds" }, span(bounds.get(d.name)!)),
        el("p", { class: "muted" }, capital(contents(d.volumes)), "."),
      ),
    ),
    f.properties.length > 0 && el("details", { open: f.properties.length <= 6 }, el("summary", null, many(f.properties.length, "property", "properties")), el("dl", null, f.properties.map((p) => row(p.key, el("span", { class: "value" }, p.value.length > 300 ? p.value.slice(0, 300) + "…" : p.value))))),
  ];
}
