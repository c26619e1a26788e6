import * as z from "zod";

/** ISO 8601 UTC with milliseconds, so that times also sort as strings. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ["2026-11-21T08:30:00.000Z"] });

export const Direction = z.enum(["inbound", "outbound"]);
export type Direction = z.infer<typeof Direction>;

/** The status of a message: `received` for inbound, the others for outbound. */
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

/** One email of a listing. Only `code` can be null. */
export const EmailSummary = z
  .object({
    id: z.string(),
    mailbox: z.string(),
    from_address: z.string(),
    from_name: z.string(),
    sender_verified: z.boolean().meta({
      description: "Whether the domain of `from_address` is proven: `authentication.verdict` is `pass`.",
    }),
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
    text_content: z.string().meta({ description: "The text of a text file, if the status is `done`." }),
    text_extraction_status: z.enum(["pending", "done", "unsupported", "failed", "too_large"]).meta({
      description:
        "`too_large`: a text of more than 100,000 bytes, or more texts in one message than are kept; download it.",
    }),
    downloadable: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: "Attachment" });
export type Attachment = z.infer<typeof Attachment>;

/** Fields that name the recipients of a message. */
export const RecipientField = z.enum(["to", "cc"]);
export type RecipientField = z.infer<typeof RecipientField>;

/** One DKIM signature of a message. */
export const Signature = z.object({
  domain: z.string(),
  selector: z.string(),
  algorithm: z.string(),
  bits: z.int().nullable().meta({ description: "Bits of the public key; null where no key was read." }),
  result: z.string(),
  aligned: z.boolean().meta({ description: "Whether `domain` stands for the domain of From." }),
  covers: z.array(RecipientField).optional().meta({
    description: "Which of To and Cc a passing signature signs. Anyone can rewrite the other one.",
  }),
});
export type Signature = z.infer<typeof Signature>;

/** The chain of hosts that forwarded a message (ARC, RFC 8617). It is shown, and proves nothing. */
export const Arc = z.object({ result: z.string(), domain: z.string().nullable() });
export type Arc = z.infer<typeof Arc>;

/** The findings about the sender of a message, and the verdict. `spf`, `dkim` and `dmarc` are words of RFC 8601. */
export const Authentication = z
  .object({
    spf: z.string(),
    dkim: z.string(),
    dmarc: z.string(),
    verdict: z.enum(["pass", "fail", "none", "temperror"]).meta({
      description:
        "Whether the domain of From is proven, by an aligned DKIM signature or by DMARC. `none`: nothing proves it. `temperror`: DNS did not answer.",
    }),
    aligned_domain: z.string().nullable().meta({ description: "The proven domain; null unless `pass`." }),
    proven_fields: z.array(RecipientField).optional().meta({
      description:
        "Which of To and Cc the proven domain wrote: both where SPF proves it, else those that an aligned signature signs.",
    }),
    checked_by: z.enum(["self", "cloudflare", "border"]).meta({
      description:
        "`self`: this deployment. `cloudflare`: Email Routing, and DKIM by this deployment. `border`: the gateway that `AUTHSERV_ID` names.",
    }),
    signatures: z.array(Signature),
    arc: Arc.nullable(),
    conflict: z.boolean().meta({
      description: "Two checks of this message disagreed. The worse one counts.",
    }),
  })
  .meta({ id: "Authentication" });
export type Authentication = z.infer<typeof Authentication>;

export const Delivery = z.object({
  recipient: z.string(),
  status: MessageStatus,
  at: Timestamp,
  diagnostic: z.string().nullable(),
  kept_here: keptHere,
  halted: z
    .literal(true)
    .optional()
    .meta({ description: "The operator has halted all sending, and the message waits for this recipient." }),
  next_attempt_at: Timestamp.nullable().meta({
    description:
      "When a recipient that is queued is tried (again); null for every other, while a try is under way, and while sending is halted.",
  }),
});
export type Delivery = z.infer<typeof Delivery>;

