import * as z from "zod";
import { readUpTo } from "./bounded-list.ts";
import { Timestamp } from "./message.ts";

/** Entries of the rules of a mailbox at most, allowed and blocked together. A person who keeps such a list has a few hundred. */
export const MAX_RULE_ENTRIES = 5_000;
/** Characters of one entry: an address of 254 octets can be longer as written, with an IDN that becomes shorter as A-labels. */
const MAX_MATCH_CHARS = 320;
/** How long refused mail is kept, in ms. */
export const REFUSED_KEPT_MS = 7 * 86_400_000;
/** The most refused mails that a mailbox keeps; beyond it the oldest are removed. */
export const MAX_REFUSED_MAILS = 1_000;
/** Changes of the rules that are remembered. */
export const MAX_RULE_CHANGES = 20;
/** The most bytes of the JSON of the rules: 5,000 entries of the longest addresses. */
export const MAX_RULES_JSON_BYTES = 2_000_000;
/** Bounds of that JSON, where an entry has a match and a mark: twice the limit, whose own error says more. */
export const RULES_JSON_SHAPE = { entries: 2 * MAX_RULE_ENTRIES, values: 6 * MAX_RULE_ENTRIES };

/** Who may write to a mailbox if no entry of its lists decides. */
export const ReceiveMode = z.enum(["everyone", "listed", "verified"]);
export type ReceiveMode = z.infer<typeof ReceiveMode>;

/** Why a mail was refused. */
export const RefusalReason = z.enum(["blocked", "not_listed", "not_verified"]);
export type RefusalReason = z.infer<typeof RefusalReason>;

const match = z
  .string()
  .min(1, "must be an address, a domain, or *. and a domain")
  .max(MAX_MATCH_CHARS, `must be at most ${MAX_MATCH_CHARS} characters`)
  .meta({
    examples: ["orders@shop.example"],
    description:
      "An address; a domain, without its subdomains; or `*.` and a domain: its subdomains, without itself.",
  });
const unverified = z.boolean().optional().meta({
  description: "Whether the entry counts even if the sender is not proven.",
});

const AllowEntry = z.strictObject({ match, unverified });
const BlockEntry = z.strictObject({ match });
const MODE = {
  description:
    "`everyone` may write unless blocked; `listed`: only senders that an entry of `allow` names; `verified`: only mail whose sender is proven.",
  examples: ["everyone"],
};

const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  readUpTo(
    MAX_RULE_ENTRIES,
    z.array(entry).max(MAX_RULE_ENTRIES, `must hold at most ${MAX_RULE_ENTRIES} entries`),
  );

/** The rules as a client states them. */
export const StatedRules = z.strictObject({
  receive: z.strictObject({
    mode: ReceiveMode.meta(MODE),
    allow: listOf(AllowEntry).optional(),
    block: listOf(BlockEntry).optional(),
  }),
});
export type StatedRules = z.output<typeof StatedRules>;

const RuleChange = z.object({
  at: Timestamp,
  mode: ReceiveMode,
  added: z.int().meta({ description: "Entries that were added or changed.", examples: [2] }),
  removed: z.int().meta({ description: "Entries that were removed.", examples: [0] }),
});
export type RuleChange = z.infer<typeof RuleChange>;

/** GET and PUT /v1/mailbox/rules. Entries are in canonical form, in alphabetical order. */
export const MailboxRules = z
  .object({
    receive: z.object({
      mode: ReceiveMode.meta(MODE),
      allow: z.array(z.object({ match, unverified })),
      block: z.array(z.object({ match })),
    }),
    changes: z.array(RuleChange).meta({ description: `The last ${MAX_RULE_CHANGES} changes, newest first.` }),
  })
  .meta({ id: "MailboxRules" });
export type MailboxRules = z.infer<typeof MailboxRules>;

/** A mail that the rules refused. */
export const RefusedMail = z
  .object({
    id: z.string(),
    from_address: z.string(),
    from_name: z.string(),
    subject: z.string(),
    received_at: Timestamp,
    reason: RefusalReason.meta({ examples: ["not_listed"] }),
    sender_verified: z
      .boolean()
      .meta({ description: "Whether the domain of `from_address` is proven.", examples: [true] }),
    size_bytes: z.int(),
    expires_at: Timestamp,
  })
  .meta({ id: "RefusedMail" });
export type RefusedMail = z.infer<typeof RefusedMail>;

/** GET /v1/refused, newest first. */
export const RefusedPage = z.object({
  refused: z.array(RefusedMail),
  next_cursor: z.string().nullable(),
  kept: z
    .object({
      emails: z.int().meta({ examples: [1] }),
      max_emails: z.int().meta({ examples: [MAX_REFUSED_MAILS] }),
      size_bytes: z.int(),
      max_bytes: z.int().meta({ examples: [500_000_000] }),
      dropped: z.int().meta({
        description: "Refused mails that were removed before their 7 days, to make room for newer ones.",
        examples: [0],
      }),
    })
    .meta({ description: "How much refused mail is kept. Beyond either limit the oldest is removed." }),
});
export type RefusedPage = z.infer<typeof RefusedPage>;
