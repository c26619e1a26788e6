import type { HeaderField } from "../../mime/header-block.ts";
import { readResultsField, type FieldResults } from "./results-field.ts";

/** The name under which Cloudflare's Email Routing writes results. */
const CLOUDFLARE = "mx.cloudflare.net";

/** The fields that Email Routing puts above a message. Nothing else stands between them. */
const TRACE: ReadonlySet<string> = new Set([
  "received",
  "received-spf",
  "authentication-results",
  "arc-seal",
  "arc-message-signature",
  "arc-authentication-results",
]);

/**
 * The results that Cloudflare's Email Routing wrote: of the topmost Authentication-Results field, if that one bears
 * Cloudflare's name and stands above every field that the sender can have written. Null where there is none: whatever
 * stands further down may be the sender's, whichever name it bears.
 *
 * Email Routing adds one Received field and the results of its checks at the top. So the block of trace fields at the top
 * is Cloudflare's until a second Received field, another ARC set or any other field begins what came with the message.
 *
 * @param fields of the whole header, topmost first
 */
export function cloudflareResults(fields: readonly HeaderField[]): FieldResults | null {
  const seen = new Set<string>();
  for (const { name, value } of fields) {
    // Email Routing adds each of them once.
    if (!TRACE.has(name) || seen.has(name)) return null;
    seen.add(name);
    if (name === "authentication-results") return readResultsField([value], CLOUDFLARE);
  }
  return null;
}
