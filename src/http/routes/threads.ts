import type { Thread } from "../../contract/message.ts";
import type { Answer } from "../../contract/problem.ts";
import type { threadRoutes } from "../../contract/routes/threads.ts";
import { done } from "../../lib/outcome.ts";
import type { ThreadAnswer } from "../../mailbox/reading/reading.ts";
import { piecesOfEmail, streamOf, type MailboxAccess } from "../../service/message-source.ts";
import type { JsonStream } from "../answers.ts";
import type { HandlersOf } from "../call.ts";

export const threadHandlers = {
  thread: ({ input, ...to }) => showThread(to, { ...input.query, id: input.params.id }),
  threadByQuery: ({ input, ...to }) => showThread(to, input.query),
} satisfies HandlersOf<typeof threadRoutes>;

async function showThread(
  to: MailboxAccess,
  wanted: { id: string; limit: number; cursor: string | null },
): Promise<Answer<JsonStream<Thread>>> {
  const thread = await to.mailbox.thread(to.access, wanted);
  return thread.ok ? done(streamOf(piecesOfThread(to, thread.value))) : thread;
}

/** The JSON of a thread, email by email: of a page of large emails only a few pieces are in memory. */
async function* piecesOfThread(
  to: MailboxAccess,
  { threadId, emails, nextCursor }: ThreadAnswer,
): AsyncGenerator<string | Uint8Array, void> {
  yield `{"thread_id":"${threadId}","emails":[`;
  for (const [index, email] of emails.entries()) {
    if (index > 0) yield ",";
    yield* piecesOfEmail(to, email);
  }
  yield `],"next_cursor":${JSON.stringify(nextCursor)}}`;
}
