import * as z from "zod";
import { base64Bytes } from "../lib/base64.ts";
import { readUpTo } from "./bounded-list.ts";
import type { FieldFix } from "./field-rule.ts";
import { MAX_ATTACHMENT_BYTES } from "./limits.ts";
import { MessageStatus, Timestamp } from "./message.ts";
import { integer, mailbox } from "./parameters.ts";
import { TOO_LARGE_ATTACHMENT, type Problem } from "./problem.ts";

/** Powers of ten. Bodies count in bytes of UTF-8, attachments in decoded bytes. */
const KB = 1_000;
const MB = 1_000_000;

/** The most entries of to, cc and bcc together. */
export const MAX_RECIPIENTS = 50;
/** The most addresses in one list, repeats included: each must be parsed before it can be counted. */
const MAX_NAMED = 1_000;
/** The most addresses in Reply-To, as many as a message may have recipients. */
export const MAX_REPLY_TO = MAX_RECIPIENTS;
/** The most UTF-16 units of one address: the longest valid one, all of it encoded, takes half of them. */
export const MAX_ADDRESS_CHARS = 4_096;
/** The most UTF-16 units of a file name, a media type or a Message-ID. */
export const MAX_NAME_CHARS = 4_096;
/** The most header fields of a caller's own. */
export const MAX_CUSTOM_HEADERS = 50;
/** The most UTF-16 units of a subject: the length of a line in RFC 5322 §2.1.1. */
export const MAX_SUBJECT_CHARS = 998;
/** The most bytes of the plain-text body. */
export const MAX_TEXT_BYTES = 500 * KB;
/** The most bytes of the HTML body. */
export const MAX_HTML_BYTES = MB;
/** The most bytes of text, HTML and attachments together. */
export const MAX_TOTAL_BYTES = 100 * MB;
/** The most bytes of a JSON body with attachments in it. Larger files are uploaded with POST /v1/attachments. */
export const MAX_INLINE_JSON_BYTES = 25 * MB;
/** The most bytes of such a body without its attachments: text and HTML with each byte as an escape of six, and the rest. */
export const MAX_HELD_JSON_BYTES = 6 * (MAX_TEXT_BYTES + MAX_HTML_BYTES) + MB;
/** The most attachments of one message: each is a stream to open. */
export const MAX_ATTACHMENTS = 100;
/** The most seconds that a call waits for the transport's answer. */
const MAX_WAIT_SECONDS = 30;

/** Error texts that clients show to the letter. */
export const SEND_ERRORS = {
  missingFields: "Missing required fields: to, subject",
  missingForwardFields: "Missing required fields: to",
  missingBody: "Either text or html body is required",
  tooManyRecipients: `Too many recipients (max ${MAX_RECIPIENTS} total across to/cc/bcc)`,
  subjectTooLong: `Subject too long (max ${MAX_SUBJECT_CHARS} characters)`,
  bodyTooLarge: "Body too large",
  attachmentTooLarge: `Attachment too large (max ${MAX_ATTACHMENT_BYTES / MB} MB)`,
  messageTooLarge: `Message too large (max ${MAX_TOTAL_BYTES / MB} MB including attachments)`,
  inlineTooLarge: `Request body too large (max ${MAX_INLINE_JSON_BYTES / MB} MB): upload attachments to POST /v1/attachments and name them by attachment_id`,
} as const;

/** A text; "" if it is null or not given. */
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** As `optionalText`, with at most MAX_NAME_CHARS. */
const optionalName = z
  .string()
  .max(MAX_NAME_CHARS, `must have at most ${MAX_NAME_CHARS} characters`)
  .nullish()
  .transform((text) => text ?? "");

/** `addr`, `Name <addr>`, or an array of these; blank entries are ignored. */
const addressList = (about: string) =>
  readUpTo(
    MAX_NAMED,
    z
      .union([z.string(), z.array(z.string())], { error: "must be an address or an array of addresses" })
      .nullish(),
  )
    .transform((value) => [value ?? []].flat().filter((entry) => entry.trim() !== ""))
    .superRefine((entries, context) => {
      const tooLong = entries.findIndex((entry) => entry.length > MAX_ADDRESS_CHARS);
      if (tooLong === -1) return;
      const path = entries.length === 1 ? [] : [tooLong];
      context.addIssue({
        code: "custom",
        path,
        message: `must have at most ${MAX_ADDRESS_CHARS} characters`,
      });
    })
    .meta({ description: about });

const headers = readUpTo(MAX_CUSTOM_HEADERS, z.record(z.string(), z.string()).nullish())
  .transform((fields) => fields ?? {})
  .meta({ description: "Further header fields; fields that the service sets itself are refused." });

/** The content of a file of a large request, which was stored in the mailbox as an upload while the request was read. */
export class StoredContent {
  /** Hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Null if nothing was stored, because a message was sent under the same Idempotency-Key before. */
  readonly upload: { id: string; key: string } | null;

  constructor(content: { sha256: string; sizeBytes: number; upload: { id: string; key: string } | null }) {
    this.sha256 = content.sha256;
    this.sizeBytes = content.sizeBytes;
    this.upload = content.upload;
  }

