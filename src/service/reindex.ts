import type { Answer } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import { envelopeOf } from "../mail/prepare.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { InboundMessage } from "../mailbox/messages/reindex.ts";
import { blobsForWriting, rowsOf } from "./blob-choice.ts";
import type { MailboxStub } from "./mailbox-stub.ts";
import { readRaw } from "./message-source.ts";
import { known } from "./sender-check.ts";
import { eraseUnused, read, storeBody, storeParts, type Mail } from "./receive.ts";

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
  const raw = await readRaw(env, mailbox, source.value);
  if (!raw.ok) return raw;
  const mail: Mail = {
    raw: raw.value,
    envelope: envelopeOf(message.metadata),
    // The sender was judged when the mail arrived. Old header fields are not read again under the settings of today.
    sender: known({ kind: "kept", authentication: message.authentication }),
  };
  return message.isLarge ? rewriteLarge(target, message.id, mail) : rewriteSmall(target, message.id, mail);
}

async function rewriteSmall(target: Reindexed, id: string, mail: Mail): Promise<Answer<null>> {
  const { mailbox, access, locator } = target;
  const { prepared } = await read(mail);
  const inRow = { raw: null, rawKey: null, partsKey: null };
  const { largeBody, ...rest } = prepared;
  if (largeBody === null) {
    const stored = { ...rest, ...inRow, bodyKey: null, bodyLayout: null, unusedKeys: [] };
    return mailbox.rewrite(access, id, stored);
  }
  const rows = rowsOf(mailbox);
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([bodyKey], 0);
  if (!reserved.ok) return reserved;
  const stored = await storeBody(prepared, { rows, bodyKey });
  const rewritten = await mailbox.rewrite(access, id, { ...stored, ...inRow });
  if (!rewritten.ok) await rows.delete([bodyKey]);
  return rewritten;
}

/** Writes the attachments again: another parser may cut them differently. */
async function rewriteLarge(target: Reindexed, id: string, mail: Mail): Promise<Answer<null>> {
  const { env, mailbox, access, locator } = target;
  const blobs = blobsForWriting(env, mailbox);
  const rows = rowsOf(mailbox);
  const partsKey = blobs.newKey(locator, uuidV7(Date.now()));
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([partsKey, bodyKey], 0);
  if (!reserved.ok) return reserved;
  const { prepared, attachments } = await read(mail);
  const withBody = await storeBody(prepared, { rows, bodyKey });
  const stored = await storeParts(withBody, attachments, { blobs, partsKey });
  const rewritten = await mailbox.rewrite(access, id, { ...stored, raw: null, rawKey: null });
  // If this fails, the reservation erases them later.
  if (!rewritten.ok) await eraseUnused([blobs, [partsKey]], [rows, [bodyKey]]);
  return rewritten;
}
