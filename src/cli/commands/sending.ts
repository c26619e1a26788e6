import { createReadStream, statSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Api, Mailkeep } from "../../client/index.ts";
import { command, type Flags } from "../command.ts";
import type { Context } from "../context.ts";
import { usageError } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { bodyFlags, queryFlags } from "../route-flags.ts";

type Sent = Api["send"]["answer"];

const waitQuery = queryFlags("send");
const sendBody = bodyFlags("send", ["attachments", "headers"]);
const replyBody = bodyFlags("reply", ["attachments", "headers"]);
const forwardBody = bodyFlags("forward", ["attachments", "headers"]);

/** Flags of everything that sends. */
const OUTGOING = {
  attach: { type: "list", about: "A file to send along.", value: "file" },
  header: { type: "list", about: OPERATIONS.send.body["headers"]?.about ?? "", value: "Name: value" },
  "idempotency-key": {
    type: "text",
    about: "A repeat of the command with the same key sends nothing and answers the same.",
    value: "key",
  },
  ...waitQuery.flags,
} as const satisfies Flags;

const ABOUT = ["The text comes from stdin if neither --text nor --html is given, or if --text is -."];

interface Outgoing {
  attach?: string[];
  header?: string[];
  "idempotency-key"?: string;
}

/** Options of a call that sends. */
function optionsOf(context: Context, flags: Outgoing & Readonly<Record<string, unknown>>) {
  const idempotencyKey = flags["idempotency-key"];
  return {
    ...waitQuery.read(flags),
    signal: context.signal,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

/** The text, further header fields and uploaded files of a message. */
async function partsOf(
  context: Context,
  given: { text?: unknown; html?: unknown },
  flags: Outgoing,
  needsText: boolean,
) {
  const headers = headersOf(flags.header ?? []);
  const paths = flags.attach ?? [];
  for (const file of paths) checkFile(file);
  const text = await textOf(context, given, needsText);
  const attachments: { attachment_id: string }[] = [];
  for (const file of paths) {
    const { id } = await context.output.progress.during(`Uploading ${path.basename(file)}`, () =>
      upload(context.mail, file, context.signal),
    );
    attachments.push({ attachment_id: id });
  }
  return {
    ...(text === null ? {} : { text }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

async function textOf(
  context: Context,
  { text, html }: { text?: unknown; html?: unknown },
  needsText: boolean,
): Promise<string | null> {
  const isMissing = text === undefined && html === undefined && needsText;
  if (text !== "-" && !isMissing) return null;
  if (context.stdin.isTTY === true && text !== "-") {
    throw usageError("give the text with --text, or pipe it into the command", "send");
  }
  return new TextDecoder().decode(await context.readStdin("the text"));
}

/** Header fields written as `Name: value`. */
function headersOf(written: readonly string[]): Record<string, string> {
  const fields = written.map((line) => {
    const at = line.indexOf(":");
    if (at < 1) throw usageError(`--header must be "Name: value", not "${line}"`, "send");
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return Object.fromEntries(fields);
}

/** Throws unless the path names a file that can be sent. */
export function checkFile(file: string): void {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) throw usageError(`there is no file ${file}`);
  if (!status.isFile()) throw usageError(`${file} is no file`);
}

/** Uploads a file as a stream, however large it is. */
export function upload(mail: Mailkeep, file: string, signal: AbortSignal, contentType?: string) {
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
  const options = { signal, ...(contentType === undefined ? {} : { contentType }) };
  return mail.attachments.upload(
    body as unknown as globalThis.ReadableStream,
    { filename: path.basename(file) },
    options,
  );
}

function showSent({ output }: Context, sent: Sent): Promise<void> {
  const { id, status, delivery_status, hint, thread_id, sends_today, daily_send_limit } = sent;
  return output.fields(sent, {
    Id: id,
    Status: delivery_status ?? status,
    Hint: hint,
    Thread: thread_id,
    Sends: `${sends_today} of ${daily_send_limit} today`,
  });
}

const ID = { name: "id", about: "The id of an email, as `mailkeep inbox` shows it." };

export const sendingCommands = [
  command({
    name: "send",
    summary: "Send an email",
    args: [],
    flags: { ...sendBody.flags, ...OUTGOING },
    about: ABOUT,
    examples: [
      'mailkeep send --to ann@example.com --subject "Hello" --text "Hello Ann."',
      'mailkeep send --to ann@example.com --subject "Report" --attach report.pdf < body.txt',
    ],
    run: async (context, { flags }) => {
      const given = sendBody.read(flags);
      const { to, subject } = given;
      if (to === undefined || subject === undefined)
        throw usageError("send needs --to and --subject", "send");
      const parts = await partsOf(context, given, flags, true);
      const sent = await context.output.progress.during("Sending", () =>
        context.mail.send({ ...given, to, subject, ...parts }, optionsOf(context, flags)),
      );
      await showSent(context, sent);
    },
  }),
  command({
    name: "reply",
    summary: "Answer an email",
    args: [ID],
    flags: { ...replyBody.flags, ...OUTGOING },
    about: ABOUT,
    examples: ['mailkeep reply 01a202aa-8f50-7000-949b-74c43c6e0000 --text "Thank you."'],
    run: async (context, { words: [id = ""], flags }) => {
      const given = replyBody.read(flags);
      const parts = await partsOf(context, given, flags, true);
      const sent = await context.output.progress.during("Sending", () =>
        context.mail.emails.reply(id, { ...given, ...parts }, optionsOf(context, flags)),
      );
      await showSent(context, sent);
    },
  }),
  command({
    name: "forward",
    summary: "Pass an email on with its files",
    args: [ID],
    flags: { ...forwardBody.flags, ...OUTGOING },
    examples: ["mailkeep forward 01a202aa-8f50-7000-949b-74c43c6e0000 --to bob@example.com"],
    run: async (context, { words: [id = ""], flags }) => {
      const given = forwardBody.read(flags);
      const { to } = given;
      if (to === undefined) throw usageError("forward needs --to", "forward");
      const parts = await partsOf(context, given, flags, false);
      const sent = await context.output.progress.during("Sending", () =>
        context.mail.emails.forward(id, { ...given, to, ...parts }, optionsOf(context, flags)),
      );
      await showSent(context, sent);
    },
  }),
];
