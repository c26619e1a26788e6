import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import { problemResponse, respond } from "../answers.ts";
import { readRange } from "../byte-range.ts";
import type { Handlers } from "../call.ts";
import { attachmentDisposition } from "../content-disposition.ts";
import { openPart, type Asked } from "../message-source.ts";

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
