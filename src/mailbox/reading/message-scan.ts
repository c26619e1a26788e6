import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { MessageRow } from "../messages/rows.ts";
import type { Scan } from "../turns.ts";
import { READ_ALL, TURNS, type ListingParams, type TurnStatements, type Wanted } from "./rows.ts";
import { isUnfiltered } from "./rules.ts";

/** No operators. */
export const ANY: Wanted = ["[]", "[]", "[]", "[]"];

/** The messages that a scan wants. */
export interface Wishes {
  params: ListingParams;
  wanted: Wanted;
  /** Only messages with this label; null = all. The index of labels then replaces the table of messages. */
  label: string | null;
  /** A full-text expression whose matches are left out; null = none. */
  without: string | null;
  isHiddenShown: boolean;
}

/** Looks at message after message for those that pass filters, which no index serves. */
export function messageScan(tables: Tables, wishes: Wishes): Scan<MessageRow> {
  const { read } = statementsOf(wishes);
  const [minSeq] = wishes.params;
  return {
    ...commonScan(tables, wishes),
    read: wantsAll(wishes)
      ? (max, limit, offset) => tables.all(READ_ALL, minSeq, max, limit, offset)
      : (max, limit, offset) => tables.all(read, ...turnParams(tables, wishes, { max, limit, offset })),
  };
}

/** Whether all messages are wanted but hidden ones. */
function wantsAll({ params, wanted, label, without, isHiddenShown }: Wishes): boolean {
  const [, , ...filters] = params;
  const isAny = wanted.every((texts) => texts === "[]") && isUnfiltered(filters);
  return isAny && label === null && without === null && !isHiddenShown;
}

/** As `messageScan`, but reads their numbers only. */
export function seqScan(tables: Tables, wishes: Wishes): Scan<Seq> {
  const { readSeqs } = statementsOf(wishes);
  return {
    ...commonScan(tables, wishes),
    read: (max, limit, offset) =>
      tables.all(readSeqs, ...turnParams(tables, wishes, { max, limit, offset })).map(({ seq }) => seq),
  };
}

function commonScan(tables: Tables, wishes: Wishes): Pick<Scan<unknown>, "count" | "end"> {
  const { count } = statementsOf(wishes);
  return {
    count: (max) =>
      tables.first(count, ...turnParams(tables, wishes, { max, limit: -1, offset: 0 }))?.count ?? 0,
    end: (max) => endOf(tables, wishes, max),
  };
}

function statementsOf({ label, without }: Wishes): TurnStatements {
  const source = label === null ? TURNS.all : TURNS.labelled;
  return without === null ? source.none : source.some;
}

function endOf(tables: Tables, wishes: Wishes, max: Seq): Seq | null {
  const { params, label } = wishes;
  return tables.first(statementsOf(wishes).end, params[0], max, label)?.seq ?? null;
}

function turnParams(
  tables: Tables,
  wishes: Wishes,
  { max, limit, offset }: { max: Seq; limit: number; offset: number },
) {
  const { params, wanted, label, without, isHiddenShown } = wishes;
  const [minSeq, , ...filters] = params;
  // What is left out is looked up in the full-text index for the turn as a whole, so the turn must be bounded below too.
  const from = without === null ? minSeq : (endOf(tables, wishes, max) ?? minSeq);
  const rest = [without, Number(isHiddenShown), limit, offset, label] as const;
  return [from, max, ...filters, ...wanted, ...rest] as const;
}
