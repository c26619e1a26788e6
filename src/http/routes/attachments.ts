import { notFound, type Answer } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import { parseMail } from "../../mail/parse.ts";
import type { AttachmentSource } from "../../mailbox/reading.ts";
import { problemResponse, respond } from "../answers.ts";
import { readRange, type Range } from "../byte-range.ts";
import type { Handlers } from "../call.ts";
import { attachmentDisposition } from "../content-disposition.ts";
import { openBlob, readRaw, type Asked } from "../message-source.ts";

export const attachmentHandlers: Pick<Handlers, "attachment" | "attachmentByQuery"> = {
  attachment: ({ input, request, ...asked }) => download(asked, input.params.id, request),
  attachmentByQuery: ({ input, request, ...asked }) => download(asked, input.query.id, request),
};

/** Serves the bytes so that no browser ever renders them on this origin. */
async function download(asked: Asked, id: string, request: Request): Promise<Answer<Response>> {
  const found = await asked.mailbox.attachment(asked.access, id);
  if (!found.ok) return found;
  const { stored } = found.value;
  const size = stored.sizeBytes;
  const range = readRange(request.headers.get("Range"), size);
  if (range === "unsatisfiable") {
    const problem = { code: "range_not_satisfiable" as const, error: `The attachment has ${size} bytes` };
    return done(problemResponse(problem, { "Content-Range": `bytes */${size}` }));
  }
  const { start, end } = range ?? { start: 0, end: size };
  const body = await openPart(asked, found.value, { start, end });
  if (!body.ok) return body;
  return done(
    respond(body.value, range === null ? 200 : 206, {
      "Content-Type": stored.contentType,
      "Content-Length": String(end - start),
      "Content-Disposition": attachmentDisposition(stored.filename),
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Accept-Ranges": "bytes",
      ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${size}` }),
    }),
  );
}

/** A range of the blob of parts, or of the part cut from a raw message that is small. */
async function openPart(
  asked: Asked,
  source: AttachmentSource,
  { start, end }: Range,
): Promise<Answer<BodyInit>> {
  const { env, mailbox } = asked;
  const { stored, part, partsKey, raw } = source;
  if (raw === null) {
    return openBlob(env, mailbox, {
      key: partsKey,
      offset: (stored.offset ?? 0) + start,
      length: end - start,
    });
  }
  const message = await readRaw(env, mailbox, raw);
  if (!message.ok) return message;
  const content = (await parseMail(message.value)).attachments[part]?.content;
  return content === undefined ? refused(notFound("Attachment")) : done(content.slice(start, end));
}
