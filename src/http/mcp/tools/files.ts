import * as z from "zod";
import { invalid, type Answer, type Problem } from "../../../contract/problem.ts";
import { done, refused } from "../../../lib/outcome.ts";
import { cutToTokens } from "../../../lib/token-estimate.ts";
import { openPart } from "../../../service/message-source.ts";
import type { AttachmentSource } from "../../../mailbox/reading/reading.ts";
import type { McpCall } from "../call.ts";
import { id } from "../inputs.ts";
import { shownFilename, shownMediaType } from "../mail-view.ts";
import { untrusted } from "../shapes.ts";
import { tool } from "../tool.ts";

/** The most bytes of a file in one message: a client holds the whole of it, and base64 takes a third more. */
export const MAX_INLINE_BYTES = 1_048_576;
/** The most tokens of a file's text. */
const MAX_TEXT_TOKENS = 20_000;

const Output = z.object({
  filename: z.string(),
  untrusted_filename: untrusted,
  content_type: z.string(),
  size_bytes: z.int(),
  resource_link: z.string(),
  url: z.string(),
  untrusted_text: untrusted.optional(),
  omitted_tokens: z.int().optional(),
  untrusted_base64: untrusted.optional(),
});

/** The address of a file among the resources. */
export const attachmentUri = (attachment: string): string => `attachment://${attachment}`;

/** A file: where it is, its text, or its bytes. */
export const getAttachment = tool({
  name: "get_attachment",
  route: "attachment",
  input: z.object({ id, as: z.enum(["link", "text", "base64"]).default("link") }),
  output: Output,
  reads: true,
  blocks: ({ filename, resource_link: uri, content_type: mimeType, size_bytes: size }) => [
    { type: "resource_link", uri, name: filename, mimeType, size },
  ],
  async run(call, { id: named, as }) {
    const found = await findAttachment(call, named, as === "base64");
    if (!found.ok) return found;
    const content = await contentOf(call, found.value, as);
    if (!content.ok) return content;
    const { stored, part } = found.value;
    return done({
      filename: shownFilename(stored.filename, part, stored.contentType),
      untrusted_filename: stored.filename,
      content_type: shownMediaType(stored.contentType),
      size_bytes: stored.sizeBytes,
      resource_link: attachmentUri(named),
      url: `${call.origin}/v1/attachments/${encodeURIComponent(named)}`,
      ...content.value,
    });
  },
});

/** An attachment; `withBytes` if its bytes are wanted too. */
export function findAttachment(
  call: McpCall,
  attachment: string,
  withBytes: boolean,
): Promise<Answer<AttachmentSource>> {
  return call.ask("attachment", async (mailbox, access) => mailbox.attachment(access, attachment, withBytes));
}

type Content = Pick<z.input<typeof Output>, "untrusted_text" | "omitted_tokens" | "untrusted_base64">;

async function contentOf(
  call: McpCall,
  source: AttachmentSource,
  as: "link" | "text" | "base64",
): Promise<Answer<Content>> {
  if (as === "link") return done({});
  if (as === "base64") {
    const bytes = await bytesOf(call, source);
    return bytes.ok ? done({ untrusted_base64: bytes.value.toString("base64") }) : bytes;
  }
  const { text } = source.stored;
  if (text === undefined) return refused(NO_TEXT);
  const cut = cutToTokens(text, MAX_TEXT_TOKENS);
  return done({ untrusted_text: cut.text, omitted_tokens: cut.omittedTokens });
}

const NO_TEXT: Problem = {
  ...invalid("as", "the text of this file was not read: it is no text file, or too large"),
  fix: "Call with as: base64, or download the url of as: link.",
};

/** The bytes of a file that is small enough for a message. */
export async function bytesOf(call: McpCall, source: AttachmentSource): Promise<Answer<Buffer>> {
  const { sizeBytes } = source.stored;
  if (sizeBytes > MAX_INLINE_BYTES) return refused(tooLargeInline("The file", sizeBytes));
  return call.ask("attachment", async (mailbox, access) => {
    const body = await openPart({ env: call.env, mailbox, access }, source, { start: 0, end: sizeBytes });
    return body.ok ? done(Buffer.from(await new Response(body.value).arrayBuffer())) : body;
  });
}

/** 413 of bytes that do not fit into a message. */
export function tooLargeInline(what: string, sizeBytes: number): Problem {
  return {
    code: "too_large",
    error: `${what} has ${sizeBytes} bytes; a message holds at most ${MAX_INLINE_BYTES}`,
    fix: "Download it over HTTP with the same key: get_attachment gives the url of a file, GET /v1/emails/<id>/raw a whole email.",
  };
}
