import type { AppContext } from "../http/dispatch.ts";
import { claimPage } from "./claim.tsx";
import { mailFrame } from "./mail-frame.ts";
import { mailboxPage } from "./mailbox.tsx";
import { referencePage } from "./reference/reference.tsx";
import { startPage } from "./start.tsx";

type Page = (c: AppContext) => Response | Promise<Response>;

/** Every page by its path. A page is requested with GET, changes nothing and needs no credential. */
export const pages: Readonly<Record<string, Page>> = {
  "/": startPage,
  "/mailbox": mailboxPage,
  "/mailbox/frame": mailFrame,
  "/claim": claimPage,
  "/docs": referencePage,
};
