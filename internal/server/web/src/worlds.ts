// The list of worlds: pictures, search, selection, uploads.

import { boundTo, call, gaveUp, json, Lanes, Refused, words, type Facts } from "./api";
import { breaking, el, fill, hidden, icon, type Child } from "./dom";
import { chosen, dropped } from "./drop";
import { listed, prefixesFor, shown } from "./names";
import { confirm, download, formatChooser, lostWords, Notes, showPicture } from "./parts";
import { ago, bytes, count, many, nameParts, time } from "./text";
import { Uploads } from "./upload";
import { may, type Page, type View } from "./view";

const perStep = 48; // cards that are added at a time

const facts = new Lanes(4);

export const worlds: Page = (v) => {
  if (boundTo(v.who)) return v.go("/3d/" + boundTo(v.who));
  const notes = new Notes();
  const begins = el("input", { type: "search", id: "begins", value: v.query.get("prefix") ?? "", placeholder: "any", spellcheck: false, autocomplete: "off" });
  const contains = el("input", { type: "search", id: "contains", value: v.query.get("q") ?? "", placeholder: "any", spellcheck: false, autocomplete: "off" });
  const found = el("p", { class: "muted count", role: "status" });
  const grid = el("div", { class: "worlds" });
  const more = el("div", { class: "more" });
  const uploads = new Uploads(v, () => (begins.value.includes("/") ? begins.value.slice(0, begins.value.lastIndexOf("/") + 1) : ""), () => void search());
  const picker = (folder: boolean): HTMLElement => {
    const input = el("input", { type: "file", class: "hidden", multiple: true, tabIndex: -1, "aria-hidden": "true", onchange: () => (void uploads.take(chosen(input.files!)), (input.value = "")) });
    input.webkitdirectory = folder;
    return el("span", null, el("button", { type: "button", onclick: () => input.click() }, icon("up"), folder ? "Folder" : "Files"), input);
  };
  const selection = new Selection(v, notes, () => void search());
  const upload = may(v.who, "write", begins.value.replace(/\/$/, "") || (v.who?.prefixes?.[0] ?? "")) || (v.who?.role !== "read" && (v.who?.prefixes ?? []).length > 0);
  fill(
    v.main,
    el(
      "div",
      { class: "bar" },
      el("h1", null, "Worlds"),
      el("form", { class: "search", role: "search", onsubmit: (e: Event) => e.preventDefault() }, el("div", { class: "field" }, el("label", { for: "begins" }, "Name begins with"), begins), el("div", { class: "field" }, el("label", { for: "contains" }, "Name contains"), contains)),
      upload && el("div", { class: "field" }, el("span", { class: "label" }, "Upload, or drop here"), el("div", { class: "row" }, picker(true), picker(false))),
    ),
    notes.node,
    uploads.node,
    found,
    grid,
    more,
    passedOver(v),
    upload && deletedWorlds(v, notes, () => void search()),
    selection.node,
  );
  dropZone(v, (files) => uploads.take(files), (e) => uploads.fail(e), upload);

  // Only cards near the window ask for facts and pictures.
  const cards = new Map<Element, Card>();
  const near = new IntersectionObserver((all) => all.forEach((i) => cards.get(i.target)?.near(i.isIntersecting)), { rootMargin: "250px" });
  let run = new AbortController();
  v.signal.addEventListener("abort", () => (near.disconnect(), run.abort()));

  const search = async (): Promise<void> => {
    run.abort();
    run = new AbortController();
    const { signal } = run;
    near.disconnect();
    cards.clear();
    fill(grid);
    fill(more);
    found.textContent = "";
    v.share({ prefix: begins.value, q: contains.value });
    const text = contains.value.toLowerCase();
    const pages = listed(prefixesFor(v.who, begins.value), text ? 5000 : 200, signal);
    let waiting: string[] = [];
    let seen = 0;
    let shown = 0;
    let ended = false;
    const status = (): void => {
      found.textContent = text ? `${many(shown, "world")} shown${ended && !waiting.length ? "" : ", there may be more"}; looked at ${many(seen, "name")}` : ended ? `${count(seen)} of ${many(seen, "world")}`.replace(/^.* of /, shown < seen ? `${count(shown)} of ` : "") : `${count(shown)} shown, there are more`;
    };
    const step = async (): Promise<void> => {
      try {
        while (waiting.length < perStep && !ended) {
          const page = await pages.next();
          if (page.done) ended = true;
          else {
            seen += page.value.length;
            waiting.push(...(text ? page.value.filter((n) => n.includes(text) || shown(n).toLowerCase().includes(text)) : page.value));
            if (text) status();
          }
        }
      } catch (e) {
        if (signal.aborted || gaveUp(e)) return;
        const refused = e instanceof Refused && e.status === 401;
        fill(more, el("div", { class: "note bad", role: "alert" }, el("p", null, words(e, "see the list of worlds")), refused ? el("p", null, el("a", { class: "button", href: "/login?to=" + encodeURIComponent(location.pathname + location.search) }, "Log in")) : el("p", null, el("button", { type: "button", onclick: () => void step() }, "Try again"))));
        return;
      }
      if (signal.aborted) return;
      for (const name of waiting.splice(0, perStep)) {
        const c = new Card(name, selection, signal);
        cards.set(c.node, c);
        grid.append(c.node);
        near.observe(c.node);
        shown++;
      }
      status();
      if (shown === 0) fill(more, nothing(!!(text || begins.value), upload));
      else if (!ended || waiting.length) {
        const button = el("button", { type: "button", onclick: () => (end.disconnect(), fill(more), void step()) }, "Show more");
        const end = new IntersectionObserver((all) => all.some((i) => i.isIntersecting) && button.click(), { rootMargin: "600px" });
        signal.addEventListener("abort", () => end.disconnect());
        fill(more, button);
        end.observe(button);
      } else fill(more);
    };
    await step();
  };
  let timer = 0;
  for (const i of [begins, contains])
    i.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void search(), 250);
    });
  return search();
};

