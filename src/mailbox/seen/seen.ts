import type { Answer } from "../../contract/problem.ts";
import type { SeenChange, SeenMail } from "../../contract/seen.ts";
import { changedSeen, NOTHING_SEEN } from "../../contract/seen-state.ts";
import { idOf } from "../../lib/ids.ts";
import { ownJson } from "../../lib/json-text.ts";
import { done } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Access } from "../account/access.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import { SEEN } from "./schema.ts";

/** The emails that a person has seen in the viewer. Nothing else reads it: agents see all mail as before. */
export class Seen {
  readonly #context: MailboxContext;
  readonly #tables: Tables;

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#tables = context.tables(SEEN);
  }

  seen(access: Access): Answer<SeenMail> {
    return this.#context.answer(access, () => done(this.#state()));
  }

  /** Applies a change and answers the result. A change that changes nothing writes nothing. */
  markSeen(access: Access, change: SeenChange): Answer<SeenMail> {
    return this.#context.answer(access, ({ row, idTail }) => {
      const before = this.#state();
      const after = changedSeen(before, upTo(idOf(row.last_seq, idTail), change));
      const text = JSON.stringify(after);
      if (text !== JSON.stringify(before)) this.#context.write(() => this.#tables.run(rows.WRITE, text));
      return done(after);
    });
  }

  #state(): SeenMail {
    const row = this.#tables.first(rows.READ);
    return row === null ? NOTHING_SEEN : ownJson<SeenMail>(row.state);
  }
}

/**
 * A change without what is newer than the newest email. `up_to` never moves back, so one beyond all ids would make each later
 * email a seen one for good.
 */
function upTo(newest: string, { up_to, seen, unseen }: SeenChange): SeenChange {
  const isThere = (id: string): boolean => id <= newest;
  return {
    up_to: up_to === undefined || isThere(up_to) ? up_to : newest,
    seen: seen?.filter(isThere),
    unseen: unseen?.filter(isThere),
  };
}
