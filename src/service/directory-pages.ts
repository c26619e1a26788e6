import { DIRECTORY_SHARDS, shardName } from "../contract/directory.ts";
import type { MailboxEntry } from "../contract/mailbox.ts";
import { NO_CURSOR } from "../contract/parameters.ts";
import { invalid, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import { sealed, unsealed } from "../lib/sealed-text.ts";

/** Where a page of the list begins: after an address of a shard. */
interface Position {
  shard: number;
  after: string;
}

/** A page of all mailboxes, shard by shard and by address within one: an order that new mailboxes do not disturb. */
export async function mailboxPage(
  env: Env,
  wanted: { limit: number; cursor: string | null; status: "active" | "paused" | null },
): Promise<Answer<{ mailboxes: MailboxEntry[]; next_cursor: string | null }>> {
  const start = wanted.cursor === null ? { shard: 0, after: "" } : readPosition(wanted.cursor);
  if (start === null) return refused(invalid("cursor", NO_CURSOR));
  const mailboxes: MailboxEntry[] = [];
  let { after } = start;
  for (let shard = start.shard; shard < DIRECTORY_SHARDS; shard += 1, after = "") {
    const missing = wanted.limit + 1 - mailboxes.length;
    const directory = env.DIRECTORY.getByName(shardName(shard));
    const rows = await directory.list({ after, status: wanted.status, limit: missing });
    for (const row of rows) {
      if (mailboxes.length === wanted.limit)
        return done({ mailboxes, next_cursor: writePosition({ shard, after }) });
      after = row.address;
      mailboxes.push({
        mailbox: row.address,
        kind: row.kind,
        status: row.status,
        created_at: new Date(row.created_at).toISOString(),
        expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
      });
    }
  }
  return done({ mailboxes, next_cursor: null });
}

function writePosition({ shard, after }: Position): string {
  return sealed(`${shard.toString(16)}-${Buffer.from(after).toString("base64url")}`);
}

function readPosition(cursor: string): Position | null {
  const [, shard, after] = /^([0-9a-f])-([A-Za-z0-9_-]*)$/.exec(unsealed(cursor) ?? "") ?? [];
  if (shard === undefined || after === undefined) return null;
  return { shard: parseInt(shard, 16), after: Buffer.from(after, "base64url").toString() };
}