  /** Two requests with the same bytes are equal, wherever the bytes are stored. */
  toJSON(): { sha256: string } {
    return { sha256: this.sha256 };
  }
}

/** One file: its content inline, or the id of an upload (or of an attachment in the mailbox). */
export const OutgoingFile = z
  .strictObject({
    filename: optionalName,
    content: z
      .custom<string | StoredContent>(
        (value) => typeof value === "string" || value instanceof StoredContent,
        "must be a string",
      )
      .meta({ type: "string", description: "Base64." })
      .nullish(),
    attachment_id: z
      .string()
      .max(MAX_NAME_CHARS, `must have at most ${MAX_NAME_CHARS} characters`)
      .nullish()
      .meta({ description: "As `POST /v1/attachments` gave it." }),
    content_type: optionalName.meta({ description: "`application/octet-stream` unless given." }),
    content_id: optionalName.meta({ description: "Shows the file in the HTML, at `cid:<content_id>`." }),
  })
  .superRefine((file, context) => {
    const fault = fileFault(file);
    if (fault !== null) context.addIssue({ code: "custom", ...fault });
  })
  .meta({ id: "OutgoingFile" });
export type OutgoingFile = z.output<typeof OutgoingFile>;

interface FileSource {
  filename: string;
  content?: string | StoredContent | null;
  attachment_id?: string | null;
}

function fileFault({ filename, content, attachment_id }: FileSource) {
  const isInline = content !== null && content !== undefined;
  if (isInline === Boolean(attachment_id)) {
    return { path: [], message: "must have either content or attachment_id" };
  }
  if (!isInline) return null;
  if (filename.trim() === "") return { path: ["filename"], message: "is required with content" };
  if (content instanceof StoredContent) return null;
  return base64Bytes(content) === null ? { path: ["content"], message: "must be base64" } : null;
}

const attachments = readUpTo(
  MAX_ATTACHMENTS,
  z.array(OutgoingFile).max(MAX_ATTACHMENTS, `must hold at most ${MAX_ATTACHMENTS} files`).nullish(),
).transform((files) => files ?? []);

const flagWithDefault = (fallback: boolean, about: string) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? fallback)
    .meta({ default: fallback, description: about });

const Common = z.strictObject({
  from: addressList(
    "The mailbox, a +tag of it or an address of its verified domain; the mailbox unless given.",
  ),
  cc: addressList("Further recipients, visible to all."),
  bcc: addressList("Further recipients, named in no copy."),
  text: optionalText,
  html: optionalText,
  reply_to: addressList("Where answers go, if not to the sender.").refine(
    (entries) => entries.length <= MAX_REPLY_TO,
    `must hold at most ${MAX_REPLY_TO} addresses`,
  ),
  headers,
  attachments,
});

/** The members that have limits. */
interface Limited {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  text: string;
  html: string;
}

function limitFaults({ to, cc, bcc, subject, text, html }: Limited): BodyError[] {
  const isOver: readonly [boolean, BodyError][] = [
    [to.length + cc.length + bcc.length > MAX_NAMED, SEND_ERRORS.tooManyRecipients],
    [subject.length > MAX_SUBJECT_CHARS, SEND_ERRORS.subjectTooLong],
    [
      Buffer.byteLength(text) > MAX_TEXT_BYTES || Buffer.byteLength(html) > MAX_HTML_BYTES,
      SEND_ERRORS.bodyTooLarge,
    ],
  ];
  return isOver.filter(([over]) => over).map(([, error]) => error);
}

const hasBody = ({ text, html }: Pick<Limited, "text" | "html">): boolean => text !== "" || html !== "";

/** The next step after an error about a body as a whole. */
const BODY_FIXES = {
  [SEND_ERRORS.missingBody]: 'Add "text": "..." or "html": "..." to the request body.',
  [SEND_ERRORS.tooManyRecipients]: `Name at most ${MAX_RECIPIENTS} recipients, and the others in another message.`,
  [SEND_ERRORS.subjectTooLong]: `Send a subject of at most ${MAX_SUBJECT_CHARS} characters.`,
  [SEND_ERRORS.bodyTooLarge]:
    "Upload the text as a file with POST /v1/attachments, and send its attachment_id.",
} as const;
type BodyError = keyof typeof BODY_FIXES;

/** Reports errors without a path, so that they are shown to the letter. */
function report(
  context: { addIssue(issue: FixedIssue): void },
  errors: readonly (BodyError | false)[],
): void {
  for (const error of errors) {
    if (error !== false)
      context.addIssue({ code: "custom", message: error, params: { fix: BODY_FIXES[error] } });
  }
}

/** Examples of required fields, for the `fix` of a refusal. */
const EXAMPLES = { to: '"to": "ann@example.com"', subject: '"subject": "Hello"' } as const;
type RequiredField = keyof typeof EXAMPLES;

/** Reports `error`, which clients show to the letter, and the missing fields in its parameters. */
function reportMissing(
  context: { addIssue(issue: FixedIssue): void },
  error: string,
  missing: readonly RequiredField[],
): void {
  if (missing.length === 0) return;
  const fix = `Add ${missing.map((field) => EXAMPLES[field]).join(" and ")} to the request body`;
  context.addIssue({ code: "custom", message: error, params: { missing, fix } });
}

