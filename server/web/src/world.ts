import { el } from "./dom";
import type { Page } from "./view";

export const world: Page = (v) => v.main.append(el("h1", null, v.name));
