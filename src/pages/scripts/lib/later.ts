import type * as html from "../later/html.ts";
import type * as screens from "../later/screens.ts";
import type * as write from "../later/write.ts";
import { find } from "./dom.ts";

interface Parts {
  html: typeof html;
  screens: typeof screens;
  write: typeof write;
}

/**
 * Loads a part of the viewer that few readers open, once. The page names its file, whose name contains a hash of its contents, as
 * it does for every other script.
 */
export async function later<Name extends keyof Parts>(name: Name): Promise<Parts[Name]> {
  const url = find(`[data-${name}]`, HTMLElement).getAttribute(`data-${name}`) ?? "";
  return (await import(url)) as Parts[Name];
}