/** The envelope of a message, and how well it could be parsed. */
export const Metadata = z
  .object({
    envelope_from: z.string(),
    envelope_to: z.string(),
    envelope_recipients: z
      .array(z.string())
      .optional()
      .meta({ description: "All envelope recipients that reach this mailbox, if there was more than one." }),
    received_via: z.enum(["smtp", "http", "email_routing", "api", "import"]).meta({
      description: "`import`: from an archive. Nothing checked who sent it, or when.",
      examples: ["smtp"],
    }),
    imported_as_sent: z.literal(true).optional().meta({
      description: "An archive says that the owner of the mailbox sent it. This deployment did not.",
    }),
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
    description: "`body_text` without quoted text and signature; of a forwarded message all of it.",
  }),
  body_html: z.string(),
  headers: z.record(z.string(), z.string()),
  message_id: z.string().nullable(),
  in_reply_to: z.string().nullable(),
  references: z.string().nullable(),
  attachments: z.array(Attachment),
  authentication: Authentication.nullable(),
  delivery: z.array(Delivery),
  link: z
    .string()
    .nullable()
    .meta({ description: "The link by which the email asks its reader to confirm or sign in." }),
  size_bytes: z.int(),
  created_at: Timestamp,
  metadata: Metadata,
  attachment_names: z.string(),
  attachment_search_text: z
    .string()
    .meta({ description: "The texts of the attachments, which search finds." }),
}).meta({ id: "Email" });
export type Email = z.infer<typeof Email>;

export const EmailPage = z
  .object({
    emails: z.array(EmailSummary),
    search_mode: z.enum(["keyword", "semantic", "hybrid"]).optional(),
    hint: z.string().optional(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "EmailPage" });
export type EmailPage = z.infer<typeof EmailPage>;

export const SearchPage = EmailPage.extend({
  emails: z.array(EmailSummary.extend({ score: z.number(), highlights: z.array(z.string()) })),
}).meta({ id: "SearchPage" });
export type SearchPage = z.infer<typeof SearchPage>;

/** GET /v1/inbox. With `query` it is a search, and its emails have `score` and `highlights`. */
export const InboxPage = EmailPage.extend({
  emails: z.array(
    EmailSummary.extend({ score: z.number().optional(), highlights: z.array(z.string()).optional() }),
  ),
  last_seq: z.int().optional().meta({
    description:
      "`seq` of the newest event when the page was read: `GET /v1/changes?after=` goes on from here without a gap. Left out with `query`.",
  }),
}).meta({ id: "InboxPage" });
export type InboxPage = z.infer<typeof InboxPage>;

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

/** A code, or `{ code: null }` if none arrived in time. */
export const CodeAnswer = z
  .object({
    id: z.string().optional(),
    code: z.string().nullable(),
    link: z.string().nullable().optional(),
    confidence: z.number().min(0).max(1).nullable().optional().meta({
      description:
        "How sure the code is, or the link where there is no code; null for mail read before this was kept, until it is reindexed.",
    }),
    link_confidence: z.number().min(0).max(1).nullable().optional().meta({
      description: "How sure the link is; null where `link` is null, and for mail read before this was kept.",
    }),
    alternatives: z
      .array(z.object({ code: z.string(), confidence: z.number().min(0).max(1) }))
      .optional()
      .meta({
        description:
          "Other codes in the email that its reader may be asked to enter, such as one for a second purpose; most probable first.",
      }),
    evidence: z
      .array(z.string())
      .optional()
      .meta({
        description:
          "Reasons for the code, strongest first, then for the link: `sign` or `sign: detail`, such as `named: verification code`. Signs: named, near, instruction, purpose, subject, own_line, boxes, emphasised, web_otp, length, sender, newest, only, sentence_end, mail, link_label, link_path, link_token, link_place, link_announced, link_subject, link_mail.",
        examples: [["named: verification code", "length", "own_line"]],
      }),
    from: z.string().optional(),
    subject: z.string().optional(),
    received_at: Timestamp.optional(),
  })
  .meta({
    examples: [
      {
        id: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
        code: "482913",
        link: null,
        confidence: 0.98,
        evidence: ["named: verification code", "length", "own_line"],
        from: "no-reply@example.com",
        subject: "Your code",
        received_at: "2026-11-21T08:30:00.000Z",
      },
    ],
  });
export type CodeAnswer = z.infer<typeof CodeAnswer>;
