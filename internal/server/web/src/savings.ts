// What dropped worlds weigh as a zip, as Slime and in cairn. Nothing is stored.

import { call, gaveUp, Refused, words } from "./api";
import { add, el, icon, type Child } from "./dom";
import { chosen, findWorlds, type Found } from "./drop";
import { Notes } from "./parts";
import { bytes, count, many } from "./text";
import type { View } from "./view";
import { dropZone } from "./worlds";
import { zip, type Packed } from "./zip";

/** What POST /v1/savings answers: the same as cairn savings --json. */
interface Report {
  worlds: { chunks: number; cells: number; bytes: Record<Form, number> }[] | null;
  skipped: { why: string }[] | null;
}

type Form = "zip" | "slime" | "slim" | "full";

const forms: [Form, string][] = [
  ["zip", "the folder as a zip"],
  ["slime", "as Slime"],
  ["slim", "cairn, what Slime holds"],
  ["full", "cairn, everything"],
];

/** Adds the part of a page that weighs dropped folders. */
export function savings(v: View): void {
  const allowed = v.who?.role === "write" || v.who?.role === "admin";
  if (!allowed) return;
  const notes = new Notes();
  const rows = el("tbody");
  const table = el("table", { hidden: true }, el("thead", null, el("tr", null, el("th", { scope: "col" }, "World"), el("th", { scope: "col", class: "num" }, "Columns"), forms.map(([, name]) => el("th", { scope: "col", class: "num" }, name)))), rows);
  const input = el("input", { type: "file", class: "hidden", multiple: true, tabIndex: -1, "aria-hidden": "true", onchange: () => (void take(chosen(input.files!)), (input.value = "")) });
  input.webkitdirectory = true;
  const said = el("p", { class: "muted", role: "status" });
  const bar = el("progress", { max: 1, hidden: true, "aria-label": "Weighing" });
  v.main.append(
    el(
      "section",
      { class: "card savings", "aria-label": "Savings" },
      el("h2", null, "What would your worlds weigh?"),
      el("p", { class: "muted" }, "Drop folders of worlds on this page, or a folder of many. The server weighs them in several forms and keeps nothing."),
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => input.click() }, icon("up"), "Folder"), input),
      said,
      bar,
      notes.node,
      el("div", { class: "scroll", role: "region", "aria-label": "Weights", tabIndex: 0 }, table),
    ),
  );

  const weigh = async (w: Found): Promise<void> => {
    const body = w.whole ?? (await zip(w.files, v.signal, (n) => (bar.value = w.bytes ? n / w.bytes : 0)));
    bar.removeAttribute("value");
    said.textContent = `${w.title}: the server weighs it.`;
    const r = (await (await call("/v1/savings", { method: "POST", body, signal: v.signal })).json()) as Report;
    for (const s of r.skipped ?? []) notes.say("", `${w.title}: ${s.why}`);
    for (const world of r.worlds ?? []) {
      table.hidden = false;
      const most = Math.max(...forms.map(([f]) => world.bytes[f] ?? 0));
      const cell = ([f]: [Form, string]): Child => {
        const n = world.bytes[f] ?? 0;
        const i = el("i", { class: "c1" });
        i.style.width = `${most ? (100 * n) / most : 0}%`;
        return el("td", { class: "num weight" }, n ? bytes(n) : "–", i);
      };
      add(rows, [el("tr", null, el("th", { scope: "row" }, w.title), el("td", { class: "num" }, count(world.chunks)), forms.map(cell))]);
    }
  };

  const take = async (files: Packed[]): Promise<void> => {
    const { worlds } = findWorlds(files);
    if (worlds.length === 0) return void notes.say("bad", "There is no world among these files. A world is a folder with a level.dat.");
    bar.hidden = false;
    for (const [i, w] of worlds.entries()) {
      said.textContent = `${i + 1} of ${many(worlds.length, "world")}: ${w.title}, ${bytes(w.bytes)}.`;
      try {
        await weigh(w);
      } catch (e) {
        if (gaveUp(e)) return;
        const none = e instanceof Refused && e.code === "no_route";
        notes.say("bad", none ? "This server does not weigh worlds. The command does: cairn savings DIR." : `${w.title}: ${words(e, "weigh worlds here")}`);
        if (none) break;
      }
    }
    bar.hidden = true;
    said.textContent = "";
  };
  dropZone(v, take, (e) => notes.fail(e, "weigh this"), allowed, "Drop worlds here to weigh them");
}
