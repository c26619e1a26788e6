import { invalid, notFound, type Answer } from "../contract/problem.ts";
import type { Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import { ADD_LABEL, FIND_MESSAGE, REMOVE_LABEL, WRITE_LABELS } from "./statements.ts";

/** Labels of one email at most. */
const MAX_LABELS = 100;

/** Adds, then removes labels of an email. Refused as a whole where they would be too many. */
export function relabel(
  db: Database,
  seq: Seq,
  change: { add: readonly string[]; remove: readonly string[] },
): Answer<null> {
  const row = db.first(FIND_MESSAGE, seq);
  if (row === null) return refused(notFound("Email"));
  const before = JSON.parse(row.labels) as string[];
  const after = [...new Set([...before, ...change.add])].filter((label) => !change.remove.includes(label));
  if (after.length > MAX_LABELS) {
    return refused(invalid("add_labels", `an email carries at most ${MAX_LABELS} labels`));
  }
  for (const label of after) if (!before.includes(label)) db.run(ADD_LABEL, label, seq);
  for (const label of before) if (!after.includes(label)) db.run(REMOVE_LABEL, label, seq);
  db.run(WRITE_LABELS, JSON.stringify(after), seq);
  return done(null);
}
