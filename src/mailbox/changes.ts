import { eventData, type ChangePage } from "../contract/event.ts";
import { gone, invalid, type Answer } from "../contract/problem.ts";
import type { ChangeFilters } from "../contract/routes.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { Account } from "./account.ts";
import { eventsAfter, oldestSeq } from "./log.ts";

/**
 * What the log says after an entry, as `GET /v1/changes` shows it. Each `prev_seq` names what the caller saw last under the
 * same `types`, so that it can prove that it missed nothing.
 */
export function changesAfter(db: Database, account: Account, filters: ChangeFilters): Answer<ChangePage> {
  const { after, types, limit } = filters;
  const { last_event } = account.row;
  const oldest = oldestSeq(db, account);
  if (after < oldest - 1) {
    return refused(gone(`after: the log begins with ${oldest}; what came before is no longer kept`, oldest));
  }
  if (after > last_event) {
    return refused(invalid("after", `must be at most ${last_event}, the newest of this mailbox's log`));
  }
  let previous = after;
  const events = eventsAfter(db, after, limit, types).map(({ seq, kind, at, data }) => {
    const change = {
      seq,
      prev_seq: previous,
      event: kind,
      at: new Date(at).toISOString(),
      data: eventData(data),
    };
    previous = seq;
    return change;
  });
  return done({ events, last_seq: last_event, oldest_seq: oldest });
}
