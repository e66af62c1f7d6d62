// Uploads: one card for each world that was dropped, with its name, progress, and what became of it.

import { address, gaveUp, Lanes, Refused, refusedBy, words } from "./api";
import { add, el, fill } from "./dom";
import { findWorlds, foreignKind, type Found } from "./drop";
import { exists, freeName, nameFault, nameOf } from "./names";
import { lostWords } from "./parts";
import { bytes, many } from "./text";
import type { View } from "./view";
import { zip, type Packed } from "./zip";

interface Imported {
  commit: { number: number; stones: { size: number }[] | null };
  same: boolean;
  lost: Record<string, number> | null;
  damaged: string[] | null;
  remarks: string[] | null;
}

/** Uploads makes and shows uploads; they run one after another. */
export class Uploads {
  readonly node = el("div", { class: "uploads" });
  private lane = new Lanes(1);
  private n = 0;
  private waiting = new Map<HTMLFormElement, HTMLInputElement>(); // cards that were not sent yet, and their names
  private all = el("div", { class: "row all", hidden: true });

  /** done is called after each upload with the name of its world. */
  constructor(private v: View, private prefix: () => string, private done: (name: string) => void, private fixed = "") {}

  /** Shows a card for each world among files. */
  async take(files: Packed[]): Promise<void> {
    const { worlds, rest } = findWorlds(files);
    for (const path of rest.filter((r) => foreignKind(r)).slice(0, 20)) this.node.append(el("div", { class: "note bad closable", role: "alert" }, el("div", null, el("code", null, path), ` is ${foreignKind(path)}, which cairn does not read.`), this.closer()));
    if (worlds.length === 0 && rest.length > 0 && rest.every(foreignKind)) return;
    if (worlds.length === 0) {
      const p = el("p", null, rest.length ? `No world is among ${many(rest.length, "file")}, such as `: "Nothing was dropped.", rest.length > 0 && el("code", null, rest[0]!), rest.length > 0 && ". A world is a folder with a level.dat, a folder of region files, a zip or tar of one, or a file .cairn, .slime, .schem, .schematic, .litematic, .vox, .nbt or .prefab.json.");
      this.node.append(el("div", { class: "note bad closable", role: "alert" }, el("div", null, p), this.closer()));
      return;
    }
    if (worlds.length > 1) this.node.prepend(this.all);
    for (const w of worlds) await this.card(w);
    if (rest.length) this.node.append(el("div", { class: "note closable" }, el("div", null, `${many(rest.length, "other file")} beside the worlds will not be sent.`), this.closer()));
    this.node.querySelector("input")?.focus();
  }

  /** Shows what can be done with all cards that wait. */
  private count(): void {
    const n = this.waiting.size;
    this.all.hidden = n < 2;
    fill(
      this.all,
      el("strong", { class: "grow" }, many(n, "world"), " to upload"),
      el("button", { type: "button", class: "strong", onclick: () => [...this.waiting.keys()].forEach((f) => f.requestSubmit()) }, "Upload all"),
      el("button", { type: "button", onclick: () => [...this.waiting.keys()].forEach((f) => f.closest(".card")?.querySelector<HTMLElement>(".close")?.click()) }, "Upload none"),
    );
  }

  /** Shows why nothing could be taken. */
  fail(e: unknown): void {
    this.node.append(el("div", { class: "note bad closable", role: "alert" }, el("div", null, words(e, "upload this")), this.closer()));
  }

  private closer(): HTMLElement {
    return el("button", { class: "quiet round small", type: "button", "aria-label": "Close", onclick: (e: Event) => (e.currentTarget as Element).closest(".note, .card")?.remove() }, "×");
  }

