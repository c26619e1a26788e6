import { MAX_ATTACHMENT_BYTES } from "../../src/contract/limits.ts";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  ForwardBody,
  MAX_ATTACHMENTS,
  MAX_TOTAL_BYTES,
  ReplyBody,
  SEND_ERRORS,
  SendBody,
  SendQuery,
  sizeProblem,
} from "../../src/contract/sending.ts";

const LEAST = { to: "ann@example.com", subject: "Hello", text: "Hi" };

/** The first fault, as in the answer to the client; null if there is none. */
function faultOf(shape: z.ZodType, body: unknown): string | null {
  const parsed = shape.safeParse(body);
  if (parsed.success) return null;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join(".") ?? ""}${issue?.path.length ? ": " : ""}${issue?.message}`;
}
const send = (more: Record<string, unknown>): string | null => faultOf(SendBody, { ...LEAST, ...more });

describe("POST /v1/send", () => {
  it("reads one address or many, and null or blanks as nothing", () => {
    expect(
      SendBody.parse({ ...LEAST, from: "a@x.com", cc: ["b@x.com", " "], bcc: null, html: null }),
    ).toEqual({
      from: ["a@x.com"],
      to: ["ann@example.com"],
      cc: ["b@x.com"],
      bcc: [],
      reply_to: [],
      subject: "Hello",
      text: "Hi",
      html: "",
      in_reply_to: "",
      headers: {},
      attachments: [],
    });
  });

  it.each([
    [{ to: undefined }],
    [{ subject: undefined }],
    [{ to: undefined, subject: undefined, text: undefined }],
    [{ to: "" }],
    [{ to: [] }],
    [{ to: ["  "] }],
    [{ subject: " " }],
    [{ to: null, subject: null }],
  ])("asks for what is missing: %j", (more) => {
    expect(send(more)).toBe("Missing required fields: to, subject");
  });

  it.each([[{ text: undefined }], [{ text: "" }], [{ text: null, html: "" }]])(
    "asks for a body: %j",
    (more) => {
      expect(send(more)).toBe("Either text or html body is required");
      expect(send({ ...more, html: "<p>" })).toBeNull();
    },
  );

  it("takes 1,000 addresses as written over to, cc and bcc, repeats included, and no more", () => {
    const people = (count: number) => Array.from({ length: count }, () => "a@x.com");
    expect(send({ to: people(400), cc: people(400), bcc: people(200) })).toBeNull();
    expect(send({ to: people(400), cc: people(400), bcc: people(201) })).toBe(
      "Too many recipients (max 50 total across to/cc/bcc)",
    );
  });

  it.each(["to", "cc", "bcc"])(
    "says of 400,000 entries in %s that these are too many recipients",
    (field) => {
      const entries = Array.from({ length: 400_000 }, () => "a@x.com");
      expect(send({ [field]: entries })).toBe("Too many recipients (max 50 total across to/cc/bcc)");
    },
  );

  it("takes 50 addresses in reply_to, and no more, however many there are", () => {
    const people = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@x.com`);
    expect(send({ reply_to: people(50) })).toBeNull();
    for (const count of [51, 400_000])
      expect(send({ reply_to: people(count) })).toBe("reply_to: must hold at most 50 addresses");
    for (const shape of [ReplyBody, ForwardBody])
      expect(faultOf(shape, { to: "a@x.com", text: "Hi", reply_to: people(51) })).toBe(
        "reply_to: must hold at most 50 addresses",
      );
  });

  it("reads a list only up to the first few faults", () => {
    const many = Array.from({ length: 400_000 }, () => 5);
    const lists = {
      to: many,
      reply_to: many,
      attachments: many,
      headers: Object.fromEntries(many.map((value, index) => [`X-${index}`, value])),
    };
    for (const [field, list] of Object.entries(lists)) {
      const parsed = SendBody.safeParse({ ...LEAST, [field]: list });
      expect(parsed.success).toBe(false);
      expect([field, parsed.error?.issues.length]).toEqual([
        field,
        expect.toSatisfy((count) => count <= 102),
      ]);
    }
  });

  it("takes addresses, Message-IDs and names of files of 4,096 characters, and no more", () => {
    const long = (count: number) => "x".repeat(count);
    const rule = "must have at most 4096 characters";
    for (const field of ["to", "cc", "from", "reply_to"]) {
      expect(send({ [field]: long(4_096) })).toBeNull();
      expect(send({ [field]: long(4_097) })).toBe(`${field}: ${rule}`);
      expect(send({ [field]: ["a@x.com", long(4_097)] })).toBe(`${field}.1: ${rule}`);
    }
    expect(send({ in_reply_to: long(4_097) })).toBe(`in_reply_to: ${rule}`);
    for (const field of ["filename", "content_type", "content_id"]) {
      const file = { filename: "a", content: "YQ==", [field]: long(4_097) };
      expect(send({ attachments: [file] })).toBe(`attachments.0.${field}: ${rule}`);
    }
    expect(send({ attachments: [{ attachment_id: long(4_097) }] })).toBe(
      `attachments.0.attachment_id: ${rule}`,
    );
  });

  it("takes a subject of 998 characters, and no more", () => {
    expect(send({ subject: "s".repeat(998) })).toBeNull();
    expect(send({ subject: "s".repeat(999) })).toBe("Subject too long (max 998 characters)");
  });

  it("takes 500 KB of text and 1 MB of HTML in bytes of UTF-8, and no more", () => {
    expect(send({ text: "é".repeat(250_000) })).toBeNull();
    expect(send({ text: `${"é".repeat(250_000)}a` })).toBe("Body too large");
    expect(send({ html: "é".repeat(500_000) })).toBeNull();
    expect(send({ html: `${"é".repeat(500_000)}a` })).toBe("Body too large");
  });

  it.each([
    [{ to: 5 }, "to: must be an address or an array of addresses"],
    [{ to: [5] }, "to: must be an address or an array of addresses"],
    [{ headers: { "X-A": 5 } }, "headers.X-A: Invalid input: expected string, received number"],
    [{ body: "Hi" }, 'Unrecognized key: "body"'],
    [{ attachments: [{ filename: "a" }] }, "attachments.0: must have either content or attachment_id"],
    [
      { attachments: [{ filename: "a", content: "YQ==", attachment_id: "x" }] },
      "attachments.0: must have either content or attachment_id",
    ],
    [{ attachments: [{ content: "YQ==" }] }, "attachments.0.filename: is required with content"],
    [{ attachments: [{ filename: "a", content: "a_-b" }] }, "attachments.0.content: must be base64"],
    [{ attachments: [{ filename: "a", content: "YQ=" }] }, "attachments.0.content: must be base64"],
    [{ attachments: [{ filename: "a", content: "Y" }] }, "attachments.0.content: must be base64"],
  ])("refuses %j", (more, fault) => {
    expect(send(more)).toBe(fault);
  });

  it.each([
    [{ filename: "a", content: "YWI=" }],
    [{ filename: "a", content: "YW\r\nI" }],
    [{ filename: "a", content: "" }],
    [{ attachment_id: "x" }],
  ])("takes a file: %j", (file) => {
    expect(send({ attachments: [file] })).toBeNull();
  });

  it("takes 100 files, and no more", () => {
    const files = (count: number) => Array.from({ length: count }, () => ({ attachment_id: "x" }));
    expect(send({ attachments: files(MAX_ATTACHMENTS) })).toBeNull();
    expect(send({ attachments: files(MAX_ATTACHMENTS + 1) })).toContain("at most 100 files");
  });

  it("lists its required members in its JSON Schema", () => {
    const schema = z.toJSONSchema(SendBody, { io: "input", unrepresentable: "any" });
    expect(schema.$defs?.Send).toMatchObject({
      required: ["to", "subject"],
      properties: { to: {}, in_reply_to: {}, attachments: {} },
      additionalProperties: false,
    });
  });
});

