import * as z from "zod";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { reach, reasonOf } from "../ports/http.ts";
import { readAs, serverApi, type ServerApi } from "../ports/server-api.ts";
import { replyText, SmtpTalk } from "../ports/smtp.ts";
import type { World } from "../ports/world.ts";
import type { Check, Machine } from "./check.ts";

/** The code in the mail. The mailbox is new, so no other mail in it has a code. */
const CODE = "482913";
const WAIT_SECONDS = 10;
const SENDER = "doctor@example.net";

const CREATED = z.object({ mailbox: z.string(), api_key: z.string() });
const FOUND = z.object({ code: z.string().nullable() });

/**
 * Creates a temporary mailbox, sends a mail to it through the server's own SMTP listener, and erases the mailbox. It is the only
 * check that writes, and runs only with `--probe`.
 */
export const probeCheck: Check<Machine> = {
  topic: "probe",
  async run(machine, world, signal) {
    const api = serverApi(machine, world, signal);
    if (api === null) return [failed("the operator key is not known, or no server that runs holds DATA_DIR")];
    const begun = world.now();
    const made = await create(api, machine);
    if (made === null) return [failed("no mailbox could be made")];
    try {
      return [await deliver(machine, world, { api, made, begun, signal })];
    } finally {
      // The doctor's own time may be over.
      await erase(machine, world, made.mailbox);
    }
  },
};

/** How long the mailbox may take to be erased, in ms. */
const ERASE_LIMIT_MS = 5_000;

async function erase(machine: Machine, world: World, mailbox: string): Promise<void> {
  const api = serverApi(machine, world, AbortSignal.timeout(ERASE_LIMIT_MS));
  await api?.(`/v1/mailboxes/${encodeURIComponent(mailbox)}`, { method: "DELETE" });
}

const failed = (why: string): Finding =>
  wrong(
    "probe.failed",
    `A mail to the server did not arrive: ${why}`,
    "journalctl -u mailkeep --since -10min",
  );

async function create(api: ServerApi, { settings }: Machine): Promise<z.output<typeof CREATED> | null> {
  const name = `doctor-${crypto.randomUUID().slice(0, 8)}`;
  const body = JSON.stringify({ address: `${name}@${settings.worker.MAIL_DOMAIN}`, kind: "temporary" });
  return readAs(await api("/v1/mailboxes", { method: "POST", body }), CREATED);
}

/** One mail on its way. */
interface Probe {
  api: ServerApi;
  made: z.output<typeof CREATED>;
  /** When the mailbox was requested, in ms since 1970. */
  begun: number;
  signal: AbortSignal;
}

async function deliver(
  machine: Machine,
  world: World,
  { api, made, begun, signal }: Probe,
): Promise<Finding> {
  const { smtpHost, smtpPort } = machine.settings;
  const madeAt = world.now();
  const refusal = await hand(world, {
    place: { host: listening(smtpHost), port: smtpPort },
    to: made.mailbox,
    signal,
  });
  if (refusal !== null) return failed(`its SMTP listener does not take it (${refusal})`);
  const takenAt = world.now();
  const headers = { Authorization: `Bearer ${made.api_key}` };
  const answer = await api(`/v1/code?timeout=${WAIT_SECONDS}`, { headers });
  if (readAs(answer, FOUND)?.code !== CODE)
    return failed(`it was taken, but its code was not found within ${WAIT_SECONDS} s`);
  const legs = [
    `mailbox made in ${madeAt - begun} ms`,
    `mail taken in ${takenAt - madeAt} ms`,
    `code found after ${world.now() - takenAt} ms`,
  ];
  return fine("probe", `A mail to the server arrives: ${legs.join(", ")}`);
}

/** A listener on all addresses (0.0.0.0, ::) is reached at loopback. */
const listening = (host: string): string => (host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host);

/** Sends the mail by SMTP. Resolves to the reason if it is not accepted, else to null. */
async function hand(
  world: World,
  { place, to, signal }: { place: { host: string; port: number }; to: string; signal: AbortSignal },
): Promise<string | null> {
  let talk: SmtpTalk | null = null;
  try {
    talk = new SmtpTalk(await reach(world, place, signal), signal);
    const greeting = await talk.reply();
    if (greeting.code !== 220) return quoted(replyText(greeting));
    const lines = [
      "EHLO doctor.invalid",
      `MAIL FROM:<${SENDER}>`,
      `RCPT TO:<${to}>`,
      "DATA",
      messageTo(to, world.now()),
    ];
    for (const line of lines) {
      const reply = await talk.say(line);
      if (reply.code >= 400) return quoted(replyText(reply));
    }
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return reasonOf(error);
  } finally {
    talk?.close();
  }
}

function messageTo(to: string, now: number): string {
  const head = [
    `From: <${SENDER}>`,
    `To: <${to}>`,
    "Subject: Your verification code",
    `Date: ${new Date(now).toUTCString()}`,
  ];
  return [...head, "", `Your verification code is ${CODE}.`, "."].join("\r\n");
}