/** Returns what a folder has besides the worlds that are shown, as far as the server says. */
function passedOver(v: View): HTMLElement {
  const box = el("div");
  const show = ({ passed = [] }: { passed?: string[] }): void => {
    if (passed.length) fill(box, el("details", { class: "deleted", open: true }, el("summary", null, `Passed over: ${many(passed.length, "file")}`), el("ul", null, passed.map((p) => el("li", null, p)))));
  };
  if (v.who?.role === "read" && !v.who.prefixes?.length) void json<{ passed?: string[] }>("/v1/worlds", { query: { n: 1 }, signal: v.signal }).then(show, () => undefined); // the list says what fails
  return box;
}

/** Returns a list of deleted worlds, which asks the server when it is opened. */
function deletedWorlds(v: View, notes: Notes, changed: () => void): HTMLElement {
  const list = el("ul", { class: "plain" });
  const load = async (): Promise<void> => {
    const all: { world: string; deleted: string }[] = [];
    const prefixes = v.who?.prefixes ?? [];
    try {
      for (const prefix of prefixes.length ? prefixes : [""]) all.push(...(await json<{ deleted: typeof all }>("/v1/deleted", { query: { prefix, n: 200 }, signal: v.signal })).deleted);
    } catch (e) {
      if (!gaveUp(e)) fill(list, el("li", { class: "bad", role: "alert" }, words(e, "see deleted worlds")));
      return;
    }
    const back = async (name: string): Promise<void> => {
      try {
        await call("/v1/undelete/" + name, { method: "POST", signal: v.signal });
        notes.say("good", "Brought back ", el("a", { href: "/world/" + name }, name), ".");
        changed();
        await load();
      } catch (e) {
        notes.fail(e, "bring this world back");
      }
    };
    const row = (w: { world: string; deleted: string }): Child => el("li", null, el("div", { class: "grow" }, breaking(shown(w.world)), " ", el("span", { class: "muted small-text" }, el("time", { dateTime: w.deleted, title: time(w.deleted) }, "deleted " + ago(w.deleted)))), el("button", { type: "button", class: "small", "aria-label": "Bring back " + w.world, onclick: () => void back(w.world) }, "Bring back"));
    fill(list, all.length === 0 && el("li", { class: "muted" }, "None."), all.map(row));
  };
  return el("details", { class: "deleted", ontoggle: (e: Event) => (e.currentTarget as HTMLDetailsElement).open && void load() }, el("summary", null, "Deleted worlds"), el("p", { class: "muted" }, "A deleted world can be brought back for a time, a week if the server does not say otherwise."), list);
}

