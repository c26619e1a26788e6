import { writeCursor } from "../../../src/mailbox/page.ts";
import type { Box } from "../workbench.ts";
import { CJK, COMMON, EVERYWHERE, HALF, SENDER, serialOf } from "./mails.ts";

/** A filled mailbox. */
export interface Deep {
  box: Box;
  count: number;
  /** Cursor of an inbox page in the middle of its age. */
  middle: string;
  middleTime: string;
  /** Number of the event in the middle of its log. */
  middleEvent: number;
}

/** An operation that is measured in both mailboxes. */
export interface Operation {
  name: string;
  /** The requests, in turn: more than the pages that a mailbox caches. */
  paths: (deep: Deep) => readonly string[];
  reason: string | null;
}

const PAGE = 20;
const VARIANTS = 6;
/** The same request with several page sizes, so that none is answered from the cache. */
const sizes = (path: string): string[] =>
  Array.from(
    { length: VARIANTS },
    (_, more) => `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE + more}`,
  );
const search = (query: string, more = ""): string[] =>
  sizes(`/v1/search?mode=keyword&q=${encodeURIComponent(query)}${more}`);
const FEW_MATCHES = "it looks for the 300 matches that it ranks, of which the small mailbox has 100";
const EVERY_MAIL = "it looks at every mail";

/** The operations that are measured. Each does the same work in a mailbox of any size, unless it states a reason. */
export const OPERATIONS: readonly Operation[] = [
  { name: "inbox", paths: () => sizes("/v1/inbox"), reason: null },
  { name: "inbox, deep cursor", paths: ({ middle }) => sizes(`/v1/inbox?cursor=${middle}`), reason: null },
  { name: "inbox of a label", paths: () => sizes("/v1/inbox?label=code"), reason: null },
  {
    name: "inbox of a label, deep cursor",
    paths: ({ middle }) => sizes(`/v1/inbox?label=code&cursor=${middle}`),
    reason: null,
  },
  { name: "inbox of a sender (1 %)", paths: () => sizes(`/v1/inbox?from=${SENDER}`), reason: null },
  {
    name: "inbox until a time",
    paths: ({ middleTime }) => sizes(`/v1/inbox?until=${middleTime}`),
    reason: null,
  },
  { name: "inbox of an unknown sender", paths: () => sizes("/v1/inbox?from=nobody"), reason: EVERY_MAIL },
  { name: "email by id", paths: ({ box }) => box.ids.map((id) => `/v1/emails/${id}`), reason: null },
  { name: "search, a word in 1 %", paths: () => search(COMMON), reason: null },
  { name: "search, a word in all", paths: () => search(EVERYWHERE), reason: null },
  {
    name: "search, a word in all, deep cursor",
    paths: ({ box }) => search(EVERYWHERE, `&cursor=${deepSearch(box)}`),
    reason: null,
  },
  { name: "search, two words in every second", paths: () => search(HALF.join(" ")), reason: null },
  { name: "search, two Chinese characters in 1 %", paths: () => search(CJK), reason: null },
  { name: "search, a word in one mail", paths: ({ count }) => search(serialOf(count / 2)), reason: null },
  {
    name: "search, a word in all and a label of 1 %",
    paths: () => search(`${EVERYWHERE} label:code`),
    reason: FEW_MATCHES,
  },
  {
    name: "search, a word in all and a sender of 1 %",
    paths: () => search(`${EVERYWHERE} from:${SENDER}`),
    reason: FEW_MATCHES,
  },
  {
    name: "search, a word until a time",
    paths: ({ middleTime }) => search(COMMON, `&until=${middleTime}`),
    reason: null,
  },
  { name: "search, a label", paths: () => search("label:code"), reason: null },
  { name: "changes", paths: () => sizes("/v1/changes?after=0"), reason: null },
  {
    name: "changes, from the middle",
    paths: ({ middleEvent }) => sizes(`/v1/changes?after=${middleEvent}`),
    reason: null,
  },
  {
    name: "changes of a kind that there is not",
    paths: () => sizes("/v1/changes?after=0&types=message.bounced"),
    reason: "it looks at every event",
  },
  { name: "threads", paths: () => sizes("/v1/threads"), reason: null },
  {
    name: "threads, deep cursor",
    paths: ({ box }) => sizes(`/v1/threads?cursor=${writeCursor(seqOf(box, 1), seqOf(box, 0.5))}`),
    reason: null,
  },
  { name: "thread of 1 %", paths: ({ box }) => sizes(`/v1/threads/${box.ids[0] ?? ""}`), reason: null },
  { name: "code", paths: () => ["/v1/code?timeout=1"], reason: null },
  { name: "stats", paths: () => ["/v1/stats"], reason: null },
];

/** The number in an id, of the mail at this share of the mailbox's age. */
export function seqOf({ ids }: Box, share: number): number {
  const id = ids[Math.min(ids.length - 1, Math.floor(ids.length * share))] ?? "";
  const [high = "", low = "", counter = ""] = id.split("-");
  return parseInt(high + low, 16) * 2_048 + (parseInt(counter, 16) & 0xfff);
}

/** The cursor of a search page in the middle of the mailbox's age. */
function deepSearch(box: Box): string {
  return writeCursor(seqOf(box, 1), 0, seqOf(box, 0.5));
}
