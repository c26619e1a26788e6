import type { RecipientStatus } from "./delivery-report.ts";

/** RFC 3463 §3.2 and §3.5: bad mailbox, system, syntax, moved; null MX (RFC 7505); no such host. `5.1.10` and `5.1.12` are Exchange's. */
const DEAD_ADDRESS: ReadonlySet<string> = new Set(
  "5.1.1 5.1.2 5.1.3 5.1.4 5.1.6 5.1.10 5.1.12 5.4.4".split(" "),
);
/** Codes that say no more than "permanent", or that servers use for much else: there the words decide. */
const VAGUE: ReadonlySet<string> = new Set("5.0.0 5.1.0 5.2.0 5.2.1 5.3.0 5.5.0".split(" "));

const UNKNOWN_RECIPIENT =
  /(?:user|recipient|mailbox|account|address(?:ee)?|userid)[^.;]{0,60}?(?:unknown|not (?:found|exist|recognized|known)|invalid|does(?:n't| not) exist|doesn't have)|(?:unknown|no such|invalid|bad|unrouteable|illegal) (?:local )?(?:user|recipient|mailbox|account|address|alias|domain|host|destination)|no mailbox here|(?:host|domain)[^;]{0,80}(?:unknown|not found|nonexistent)|null mx/i;
/** Words that outweigh a code for a dead address: servers send 5.1.1 for these as well. */
const PASSING =
  /quota|mailbox (?:is )?full|over ?limit|temporar|try again|blocked|spam|reputation|rate limit/i;

/**
 * Whether the report says that the address will never take mail: it, or its domain, does not exist or has moved. Not a full
 * mailbox, a refusal of content or sender, or a server that gave up waiting: those may end. For refusals within SMTP too.
 */
export function isHardBounce({
  action,
  status,
  diagnosticCode,
}: Pick<RecipientStatus, "action" | "status" | "diagnosticCode">): boolean {
  if (action !== "failed" || status?.startsWith("5") === false) return false;
  const text = diagnosticCode ?? "";
  if (PASSING.test(text)) return false;
  if (status !== null && DEAD_ADDRESS.has(status)) return true;
  return (status === null || VAGUE.has(status)) && UNKNOWN_RECIPIENT.test(text);
}
