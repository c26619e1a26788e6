import type { AppContext } from "../http/dispatch.ts";
import { claimPage } from "./claim.tsx";
import { pathOfGuide } from "./docs/frame.tsx";
import { GUIDE_NAMES } from "./docs/groups.ts";
import { guidePage } from "./docs/guide.tsx";
import { mailFrame } from "./mail-frame.ts";
import { mailboxPage } from "./mailbox.tsx";
import { referencePage } from "./reference/page.tsx";
import { startPage } from "./start.tsx";

type Page = (c: AppContext) => Response | Promise<Response>;

/** Every page by its path. A page is requested with GET, changes nothing and needs no credential. */
export const pages: Readonly<Record<string, Page>> = {
  "/": startPage,
  "/mailbox": mailboxPage,
  "/mailbox/frame": mailFrame,
  "/claim": claimPage,
  "/docs": referencePage,
  ...Object.fromEntries(
    GUIDE_NAMES.map((name) => [pathOfGuide(name), (c: AppContext) => guidePage(c, name)]),
  ),
};
