import { el } from "./dom";
import type { Page } from "./view";

export const worlds: Page = (v) => v.main.append(el("h1", null, "Worlds"));
