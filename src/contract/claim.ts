import * as z from "zod";

/** Seconds between two polls of one claim. */
export const POLL_INTERVAL_SECONDS = 2;

/** Letters of a device code: no vowels, so no words (RFC 8628 §6.1), and 34 bits in eight of them. */
export const DEVICE_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

/** POST /v1/claim/start. */
export const StartedClaim = z
  .object({
    session_id: z.uuid().meta({ description: "Redeems the key: only the client that polls may know it." }),
    device_code: z.string().meta({ description: "What the person compares: XXXX-XXXX." }),
    name: z.string(),
    mailbox: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z
      .string()
      .meta({ description: "The page to open; its address has the device code." }),
    expires_in: z.int(),
    interval: z.int(),
    keep_mail: z.boolean().meta({ description: "Whether the mail of the temporary mailbox is copied." }),
  })
  .meta({ id: "StartedClaim" });
export type StartedClaim = z.infer<typeof StartedClaim>;

/** How much of the temporary mailbox's mail was copied. */
export const KeptMail = z.object({
  from: z.string(),
  messages: z.int(),
  done: z.boolean(),
  error: z
    .string()
    .optional()
    .meta({ description: "Why the next message could not be copied. It is tried again until `done`." }),
});
export type KeptMail = z.infer<typeof KeptMail>;

/** GET /v1/claim/poll. */
export const PolledClaim = z
  .object({
    status: z.enum(["pending", "complete", "denied", "expired"]),
    mailbox: z.string().optional(),
    api_key: z.string().optional().meta({ description: "For 60 s after it was first read." }),
    kept_mail: KeptMail.optional(),
    error: z.string().optional().meta({ description: "`slow_down`, or why it was denied." }),
    fix: z.string().optional().meta({ description: "With `slow_down`: what to do next." }),
    retryable: z.boolean().optional().meta({ description: "With `slow_down`: true." }),
  })
  .meta({ id: "PolledClaim", examples: [{ status: "pending" }] });
export type PolledClaim = z.infer<typeof PolledClaim>;

/** POST /v1/claim/confirm. */
export const DecidedClaim = z.object({ mailbox: z.string(), status: z.enum(["complete", "denied"]) });
export type DecidedClaim = z.infer<typeof DecidedClaim>;

/** A typed device code in the form XXXX-XXXX; null for a text that is none. */
export function readDeviceCode(typed: string): string | null {
  const letters = typed
    .slice(0, 64)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "");
  const isCode =
    letters.length === 8 && letters.split("").every((letter) => DEVICE_CODE_LETTERS.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}
