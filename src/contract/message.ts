import * as z from "zod";

/** ISO 8601 UTC with milliseconds, so that times also sort as strings. */
export const Timestamp = z.string().meta({ format: "date-time", examples: ["2026-11-21T08:30:00.000Z"] });

export const Direction = z.enum(["inbound", "outbound"]);
export type Direction = z.infer<typeof Direction>;

/** Where a message stands; `received` for inbound, the rest for outbound. */
export const MessageStatus = z.enum([
  "received",
  "queued",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "failed",
  "unknown",
]);
export type MessageStatus = z.infer<typeof MessageStatus>;

const keptHere = z.literal(true).optional().meta({
  description: "Only in a deployment without a relay: mail to other domains was kept here and not sent.",
});

/** One row of a listing. Nothing is null but `code`. */
export const EmailSummary = z
  .object({
    id: z.string(),
    mailbox: z.string(),
    from_address: z.string(),
    from_name: z.string(),
    to_address: z.string(),
    subject: z.string(),
    snippet: z.string(),
    code: z.string().nullable(),
    direction: Direction,
    status: MessageStatus,
    kept_here: keptHere,
    received_at: Timestamp,
    has_attachments: z.boolean(),
    attachment_count: z.int(),
    text_truncated: z.boolean().meta({
      description:
        "Whether `body_text` or `body_html` end before the message does, at 1,000,000 bytes each; the raw message has all.",
    }),
    labels: z.array(z.string()),
    thread_id: z.string(),
  })
  .meta({ id: "EmailSummary" });
export type EmailSummary = z.infer<typeof EmailSummary>;

export const Attachment = z
  .object({
    id: z.string(),
    email_id: z.string(),
    filename: z.string(),
    content_type: z.string(),
    size_bytes: z.int(),
    content_disposition: z.string().nullable(),
    content_id: z.string().nullable(),
    mime_part_index: z.int(),
    text_content: z.string().meta({ description: "What a text file says, where the status is `done`." }),
    text_extraction_status: z.enum(["pending", "done", "unsupported", "failed", "too_large"]).meta({
      description:
        "`too_large`: a text of more than 100,000 bytes, or more texts in one message than are kept; download it.",
    }),
    downloadable: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: "Attachment" });
export type Attachment = z.infer<typeof Attachment>;

/** The verdicts of the trusted border (RFC 8601); null where none is configured or none spoke. */
export const Authentication = z.object({ spf: z.string(), dkim: z.string(), dmarc: z.string() });
export type Authentication = z.infer<typeof Authentication>;

export const Delivery = z.object({
  recipient: z.string(),
  status: MessageStatus,
  at: Timestamp,
  diagnostic: z.string().nullable(),
  kept_here: keptHere,
  next_attempt_at: Timestamp.nullable().meta({
    description:
      "When a recipient that is queued is tried (again); null for every other, and while a try is under way.",
  }),
});
export type Delivery = z.infer<typeof Delivery>;

/** Who handed a message over and how well it could be read. */
export const Metadata = z
  .object({
    envelope_from: z.string(),
    envelope_to: z.string(),
    envelope_recipients: z
      .array(z.string())
      .optional()
      .meta({ description: "All envelope recipients that are this mailbox, where there was more than one." }),
    received_via: z.enum(["smtp", "http", "email_routing", "api"]),
    client_address: z.string().optional(),
    helo: z.string().optional(),
    date: Timestamp.nullable(),
    parse_status: z.enum(["parsed", "partial", "failed"]),
    parse_faults: z.array(z.string()),
  })
  .meta({ id: "Metadata" });
export type Metadata = z.infer<typeof Metadata>;

export const Email = EmailSummary.extend({
  cc_address: z.string(),
  body_text: z.string(),
  text_new: z.string().meta({
    description:
      "What the sender wrote anew: `body_text` without quotations and signature; of a forward the whole.",
  }),
  body_html: z.string(),
  headers: z.record(z.string(), z.string()),
  message_id: z.string().nullable(),
  in_reply_to: z.string().nullable(),
  references: z.string().nullable(),
  attachments: z.array(Attachment),
  authentication: Authentication.nullable(),
  delivery: z.array(Delivery),
  link: z.string().nullable().meta({ description: "Where the email asks its reader to confirm or sign in." }),
  size_bytes: z.int(),
  created_at: Timestamp,
  metadata: Metadata,
  attachment_names: z.string(),
  attachment_search_text: z
    .string()
    .meta({ description: "What search finds of the attachments: their texts." }),
}).meta({ id: "Email" });
export type Email = z.infer<typeof Email>;

export const EmailPage = z
  .object({
    emails: z.array(EmailSummary),
    search_mode: z.string().optional(),
    hint: z.string().optional(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "EmailPage" });
export type EmailPage = z.infer<typeof EmailPage>;

export const SearchPage = EmailPage.extend({
  emails: z.array(EmailSummary.extend({ score: z.number(), highlights: z.array(z.string()) })),
}).meta({ id: "SearchPage" });
export type SearchPage = z.infer<typeof SearchPage>;

export const ThreadSummary = z
  .object({
    thread_id: z.string(),
    latest_email_id: z.string(),
    subject: z.string(),
    from_address: z.string(),
    from_name: z.string(),
    received_at: Timestamp,
    code: z.string().nullable(),
    has_attachments: z.boolean(),
    message_count: z.int(),
    participants: z.array(z.string()),
  })
  .meta({ id: "ThreadSummary" });
export type ThreadSummary = z.infer<typeof ThreadSummary>;

export const ThreadPage = z.object({
  threads: z.array(ThreadSummary),
  next_cursor: z.string().nullable(),
});
export type ThreadPage = z.infer<typeof ThreadPage>;

/** The emails of a thread, oldest first; `next_cursor` leads to older ones of a long thread. */
export const Thread = z.object({
  thread_id: z.string(),
  emails: z.array(Email),
  next_cursor: z.string().nullable(),
});
export type Thread = z.infer<typeof Thread>;

/** A code as handed out, or the miss `{ code: null }`. */
export const CodeAnswer = z.object({
  id: z.string().optional(),
  code: z.string().nullable(),
  link: z.string().nullable().optional(),
  confidence: z.number().min(0).max(1).nullable().optional().meta({
    description:
      "How sure the code is, or the link where there is no code; null for mail read before this was kept, until it is reindexed.",
  }),
  evidence: z
    .array(z.string())
    .optional()
    .meta({
      description:
        "What speaks for the code, weightiest first, then what for the link: `sign` or `sign: detail`, such as `named: verification code`. Signs: named, near, instruction, purpose, subject, repeated, own_line, boxes, emphasised, web_otp, length, sender, link_label, link_path, link_token, link_only, link_announced, link_subject, link_sender.",
      examples: [["named: verification code", "length", "own_line"]],
    }),
  from: z.string().optional(),
  subject: z.string().optional(),
  received_at: Timestamp.optional(),
});
export type CodeAnswer = z.infer<typeof CodeAnswer>;
