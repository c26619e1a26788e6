import type { Answer } from "../../contract/problem.ts";
import type { attachmentRoutes } from "../../contract/routes/attachments.ts";
import { done, refused } from "../../lib/outcome.ts";
import { openPart, type MailboxAccess } from "../../service/message-source.ts";
import { storeUpload } from "../../service/store-upload.ts";
import { Bytes } from "../answers.ts";
import { readRange } from "../byte-range.ts";
import type { HandlersOf } from "../call.ts";
import { attachmentDisposition } from "../content-disposition.ts";
import { readUploadRequest } from "../upload-request.ts";

export const attachmentHandlers = {
  attachment: ({ input, request, ...to }) => download(to, input.params.id, request),
  attachmentByQuery: ({ input, request, ...to }) => download(to, input.query.id, request),

  async upload({ input, request, env, mailbox, access }) {
    const file = readUploadRequest(request.headers, input.query.filename);
    if (file.ok) return storeUpload(file.value, request.body, { env, mailbox, access });
    // The mailbox judges first: only a caller who may upload is told what is wrong.
    const judged = await mailbox.admit({ ...access, fault: file.error });
    return judged.ok ? file : judged;
  },
} satisfies HandlersOf<typeof attachmentRoutes>;

/** Serves the bytes so that no browser ever renders them on this origin. */
async function download(to: MailboxAccess, id: string, request: Request): Promise<Answer<Bytes<200 | 206>>> {
  const found = await to.mailbox.attachment(to.access, id);
  if (!found.ok) return found;
  const { stored } = found.value;
  const size = stored.sizeBytes;
  const range = readRange(request.headers.get("Range"), size);
  if (range === "unsatisfiable") {
    return refused({
      code: "range_not_satisfiable",
      error: `The attachment has ${size} bytes`,
      headers: { "Content-Range": `bytes */${size}` },
      fix: `Ask for a range that begins within the first ${size} bytes, or leave Range out.`,
    });
  }
  const { start, end } = range ?? { start: 0, end: size };
  const body = await openPart(to, found.value, { start, end });
  if (!body.ok) return body;
  return done(
    new Bytes(range === null ? 200 : 206, body.value, {
      "Content-Type": stored.contentType,
      "Content-Length": String(end - start),
      "Content-Disposition": attachmentDisposition(stored.filename),
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Accept-Ranges": "bytes",
      ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${size}` }),
    }),
  );
}