type FixedIssue = { code: "custom"; message: string; params: z.input<typeof FieldFix> };

/** POST /v1/send. */
export const SendBody = Common.extend({
  to: addressList("Recipients."),
  subject: optionalText,
  in_reply_to: optionalName.meta({ description: "Message-ID of the email that is answered." }),
})
  .superRefine((body, context) => {
    const missing: RequiredField[] = [];
    if (body.to.length === 0) missing.push("to");
    if (body.subject.trim() === "") missing.push("subject");
    reportMissing(context, SEND_ERRORS.missingFields, missing);
    report(context, [!hasBody(body) && SEND_ERRORS.missingBody, ...limitFaults(body)]);
  })
  .meta({
    id: "Send",
    required: ["to", "subject"],
    example: { to: "Ann <ann@example.com>", subject: "Hello", text: "Hello Ann." },
  });
export type SendBody = z.output<typeof SendBody>;

/** POST /v1/emails/:id/reply. Recipients and subject follow from the email that is answered. */
export const ReplyBody = Common.extend({
  reply_all: flagWithDefault(false, "Answers all who got the email, not its author alone."),
  quote: flagWithDefault(true, "Puts the email that is answered below the answer."),
})
  .superRefine((body, context) => {
    report(context, [
      !hasBody(body) && SEND_ERRORS.missingBody,
      ...limitFaults({ ...body, to: [], subject: "" }),
    ]);
  })
  .meta({ id: "Reply", example: { text: "Thank you.", reply_all: true } });
export type ReplyBody = z.output<typeof ReplyBody>;

/** POST /v1/emails/:id/forward. Its text and HTML go above the forwarded email. */
export const ForwardBody = Common.extend({
  to: addressList("Recipients."),
  with_attachments: flagWithDefault(true, "Sends the files of the email along."),
})
  .superRefine((body, context) => {
    reportMissing(context, SEND_ERRORS.missingForwardFields, body.to.length === 0 ? ["to"] : []);
    report(context, limitFaults({ ...body, subject: "" }));
  })
  .meta({ id: "Forward", required: ["to"], example: { to: ["bob@example.com"], text: "For you." } });
export type ForwardBody = z.output<typeof ForwardBody>;

/** `?wait=`: how long the call waits for the transport's answer. */
export const SendQuery = z.object({
  mailbox,
  wait: integer({
    min: 0,
    max: MAX_WAIT_SECONDS,
    fallback: 0,
    about: "Seconds to wait for the transport's answer; clamped to 30.",
  }),
});

/** The answer to a send, reply or forward, and to a repeat of one under its Idempotency-Key. */
export const Sent = z
  .object({
    id: z.string(),
    provider_id: z.string(),
    thread_id: z.string(),
    message_id: z.string(),
    status: z.enum(["queued", "sent"]).meta({
      description:
        "`sent` once a server accepted the email for a recipient and no recipient is queued; else `queued`.",
    }),
    delivery_status: MessageStatus.exclude(["received"])
      .optional()
      .meta({ description: "`status` of the email now; left out once the email is deleted." }),
    hint: z.string().optional().meta({ description: "Explains a `status` that alone would mislead." }),
    sends_today: z.int(),
    daily_send_limit: z.int(),
  })
  .meta({ id: "Sent" });
export type Sent = z.infer<typeof Sent>;

/** The next step after a body whose files are too large to be sent with it. */
export const UPLOAD_FIRST = "Upload each file with POST /v1/attachments, and send its id as attachment_id.";

const SEVERAL_MESSAGES = "Send the attachments in several messages, or links to them.";

/** A file and its size. */
interface SizedFile {
  filename: string;
  sizeBytes: number;
}

/** 413 if a file, or text, HTML and files together, exceed their limit; else null. */
export function sizeProblem(
  bodies: { text: string; html: string },
  files: readonly SizedFile[],
): Problem | null {
  const large = files.find(({ sizeBytes }) => sizeBytes > MAX_ATTACHMENT_BYTES);
  if (large !== undefined) {
    return { ...TOO_LARGE_ATTACHMENT, error: `${SEND_ERRORS.attachmentTooLarge}: ${large.filename}` };
  }
  const bodyBytes = Buffer.byteLength(bodies.text) + Buffer.byteLength(bodies.html);
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, bodyBytes);
  return total > MAX_TOTAL_BYTES
    ? { code: "too_large", error: SEND_ERRORS.messageTooLarge, fix: SEVERAL_MESSAGES }
    : null;
}

/** An address that nothing is sent to, because it bounced or complained. */
export const Suppression = z
  .object({ address: z.string(), reason: z.enum(["bounce", "complaint"]), created_at: Timestamp })
  .meta({ id: "Suppression" });
export type Suppression = z.infer<typeof Suppression>;

export const SuppressionPage = z.object({
  suppressions: z.array(Suppression),
  next_cursor: z.string().nullable(),
});