describe("reply and forward", () => {
  it("need for a reply no recipients and no subject, but a text", () => {
    expect(ReplyBody.parse({ text: "Yes" })).toMatchObject({
      text: "Yes",
      reply_all: false,
      quote: true,
      cc: [],
    });
    expect(faultOf(ReplyBody, {})).toBe(SEND_ERRORS.missingBody);
    expect(faultOf(ReplyBody, { text: "a".repeat(500_001) })).toBe("Body too large");
  });

  it("need for a forward a recipient, and no text", () => {
    expect(ForwardBody.parse({ to: "a@x.com" })).toMatchObject({ to: ["a@x.com"], with_attachments: true });
    expect(faultOf(ForwardBody, {})).toBe("Missing required fields: to");
    expect(faultOf(ForwardBody, { to: Array.from({ length: 1_001 }, () => "a@x.com") })).toBe(
      SEND_ERRORS.tooManyRecipients,
    );
  });
});

describe("?wait=", () => {
  it.each([
    [undefined, 0],
    ["0", 0],
    ["30", 30],
    ["31", 30],
  ])("%s is %d seconds", (wait, seconds) => {
    expect(SendQuery.parse({ wait }).wait).toBe(seconds);
  });

  it("is refused below 0", () => {
    expect(faultOf(SendQuery, { wait: "-1" })).toContain("at least 0");
  });
});

describe("sizeProblem", () => {
  const bodies = { text: "é", html: "a" };
  const file = (sizeBytes: number) => ({ filename: "big.bin", sizeBytes });

  it("allows 100 MB for one file and for the whole message, and no more", () => {
    expect(sizeProblem({ text: "", html: "" }, [file(MAX_ATTACHMENT_BYTES)])).toBeNull();
    expect(sizeProblem({ text: "", html: "" }, [file(MAX_ATTACHMENT_BYTES + 1)])).toEqual({
      code: "too_large",
      error: "Attachment too large (max 100 MB): big.bin",
      fix: "Send a file of at most 100000000 bytes, or a link to it.",
    });
    expect(sizeProblem(bodies, [file(1), file(MAX_TOTAL_BYTES - 4)])).toBeNull();
    expect(sizeProblem(bodies, [file(1), file(MAX_TOTAL_BYTES - 3)])).toEqual({
      code: "too_large",
      error: "Message too large (max 100 MB including attachments)",
      fix: "Send the attachments in several messages, or links to them.",
    });
  });
});