function nothing(searched: boolean, upload: boolean): HTMLElement {
  if (searched) return el("div", { class: "empty" }, el("h2", null, "No world has such a name"), el("p", null, "Make the search shorter."));
  return el("div", { class: "empty" }, el("h2", null, "There are no worlds yet"), el("p", null, upload ? "Drop a world folder here, a zip or a file." : "Nobody has put a world here that your token may see."));
}

/** Shows that files may be dropped on the page, and takes them. */
export function dropZone(v: View, take: (files: Awaited<ReturnType<typeof dropped>>) => Promise<void>, fail: (e: unknown) => void, allowed: boolean, invitation = "Drop worlds here"): void {
  const veil = el("div", { class: "veil", "aria-hidden": "true" }, el("p", null, allowed ? invitation : "You may not upload worlds"));
  let depth = 0;
  const on = (kind: string, f: (e: DragEvent) => void): void => document.addEventListener(kind as "drop", f, { signal: v.signal });
  const has = (e: DragEvent): boolean => !!e.dataTransfer?.types.includes("Files");
  on("dragenter", (e) => {
    if (has(e) && depth++ === 0) document.body.append(veil);
  });
  on("dragleave", (e) => {
    if (has(e) && --depth <= 0) {
      depth = 0;
      veil.remove();
    }
  });
  on("drop", (e) => {
    depth = 0;
    veil.remove();
    if (allowed && e.dataTransfer && has(e)) dropped(e.dataTransfer).then(take).catch(fail);
  });
  v.signal.addEventListener("abort", () => veil.remove());
}

/** Card is one world in the list. It asks the server only while it is near the window. */
class Card {
  readonly node: HTMLElement;
  private box = el("div", { class: "picture none" });
  private about = el("div", { class: "meta muted" }, "\u00a0");
  private state: "new" | "asked" | "done" = "new";
  private stop = new AbortController();

  constructor(private name: string, selection: Selection, private signal: AbortSignal) {
    const [folder, last] = nameParts(shown(name));
    const href = "/world/" + name;
    this.node = el(
      "article",
      { class: "card world" },
      el("a", { class: "shot", href, tabIndex: -1, "aria-hidden": "true" }, this.box),
      el("label", { class: "pick" }, selection.box(name), hidden("Select " + name)),
      el("div", { class: "body" }, el("h2", null, el("a", { href }, folder && el("span", { class: "folder" }, folder), el("span", null, breaking(last)))), this.about),
      el("div", { class: "links" }, el("a", { class: "button quiet round small", href: "/map/" + name, "aria-label": "Map of " + name, title: "Map" }, icon("map")), el("a", { class: "button quiet round small", href: "/3d/" + name, "aria-label": "3D view of " + name, title: "3D" }, icon("cube"))),
    );
  }

  near(is: boolean): void {
    if (is && this.state === "new") void this.load();
    else if (!is && this.state === "asked") {
      this.stop.abort(); // scrolled past before its turn
      this.state = "new";
    }
  }

  private async load(): Promise<void> {
    this.state = "asked";
    this.stop = new AbortController();
    const signal = AbortSignal.any([this.signal, this.stop.signal]);
    try {
      const f = await facts.run(() => json<Facts>("/v1/worlds/" + this.name, { signal }), signal);
      this.show(f);
      if (f.commit) await showPicture(this.box, this.name, { size: 320, at: f.commit.number }, signal);
      else fill(this.box, el("span", { class: "muted" }, "Empty"));
      if (!signal.aborted) this.state = "done";
    } catch (e) {
      if (signal.aborted || gaveUp(e)) return;
      this.state = "done";
      this.about.textContent = words(e, "see this world");
    }
  }

  private show(f: Facts): void {
    const c = f.commit;
    fill(
      this.about,
      c ? el("span", null, bytes(f.bytes), " · version ", count(c.number), " · ", el("time", { dateTime: c.time, title: time(c.time) }, ago(c.time))) : "no version yet",
      f.lease && el("span", { class: "badge warn", title: `until ${time(f.lease.until)}` }, icon("lock"), f.lease.holder || "leased"),
    );
  }
}

/** Selection is the set of worlds that the user chose, and what can be done with them. */
class Selection {
  readonly node = el("div", { class: "selection", role: "region", "aria-label": "Selected worlds", hidden: true });
  private names = new Set<string>();
  private boxes = new Map<string, HTMLInputElement>();
  private last = "";

