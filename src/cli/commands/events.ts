import type { Api, EventKind } from "../../client/api.ts";
import { newestSeq } from "../../client/events.ts";
import { command, type Flags } from "../command.ts";
import type { Context } from "../context.ts";
import { usageError, type ExitCode } from "../exit.ts";
import { EVENT_KINDS, WEBHOOK_KINDS, OPERATIONS } from "../operations.ts";
import { TIME_FORMS } from "../time.ts";
import type { ForwardRequest } from "../listen/listen.ts";

type Change = Api["changes"]["answer"]["events"][number];

const TYPES = {
  types: {
    type: "text",
    about: `${OPERATIONS.changes.query["types"]?.about ?? ""} There are ${EVENT_KINDS.join(", ")}.`,
    value: "kinds",
  },
} as const satisfies Flags;

const SINCE = {
  since: { type: "text", about: `Begin at ${TIME_FORMS}, or \`start\`.`, value: "time" },
} as const;

/** The kinds that were typed. Throws a usage error for an unknown one. */
function kindsOf(text: string | undefined): EventKind[] | undefined {
  if (text === undefined) return undefined;
  return text.split(",").map((name) => {
    const kind = EVENT_KINDS.find((one) => one === name.trim());
    if (kind === undefined)
      throw usageError(`--types: there is no event "${name}"; there are ${EVENT_KINDS.join(", ")}`);
    return kind;
  });
}

async function show({ output }: Context, change: Change): Promise<void> {
  await output.value(change, () => {
    const { seq, event, at, data } = change;
    return [
      `${output.paint("dim", at)} ${output.paint("cyan", event)} ${seq}  ${output.safe(data.from)}: ${output.safe(data.subject)}`,
    ];
  });
}

/** Prints events: those of the log after `after`, and unless `follow` is false those that happen from then on. */
async function printEvents(
  context: Context,
  { after, types, follow }: { after: number; types: EventKind[] | undefined; follow: boolean },
): Promise<void> {
  const { mail, signal } = context;
  const last = follow ? Infinity : await newestSeq(mail.changes, { signal });
  if (after >= last) return;
  if (follow) {
    for await (const change of mail.events({ after, types, signal })) await show(context, change);
    return;
  }
  for (let seen = after; seen < last;) {
    const { events, last_seq } = await mail.changes({ after: seen, types, limit: 100 }, { signal });
    for (const change of events) await show(context, change);
    seen = events.at(-1)?.seq ?? last_seq;
  }
}

/** Where events begin: after a number, at a time, or now. */
async function startOf(
  { mail, signal }: Context,
  after: number | undefined,
  since: string | undefined,
): Promise<number> {
  if (after !== undefined && since !== undefined)
    throw usageError("give either --after or --since", "events");
  if (after !== undefined) return after;
  if (since === undefined) return newestSeq(mail.changes, { signal });
  const { seqBefore } = await import("../listen/since.ts");
  return seqBefore(mail, since, signal);
}

/** A number of the log, or two with a hyphen between them. */
function rangeOf(text: string): { first: number; last: number } {
  const [, first, last = first] = /^([1-9]\d{0,14})(?:-([1-9]\d{0,14}))?$/.exec(text) ?? [];
  if (first === undefined || Number(last) < Number(first)) {
    throw usageError(`--replay must be the seq of an event such as 17, or a range such as 17-20`, "listen");
  }
  return { first: Number(first), last: Number(last) };
}

async function forward(
  context: Context,
  request: ForwardRequest,
  replay: string | undefined,
): Promise<ExitCode> {
  const { checkTarget, forwardEvents, replayEvents } = await import("../listen/listen.ts");
  const checked = { ...request, url: checkTarget(request.url) };
  return replay === undefined
    ? forwardEvents(context, checked)
    : replayEvents(context, checked, rangeOf(replay));
}

export const eventCommands = [
  command({
    name: "events",
    summary: "Print what happens in the mailbox, as it happens",
    args: [],
    flags: {
      ...TYPES,
      ...SINCE,
      after: { type: "integer", about: OPERATIONS.changes.query["after"]?.about ?? "", value: "seq" },
      follow: { type: "switch", about: "Go on when the end of the log is reached; --no-follow ends there." },
    },
    examples: ["mailkeep events --types message.received", "mailkeep events --after 0 --no-follow"],
    run: async (context, { flags }) => {
      const types = kindsOf(flags.types);
      const after = await startOf(context, flags.after, flags.since);
      await printEvents(context, { after, types, follow: flags.follow !== false });
    },
  }),
  command({
    name: "listen",
    summary: "Pass events on to a program on this machine, as webhooks would",
    args: [],
    flags: {
      forward: {
        type: "text",
        about: "Where to post them, such as http://localhost:3000/hook.",
        value: "url",
      },
      ...TYPES,
      ...SINCE,
      replay: {
        type: "text",
        about: "Forward only this event, or a range such as 17-20, once more, and end.",
        value: "seq",
      },
    },
    about: [
      "Each event is posted with the body, headers and signatures of a webhook, and tried four times as a webhook is. It needs no",
      "public address. The next run continues at the first event that was not delivered.",
      "The first line on stderr is the secret that signs: a new one for each URL, or MAILKEEP_WEBHOOK_SECRET.",
      "Without --forward the events are printed.",
    ],
    examples: [
      "mailkeep listen --forward http://localhost:3000/hook",
      "mailkeep listen --forward http://localhost:3000/hook --replay 17",
    ],
    run: async (context, { flags }) => {
      const kinds = kindsOf(flags.types);
      const { since, replay } = flags;
      if (flags.forward === undefined) {
        if (replay !== undefined) throw usageError("--replay needs --forward", "listen");
        const after = await startOf(context, undefined, since);
        return printEvents(context, { after, types: kinds, follow: true });
      }
      const types = kinds ?? [...WEBHOOK_KINDS];
      const strange = types.find((kind) => !WEBHOOK_KINDS.includes(kind));
      if (strange !== undefined) throw usageError(`--types: webhooks do not deliver ${strange}`, "listen");
      return forward(context, { url: flags.forward, types, since }, replay);
    },
  }),
];
