import type { Api } from "../../client/index.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { usageError } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { queryFlags } from "../route-flags.ts";
import type { Column } from "../terminal/table.ts";
import { shownTime } from "../time.ts";

type Rules = Api["getRules"]["answer"];
type Receive = Rules["receive"];
type Refused = Api["listRefused"]["answer"]["refused"][number];

const MODES = ["everyone", "listed", "verified"] as const;
const MATCHES = { name: "match...", about: "An address, a domain, or `*.` and a domain.", isRepeated: true };

const refusedQuery = queryFlags("listRefused", ["cursor"]);
const REFUSED_COLUMNS: readonly Column<Refused>[] = [
  { title: "ID", of: ({ id }) => id, style: "dim" },
  { title: "RECEIVED", of: ({ received_at }) => shownTime(received_at) },
  { title: "FROM", of: ({ from_address }) => from_address, flexible: true },
  { title: "PROVEN", of: ({ sender_verified }) => (sender_verified ? "yes" : "no") },
  { title: "REASON", of: ({ reason }) => reason },
  { title: "SUBJECT", of: ({ subject }) => subject, flexible: true },
];

/** Prints the rules: the mode, then one row for each entry. */
async function show({ output }: Context, { receive, changes }: Rules): Promise<void> {
  const { mode, allow, block } = receive;
  await output.value({ receive, changes }, () => [
    `Mode: ${mode}`,
    ...block.map(({ match }) => `block  ${match}`),
    ...allow.map(
      ({ match, unverified }) => `allow  ${match}${unverified === true ? " (even unproven)" : ""}`,
    ),
  ]);
}

/** Reads the rules, changes them and writes them back. Of two calls at the same time, the later one wins. */
async function change(context: Context, changed: (receive: Receive) => Receive): Promise<void> {
  const { mail, signal } = context;
  const { receive } = await mail.rules.get({ signal });
  await show(context, await mail.rules.put({ receive: changed(receive) }, { signal }));
}

/** The rules without these entries, however they are written. */
function without({ mode, allow, block }: Receive, matches: readonly string[]): Receive {
  const gone = new Set(matches.map((match) => match.toLowerCase()));
  const stays = ({ match }: { match: string }): boolean => !gone.has(match);
  return { mode, allow: allow.filter(stays), block: block.filter(stays) };
}

export const ruleCommands = [
  command({
    name: "rules",
    summary: OPERATIONS.getRules.summary,
    args: [],
    flags: {},
    examples: ["mailkeep rules"],
    run: async (context) => show(context, await context.mail.rules.get({ signal: context.signal })),
  }),
  command({
    name: "rules mode",
    summary: "Let in everyone, only senders that are listed, or only those that are proven",
    args: [{ name: "mode", about: "`everyone`, `listed` or `verified`." }],
    flags: {},
    examples: ["mailkeep rules mode verified"],
    run: async (context, { words: [word] }) => {
      const mode = MODES.find((known) => known === word);
      if (mode === undefined) throw usageError(`mode must be one of ${MODES.join(", ")}`, "rules mode");
      await change(context, (receive) => ({ ...receive, mode }));
    },
  }),
  command({
    name: "rules allow",
    summary: "Let in a sender whose domain is proven",
    args: [MATCHES],
    flags: {
      unverified: { type: "switch", about: "Let the sender in even if the mail does not prove its domain." },
    },
    examples: ["mailkeep rules allow billing@shop.example", "mailkeep rules allow '*.shop.example'"],
    run: async (context, { words, flags: { unverified = false } }) =>
      change(context, (receive) => {
        const others = without(receive, words);
        return { ...others, allow: [...others.allow, ...words.map((match) => ({ match, unverified }))] };
      }),
  }),
  command({
    name: "rules block",
    summary: "Refuse a sender",
    args: [MATCHES],
    flags: {},
    examples: ["mailkeep rules block '*.ads.example'"],
    run: async (context, { words }) =>
      change(context, (receive) => {
        const others = without(receive, words);
        return { ...others, block: [...others.block, ...words.map((match) => ({ match }))] };
      }),
  }),
  command({
    name: "rules remove",
    summary: "Remove entries from both lists",
    args: [MATCHES],
    flags: {},
    examples: ["mailkeep rules remove billing@shop.example"],
    run: async (context, { words }) => change(context, (receive) => without(receive, words)),
  }),
  command({
    name: "refused",
    summary: OPERATIONS.listRefused.summary,
    args: [],
    flags: refusedQuery.flags,
    examples: ["mailkeep refused"],
    run: async ({ mail, output, signal }, { flags }) => {
      const { refused } = await mail.refused.list(refusedQuery.read(flags), { signal });
      await output.rows(refused, REFUSED_COLUMNS, "No refused mail.");
    },
  }),
  command({
    name: "refused release",
    summary: OPERATIONS.releaseRefused.summary,
    args: [{ name: "id", about: "The id of a refused mail, as `mailkeep refused` shows it." }],
    flags: {},
    examples: ["mailkeep refused release 01a202aa-8f50-7a11-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const email = await mail.refused.release(id, { signal });
      await output.fields(email, { Id: email.id, From: email.from_address, Subject: email.subject });
    },
  }),
  command({
    name: "refused delete",
    summary: OPERATIONS.deleteRefused.summary,
    args: [{ name: "id", about: "The id of a refused mail, as `mailkeep refused` shows it." }],
    flags: {},
    examples: ["mailkeep refused delete 01a202aa-8f50-7a11-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) =>
      output.value(await mail.refused.delete(id, { signal }), () => ["Deleted."]),
  }),
];
