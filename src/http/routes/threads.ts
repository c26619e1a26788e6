import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import { jsonResponse } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { piecesOfEmail, streamOf, type Asked } from "../message-source.ts";
import type { ThreadAnswer } from "../../mailbox/reading/reading.ts";

export const threadHandlers: Pick<Handlers, "threads" | "thread" | "threadByQuery"> = {
  async threads({ mailbox, access, input }) {
    const page = await mailbox.threads(access, input.query);
    return page.ok ? done(jsonResponse(page.value)) : page;
  },

  thread: ({ input, ...asked }) => showThread(asked, { ...input.query, id: input.params.id }),
  threadByQuery: ({ input, ...asked }) => showThread(asked, input.query),
};

async function showThread(
  asked: Asked,
  wanted: { id: string; limit: number; cursor: string | null },
): Promise<Answer<Response>> {
  const thread = await asked.mailbox.thread(asked.access, wanted);
  if (!thread.ok) return thread;
  return done(jsonResponse(streamOf(piecesOfThread(asked, thread.value))));
}

/** The JSON of a thread, email by email: of a page of large emails only a few pieces are in memory. */
async function* piecesOfThread(
  asked: Asked,
  { threadId, emails, nextCursor }: ThreadAnswer,
): AsyncGenerator<string | Uint8Array, void> {
  yield `{"thread_id":"${threadId}","emails":[`;
  for (const [index, email] of emails.entries()) {
    if (index > 0) yield ",";
    yield* piecesOfEmail(asked, email);
  }
  yield `],"next_cursor":${JSON.stringify(nextCursor)}}`;
}
