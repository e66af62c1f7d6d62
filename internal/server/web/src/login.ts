// The login page: a token becomes a cookie that scripts cannot read.

import { boundTo, call, json, Refused, words, type Who } from "./api";
import { el, fill } from "./dom";
import type { Page } from "./view";

const roles: Record<Who["role"], string> = {
  read: "You may look at worlds and download them.",
  write: "You may look at worlds, upload them and change them.",
  admin: "You may do everything.",
};

/** Returns the page; asked is called after a login and a logout. */
export const login =
  (asked: () => Promise<void>): Page =>
  async (v) => {
    let who: Who | null = null;
    try {
      who = await json<Who>("/v1/login", { signal: v.signal });
    } catch (e) {
      if (!(e instanceof Refused) || e.status !== 401) throw e;
    }
    const said = el("p", { class: "said", role: "alert" });
    const fail = (e: unknown, doing: string): void => {
      said.classList.add("bad");
      said.textContent = e instanceof Refused && e.status === 401 ? "The server does not know this token." : words(e, doing);
    };
    const box = el("div", { class: "card narrow" });
    fill(v.main, box);
    if (who) {
      const prefixes = who.prefixes ?? [];
      fill(
        box,
        el("h1", null, "You are logged in"),
        el("p", null, el("span", { class: "badge" }, who.role), " ", who.note),
        el("p", null, boundTo(who) ? "You may look at a part of one world in 3D." : (roles[who.role] ?? "")),
        el("p", { class: "muted" }, prefixes.length ? "The token is for " : "The token is for all worlds.", prefixes.map((p, i) => [i > 0 && ", ", el("code", null, p)])),
        el(
          "div",
          { class: "row" },
          boundTo(who) ? el("a", { class: "button strong", href: "/3d/" + boundTo(who) }, "Look at it") : el("a", { class: "button strong", href: "/" }, "To the worlds"),
          el("button", { type: "button", onclick: () => call("/v1/login", { method: "DELETE" }).then(asked).then(() => v.go("/login"), (e) => fail(e, "log out")) }, "Log out"),
        ),
        said,
      );
      return;
    }
    const token = el("input", { type: "password", id: "token", name: "token", autocomplete: "current-password", required: true, spellcheck: false });
    const button = el("button", { class: "strong", type: "submit" }, "Log in");
    const submit = async (e: Event): Promise<void> => {
      e.preventDefault();
      button.disabled = true;
      said.textContent = "";
      try {
        const now = await json<Who>("/v1/login", { method: "POST", json: { token: token.value.trim() } });
        await asked();
        const back = v.query.get("to") ?? (boundTo(now) ? "/3d/" + boundTo(now) : "/");
        v.go(/^\/(?![/\\])/.test(back) ? back : "/");
      } catch (err) {
        fail(err, "log in");
        token.select();
      }
      button.disabled = false;
    };
    fill(
      box,
      el("h1", null, "Log in"),
      el("p", { class: "muted" }, "Whoever runs this server gives out tokens: ", el("code", null, "cairn token new"), "."),
      el("form", { onsubmit: submit }, el("label", { for: "token" }, "Token"), token, button),
      said,
    );
    token.focus();
  };