  constructor(private v: View, private notes: Notes, private changed: () => void) {}

  box(name: string): HTMLInputElement {
    const box = el("input", { type: "checkbox", checked: this.names.has(name) });
    box.addEventListener("click", (e) => {
      const order = [...this.boxes.keys()];
      const from = order.indexOf(this.last);
      const to = order.indexOf(name);
      const range = e.shiftKey && from >= 0 ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [name];
      for (const n of range) this.set(n, box.checked);
      this.last = name;
      this.draw();
    });
    this.boxes.set(name, box);
    return box;
  }

  private set(name: string, on: boolean): void {
    if (on) this.names.add(name);
    else this.names.delete(name);
    const box = this.boxes.get(name);
    if (box) {
      box.checked = on;
      box.closest(".card")?.classList.toggle("picked", on);
    }
  }

  private clear(): void {
    for (const n of [...this.names]) this.set(n, false);
    this.draw();
  }

  private draw(): void {
    const n = this.names.size;
    this.node.hidden = n === 0;
    fill(
      this.node,
      el("strong", { role: "status" }, many(n, "world"), " selected"),
      el("button", { type: "button", onclick: () => (([...this.boxes.keys()].forEach((name) => this.boxes.get(name)!.isConnected && this.set(name, true)), this.draw())) }, "All shown"),
      el("button", { type: "button", onclick: () => void this.download() }, icon("down"), "Download"),
      [...this.names].every((name) => may(this.v.who, "write", name)) && el("button", { type: "button", class: "danger", onclick: () => void this.remove() }, icon("bin"), "Delete"),
      el("button", { class: "quiet", type: "button", onclick: () => this.clear() }, "None"),
    );
  }

  private async download(): Promise<void> {
    const names = [...this.names].sort();
    const format = formatChooser("format");
    if (!(await confirm(`Download ${many(names.length, "world")}`, el("div", { class: "field" }, el("label", { for: "format" }, "Format"), format), "Download"))) return;
    const text = el("span", null);
    const stop = new AbortController();
    const note = this.notes.say("", text, " ", el("button", { type: "button", class: "link", onclick: () => stop.abort() }, "Stop"));
    let good = 0;
    for (const [i, name] of names.entries()) {
      try {
        const lost = await download(name, format.value, "", "", AbortSignal.any([stop.signal, this.v.signal]), (t) => (text.textContent = `${i + 1} of ${names.length}: ${name}. ${t}`));
        const left = lostWords(lost);
        if (left) this.notes.say("", `${name}: `, left);
        good++;
      } catch (e) {
        if (gaveUp(e)) break;
        this.notes.say("bad", `${name}: ${words(e, "download this world")}`);
      }
    }
    note.remove();
    this.notes.say(good ? "good" : "", `Downloaded ${many(good, "world")}.`);
  }

  private async remove(): Promise<void> {
    const names = [...this.names].sort();
    const list = el("ul", { class: "list" }, names.slice(0, 12).map((n) => el("li", null, n)), names.length > 12 && el("li", { class: "muted" }, `and ${names.length - 12} more`));
    if (!(await confirm(`Delete ${many(names.length, "world")}?`, el("div", null, list, el("p", { class: "muted" }, "A deleted world can be brought back for a week.")), "Delete", true))) return;
    const gone: string[] = [];
    for (const name of names) {
      try {
        await call("/v1/worlds/" + name, { method: "DELETE", signal: this.v.signal });
        gone.push(name);
        this.set(name, false);
      } catch (e) {
        if (gaveUp(e)) return;
        this.notes.say("bad", `${name}: ${words(e, "delete this world")}`);
      }
    }
    this.draw();
    this.changed();
    if (gone.length) deleted(this.notes, gone, this.v, this.changed);
  }
}

/** Says that worlds were deleted, and offers to bring them back. */
export function deleted(notes: Notes, names: string[], v: View, changed: () => void): void {
  const note = notes.say("good", `Deleted ${names.length === 1 ? names[0] : many(names.length, "world")}. `, el("button", { type: "button", class: "link", onclick: () => void back() }, "Bring back"));
  const back = async (): Promise<void> => {
    note.remove();
    for (const name of names) await call("/v1/undelete/" + name, { method: "POST", signal: v.signal }).catch((e) => notes.say("bad", `${name}: ${words(e, "bring this world back")}`));
    changed();
  };
}
