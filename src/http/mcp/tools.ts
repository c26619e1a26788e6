import type { Scope } from "../../contract/scope.ts";
import type { Tool } from "./tool.ts";
import { getAttachment } from "./tools/files.ts";
import { extract, mailboxStatus, organize } from "./tools/mailbox.ts";
import { createMailbox, deploymentStatus, listMailboxes, pauseMailbox } from "./tools/operator.ts";
import { checkMail, readMail, readThread, searchMail } from "./tools/reading.ts";
import { reply, sendMail } from "./tools/sending.ts";
import { waitForCode, waitForMail } from "./tools/waiting.ts";

/** The tools of a mailbox, in the order in which they are listed. */
const OF_A_MAILBOX: readonly Tool[] = [
  checkMail,
  readMail,
  searchMail,
  waitForCode,
  waitForMail,
  sendMail,
  reply,
  readThread,
  getAttachment,
  organize,
  mailboxStatus,
  extract,
];

/** The tools of the deployment. */
const OF_THE_DEPLOYMENT: readonly Tool[] = [createMailbox, listMailboxes, pauseMailbox, deploymentStatus];

/** Every tool. */
export const ALL_TOOLS: readonly Tool[] = [...OF_A_MAILBOX, ...OF_THE_DEPLOYMENT];

const byName = new Map(ALL_TOOLS.map((one) => [one.name, one]));

/** The tool of a name; null if there is none, or only the operator may know of it. */
export function toolNamed(name: string, isOperator: boolean): Tool | null {
  const found = byName.get(name) ?? null;
  return found !== null && OF_THE_DEPLOYMENT.includes(found) && !isOperator ? null : found;
}

/** The tools that a key may call, always in the same order. An operator who named no mailbox has those of the deployment. */
export function toolsFor(scope: Scope, hasMailbox: boolean): readonly Tool[] {
  const all = [...(hasMailbox ? OF_A_MAILBOX : []), ...OF_THE_DEPLOYMENT];
  return all.filter(({ scopes }) => scopes.includes(scope));
}
