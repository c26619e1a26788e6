import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import { jsonResponse } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { completeEmail, type Asked } from "../message-source.ts";

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
  const emails: string[] = [];
  for (const email of thread.value.emails) {
    const text = await completeEmail(asked, email);
    if (!text.ok) return text;
    emails.push(text.value);
  }
  const { threadId, nextCursor } = thread.value;
  const cursor = JSON.stringify(nextCursor);
  return done(
    jsonResponse(`{"thread_id":"${threadId}","emails":[${emails.join(",")}],"next_cursor":${cursor}}`),
  );
}
