import type { Answer } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import { envelopeOf, prepareRead, type Envelope, type Prepared } from "../mail/prepare.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { InboundMessage } from "../mailbox/messages/reindex.ts";
import { rowsOf } from "./blob-choice.ts";
import type { MailboxStub } from "./mailbox-stub.ts";
import { closeMessage, isWhole, type Arriving } from "./arriving.ts";
import { storedMessage } from "./message-source.ts";
import { dropped, readWhilePassing } from "./passing-mail.ts";
import { read } from "./receive.ts";
import { known, type FindSender } from "./sender-check.ts";
import { storeBody } from "./store-mail.ts";

/** A mailbox that is to be reindexed, and the access of the caller. */
export interface Reindexed {
  env: Env;
  config: Config;
  mailbox: MailboxStub;
  locator: string;
  access: Access;
}

/**
 * Parses a page of stored messages again, and rewrites what was derived from them. It may be interrupted and repeated: each message
 * is one transaction, and searches go on meanwhile.
 */
export async function reindexPage(
  target: Reindexed,
  page: { cursor: string | null; limit: number },
): Promise<Answer<{ reindexed: number; next_cursor: string | null }>> {
  const stale = await target.mailbox.allInbound(target.access, page);
  if (!stale.ok) return stale;
  for (const message of stale.value.messages) {
    const rewritten = await reindex(target, message);
    if (!rewritten.ok) return rewritten;
  }
  const { messages, nextCursor } = stale.value;
  // Only after the last page: the newest messages are embedded first and reindexed last.
  const told = nextCursor === null ? await target.mailbox.embedAgain(target.access) : done(null);
  return told.ok ? done({ reindexed: messages.length, next_cursor: nextCursor }) : told;
}

async function reindex(target: Reindexed, message: InboundMessage): Promise<Answer<null>> {
  const { env, mailbox, access } = target;
  const source = await mailbox.raw(access, message.id);
  // The message was deleted meanwhile.
  if (!source.ok) return source.error.code === "not_found" ? done(null) : refused(source.error);
  const stored = await storedMessage(env, mailbox, source.value);
  if (!stored.ok) return stored;
  // The sender was judged when the mail arrived. Old header fields are not read again under the settings of today.
  const sender = known({ kind: "kept", authentication: message.authentication });
  try {
    const prepared = await readAgain(stored.value, envelopeOf(message.metadata), sender);
    return await rewrite(target, message.id, prepared);
  } finally {
    await closeMessage(stored.value);
  }
}

async function readAgain(message: Arriving, envelope: Envelope, sender: FindSender): Promise<Prepared> {
  if (isWhole(message)) return read({ message, envelope, sender });
  const passed = await readWhilePassing(message, sender, dropped);
  return prepareRead(passed.read, envelope, passed.check);
}

async function rewrite(
  { mailbox, locator, access }: Reindexed,
  id: string,
  prepared: Prepared,
): Promise<Answer<null>> {
  const inRow = { raw: null, rawKey: null };
  const { largeBody, ...rest } = prepared;
  if (largeBody === null) {
    const small = { ...rest, ...inRow, bodyKey: null, bodyLayout: null, unusedKeys: [] };
    return mailbox.rewrite(access, id, small);
  }
  const rows = rowsOf(mailbox);
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([bodyKey], 0);
  if (!reserved.ok) return reserved;
  const stored = await storeBody(prepared, { rows, bodyKey });
  const rewritten = await mailbox.rewrite(access, id, { ...stored, ...inRow });
  // If this fails, the reservation erases them later.
  if (!rewritten.ok) await rows.delete([bodyKey]);
  return rewritten;
}