  private async card(w: Found): Promise<void> {
    const id = "upload-" + ++this.n;
    const own = this.v.who?.prefixes ?? [];
    const prefix = this.prefix() || (own.length ? own[0] + "/" : "");
    const wanted = this.fixed || prefix + nameOf(w.title);
    const name = el("input", { type: "text", id, value: wanted, spellcheck: false, autocomplete: "off", readOnly: !!this.fixed });
    const message = el("input", { type: "text", id: id + "-message", value: "upload of " + w.title, maxLength: 200 });
    const hint = el("p", { class: "hint", role: "status" });
    const go = el("button", { class: "strong", type: "submit" }, "Upload");
    const state = el("div", { class: "state", role: "status" });
    const stop = new AbortController();
    const end = (): void => stop.abort();
    this.v.signal.addEventListener("abort", end, { once: true });
    const what = w.whole ? "a file" : many(w.files.length, "file");
    const fields = el(
      "form",
      { class: "fields" },
      el("div", { class: "field" }, el("label", { for: id }, "Name"), name, hint),
      el("div", { class: "field" }, el("label", { for: id + "-message" }, "Message"), message),
      go,
    );
    const card = el("section", { class: "card upload", "aria-label": "Upload of " + w.title }, el("div", { class: "row head" }, el("h3", { class: "grow" }, w.title, " ", el("span", { class: "muted" }, `${what}, ${bytes(w.bytes)}`)), el("button", { class: "quiet round small close", type: "button", "aria-label": "Cancel or close this upload", onclick: () => (end(), card.remove(), this.waiting.delete(fields), this.count()) }, "×")), fields, state);
    this.node.append(card);
    const taken = (n: string): boolean => [...this.waiting].some(([f, i]) => f !== fields && i.value === n);

    let asked = 0;
    const look = async (): Promise<void> => {
      const mine = ++asked;
      const fault = nameFault(name.value) || (taken(name.value) && !this.fixed ? "Another upload has this name." : "");
      name.setAttribute("aria-invalid", String(!!fault));
      go.disabled = !!fault;
      hint.className = fault ? "hint bad" : "hint";
      hint.textContent = fault;
      if (fault) return;
      const there = await exists(name.value, this.v.signal).catch(() => null);
      if (mine !== asked) return;
      hint.textContent = there === null ? "" : there ? "This world exists. The upload becomes its newest version; older versions stay." : "A new world.";
    };
    let timer = 0;
    name.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void look(), 250);
    });
    if (!this.fixed) name.value = await freeName(wanted, async (n) => taken(n) || (await exists(n, this.v.signal))).catch(() => wanted);
    this.waiting.set(fields, name);
    this.count();
    await look();

    const send = async (salvage: boolean): Promise<void> => {
      fields.remove();
      this.waiting.delete(fields);
      this.count();
      const bar = el("progress", { max: 1 });
      const text = el("span", { class: "muted" }, "Waits for the upload before it.");
      fill(state, bar, text);
      try {
        const answer = await this.lane.run(async () => {
          const body = w.whole ?? (await zip(w.files, stop.signal, (n) => ((bar.value = w.bytes ? n / w.bytes / 4 : 0), (text.textContent = `Reads ${bytes(n)} of ${bytes(w.bytes)}.`))));
          const from = w.whole ? 0 : 0.25;
          return post(name.value, body, message.value, this.v.who?.note ?? "", salvage, stop.signal, (sent) => {
            if (sent < body.size) {
              bar.value = from + (1 - from) * (sent / body.size);
              text.textContent = `Sends ${bytes(sent)} of ${bytes(body.size)}.`;
            } else {
              bar.removeAttribute("value");
              text.textContent = "The server reads the world.";
            }
          });
        }, stop.signal);
        const size = (answer.commit.stones ?? []).reduce((n, s) => n + s.size, 0);
        fill(
          state,
          el("p", { class: "good" }, answer.same ? "Nothing differs from the newest version. " : `Saved as version ${answer.commit.number}, ${bytes(size)} for ${bytes(w.bytes)}. `, el("a", { href: "/world/" + name.value }, "Look at " + name.value)),
          (answer.remarks ?? []).map((r) => el("p", { class: "muted" }, r)),
          lostWords(answer.lost, "Could not be taken over"),
          (answer.damaged ?? []).length > 0 && el("details", null, el("summary", null, `Damaged and kept as it is stored: ${answer.damaged!.length}`), el("ul", null, answer.damaged!.map((d) => el("li", null, d)))),
        );
        this.done(name.value);
      } catch (e) {
        if (gaveUp(e)) return;
        fill(state, el("p", { class: "bad", role: "alert" }, words(e, "upload a world of this name")));
        add(state, [
          el(
            "div",
            { class: "row" },
            el("button", { type: "button", onclick: () => (fill(state), state.before(fields), this.waiting.set(fields, name), this.count()) }, "Change and try again"),
            e instanceof Refused && e.code === "corrupt" && !salvage && el("button", { type: "button", onclick: () => void send(true) }, "Upload what can be read"),
          ),
        ]);
      }
    };
    fields.addEventListener("submit", (e) => {
      e.preventDefault();
      if (!go.disabled) void send(false);
    });
  }
}

/** Sends a world. fetch tells nothing about the progress of a body, so this is an XMLHttpRequest. */
function post(name: string, body: Blob, message: string, author: string, salvage: boolean, signal: AbortSignal, progress: (sent: number) => void): Promise<Imported> {
  return new Promise((resolve, reject) => {
    const x = new XMLHttpRequest();
    const path = "/v1/import/" + name;
    x.open("POST", address(path, { message, author: author.length <= 60 ? author : "", salvage: salvage ? 1 : undefined }));
    x.setRequestHeader("Content-Type", "application/octet-stream");
    x.upload.onprogress = (e) => progress(e.loaded);
    x.upload.onload = () => progress(body.size);
    x.onload = () => {
      if (x.status < 200 || x.status > 299) return reject(refusedBy(x.status, x.responseText, path));
      try {
        resolve(JSON.parse(x.responseText) as Imported);
      } catch {
        reject(new Error("the answer of the server is not understood"));
      }
    };
    x.onerror = () => reject(new Error("the connection broke while the world was sent"));
    x.onabort = () => reject(new DOMException("given up", "AbortError"));
    signal.addEventListener("abort", () => x.abort());
    if (signal.aborted) return x.abort();
    x.send(body);
  });
}
