import { el } from "../dom";
import type { Page } from "../view";

export const three: Page = (v) => v.main.append(el("h1", null, v.name));
