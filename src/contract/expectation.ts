import * as z from "zod";
import { readUpTo } from "./bounded-list.ts";
import { Timestamp } from "./message.ts";

/** The kinds of content that an expected mail may bring. */
export const ExpectedKind = z.enum(["code", "link", "any"]);
export type ExpectedKind = z.infer<typeof ExpectedKind>;

/**
 * `waiting`: no mail has matched yet. `matched`: one has, and no other can. `expired` and `cancelled`: none can match any more.
 */
export const ExpectationStatus = z.enum(["waiting", "matched", "expired", "cancelled"]);
export type ExpectationStatus = z.infer<typeof ExpectationStatus>;

/** Why a mail with a code or link was not the expected one. */
export const REJECTIONS = [
  "unverified_sender",
  "other_domain",
  "too_early",
  "second_code",
  "link_host",
] as const;
export const Rejection = z.enum(REJECTIONS);
export type Rejection = z.infer<typeof Rejection>;

/** The finer reasons of `unverified_sender`. */
export const REJECTION_DETAILS = ["other_recipient", "unsigned_recipient", "automatic_answer"] as const;
export const RejectionDetail = z.enum(REJECTION_DETAILS);
export type RejectionDetail = z.infer<typeof RejectionDetail>;

/** A mail with a code or link that was not released. */
export const RejectedMail = z
  .object({
    email_id: z.string(),
    reason: Rejection.meta({
      description:
        "`unverified_sender`: nothing proves the domain of From. `other_domain`: From is another domain. `too_early`: it came before the expectation. `second_code`: a code was released already. `link_host`: its link leads elsewhere.",
    }),
    at: Timestamp.meta({ description: "When the mail was received." }),
    detail: RejectionDetail.optional().meta({
      description:
        "With `unverified_sender`, where the sender's domain is proven. `other_recipient`: To and Cc do not name the address of the expectation, so someone may have forwarded a mail that was sent to them. `unsigned_recipient`: they do, but the sender did not sign that field, so anyone can have written it. `automatic_answer`: it answers a mail (`Auto-Submitted: auto-replied`), and may quote what a stranger wrote.",
    }),
    link_host: z
      .string()
      .optional()
      .meta({
        description: "With `link_host`: the host that the link leads to or redirects to.",
        examples: ["click.mailer.example"],
      }),
    redirector: z.boolean().optional().meta({
      description:
        "With `link_host`: the link redirects to another address, or counts clicks. It was not followed.",
    }),
  })
  .meta({ id: "RejectedMail" });
export type RejectedMail = z.infer<typeof RejectedMail>;

/** An expectation and its result. */
export const Expectation = z
  .object({
    id: z.string(),
    address: z.string().meta({
      description: "The address to sign up with: that of the mailbox, or with `exclusive` a `+tag` of it.",
    }),
    from_domain: z.string().meta({ examples: ["brand.example"] }),
    siblings: z.array(z.string()).meta({ examples: [["brandmail.example"]] }),
    kind: ExpectedKind,
    strict: z.boolean(),
    exclusive: z.boolean(),
    expires_at: Timestamp,
    status: ExpectationStatus.meta({ examples: ["matched"] }),
    code: z.string().nullable().meta({
      description: "In the first answer that says `matched`, and for 60 seconds in repeats of it; then null.",
    }),
    link: z.string().nullable().meta({
      description: "As `code`. Its host is `from_domain`, a sibling, or a subdomain of one of them.",
    }),
    email_id: z.string().nullable().meta({ description: "The mail that matched." }),
    sender_verified: z.boolean().meta({
      description: "Whether the domain of the mail that matched is proven; false while no mail has matched.",
    }),
    rejected: z.array(RejectedMail).meta({
      description: "Other mail with a code or link, oldest first; at most 20 of each reason.",
    }),
    hint: z
      .string()
      .optional()
      .meta({
        description: "Why this expectation protects less than it could.",
        examples: [
          "strict is false: the domain of From is compared and not proven, so anybody can write such a mail.",
        ],
      }),
  })
  .meta({ id: "Expectation" });
export type Expectation = z.infer<typeof Expectation>;

/** The most characters of a domain as it is written. */
const MAX_DOMAIN_CHARS = 1_024;
const domain = z.string().max(MAX_DOMAIN_CHARS, `must be at most ${MAX_DOMAIN_CHARS} characters`);

/** The most siblings of a domain: services have a handful. */
export const MAX_SIBLINGS = 10;
const MIN_SECONDS = 30;
const MAX_SECONDS = 3_600;
const DEFAULT_SECONDS = 600;

/** The body of POST /v1/expect. */
export const ExpectationBody = z.strictObject({
  from_domain: domain.meta({
    description: "The domain that the mail will come from; its subdomains count too.",
    examples: ["brand.example"],
  }),
  kind: ExpectedKind.default("code").meta({ description: "What the mail must bring." }),
  within_seconds: z
    .int("must be a whole number")
    .min(MIN_SECONDS, `must be at least ${MIN_SECONDS}`)
    .max(MAX_SECONDS, `must be at most ${MAX_SECONDS}`)
    .default(DEFAULT_SECONDS)
    .meta({ description: "For how many seconds mail is expected." }),
  siblings: readUpTo(
    MAX_SIBLINGS,
    z.array(domain).max(MAX_SIBLINGS, `must name at most ${MAX_SIBLINGS} domains`),
  )
    .optional()
    .meta({
      description: "Other domains of the same service: for its mail and for its links.",
      examples: [["brandmail.example"]],
    }),
  strict: z.boolean().default(true).meta({
    description:
      "Whether only mail with a proven domain counts. False is for a deployment that checks no senders: the domain in From is then only compared.",
  }),
  exclusive: z.boolean().default(false).meta({
    description:
      "Whether this expectation gets a `+tag` address of its own: mail to it matches no other expectation, and no other mail matches this one.",
  }),
});
export type ExpectationBody = z.output<typeof ExpectationBody>;
