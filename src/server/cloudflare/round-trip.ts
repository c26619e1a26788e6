import { randomInt } from "node:crypto";
import { Mailkeep, MailkeepError } from "../../client/index.ts";
import { Stop } from "../../host/cloudflare/failure.ts";

export interface RoundTripOptions {
  /** Address of the deployment. */
  url: string;
  /** The operator's key; null where this machine does not have it: then the mail cannot be handed over. */
  operatorKey: string | null;
  /** Sends a mail to an address through the internet; null if the trial has no way to do so. */
  sendFromOutside: ((to: string, mime: string) => Promise<boolean>) | null;
  say: (line: string) => void;
  signal: AbortSignal;
  /** Takes the place of the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Waits so many ms. */
  pause: (ms: number) => Promise<void>;
  again: string;
}

/** A new address under workers.dev can be reached everywhere within a minute or two. */
const HEALTH_TRIES = 40;
const HEALTH_PAUSE_MS = 3_000;
const INSIDE_WAIT_MS = 30_000;
/** New MX records take some time to be seen; mail servers try again after minutes. */
const OUTSIDE_WAIT_MS = 180_000;

/** The result of a round trip. */
export interface RoundTrip {
  /** Whether a mail that was handed over was read. */
  inside: boolean;
  /** Whether a mail from outside came; null where none was sent. */
  outside: boolean | null;
}

/**
 * Tries a deployment: creates a temporary mailbox, sends it a mail with a code, waits for the code, and erases the mailbox. Throws
 * a {@link Stop} if the deployment does not answer.
 */
export async function roundTrip(options: RoundTripOptions): Promise<RoundTrip> {
  const { signal, say } = options;
  await untilHealthy(options);
  const mail = await temporaryMailbox(options);
  if (mail === null) return { inside: false, outside: null };
  const address = mail.bootstrapped?.mailbox ?? "";
  say(`  temporary mailbox ${address}`);
  try {
    const inside = await hearsInside(options, mail, address);
    const outside = await hearsOutside(options, mail, address);
    return { inside, outside };
  } finally {
    await mail.mailbox.delete({ signal });
    say("  everything of it erased");
  }
}

/** Creates a temporary mailbox; null if the deployment's settings or limits do not allow one. */
async function temporaryMailbox({
  url,
  fetch,
  signal,
  say,
  again,
}: RoundTripOptions): Promise<Mailkeep | null> {
  try {
    return await Mailkeep.bootstrap({ url, signal, ...(fetch && { fetch }) });
  } catch (error) {
    if (!(error instanceof MailkeepError)) throw error;
    if (error.status === 404) say("  left out: BOOTSTRAP is off, so there are no temporary mailboxes");
    else if (error.status === 429)
      say("  left out: this address has made enough temporary mailboxes for an hour");
    else throw new Stop(`The deployment gives no temporary mailbox: ${error.message}`, again, error);
    return null;
  }
}

async function untilHealthy({
  url,
  fetch: send = fetch,
  signal,
  pause,
  again,
}: RoundTripOptions): Promise<void> {
  let last = "no answer";
  for (let tries = 0; tries < HEALTH_TRIES; tries += 1) {
    if (tries > 0) await pause(HEALTH_PAUSE_MS);
    try {
      const answer = await send(`${url}/health`, { signal });
      await answer.body?.cancel();
      if (answer.ok) return;
      last = `status ${answer.status}`;
    } catch (error) {
      if (signal.aborted) throw error;
      last = "no answer";
    }
  }
  throw new Stop(`${url}/health does not answer that it is well (${last})`, again);
}

async function hearsInside(
  { url, operatorKey, fetch, signal, say, again }: RoundTripOptions,
  mail: Mailkeep,
  address: string,
): Promise<boolean> {
  if (operatorKey === null) {
    say("  no mail handed over: this machine does not have the operator's key");
    return false;
  }
  const operator = new Mailkeep({ url, key: operatorKey, ...(fetch && { fetch }) });
  const code = newCode();
  const from = "check@mailkeep.invalid";
  try {
    await operator.inbound(messageOf({ from, to: address, code }), { from, to: [address] }, { signal });
  } catch (error) {
    if (!(error instanceof MailkeepError)) throw error;
    if (error.status !== 401) throw new Stop(`The deployment took no mail: ${error.message}`, again, error);
    say("  no mail handed over: the key of the key file is not the deployment's");
    return false;
  }
  const found = await mail.codes.wait({ timeoutMs: INSIDE_WAIT_MS, signal });
  if (found?.code !== code) {
    throw new Stop("A mail was handed over, but its code was not heard", again);
  }
  say("  a mail handed over, its code heard");
  return true;
}

async function hearsOutside(
  { sendFromOutside, signal, say }: RoundTripOptions,
  mail: Mailkeep,
  address: string,
): Promise<boolean | null> {
  if (sendFromOutside === null) return null;
  const code = newCode();
  const from = `check@${address.slice(address.lastIndexOf("@") + 1)}`;
  const since = new Date().toISOString();
  if (!(await sendFromOutside(address, messageOf({ from, to: address, code })))) {
    say("  a mail from outside was refused at once");
    return false;
  }
  const heard = await mail.codes.wait({ timeoutMs: OUTSIDE_WAIT_MS, signal, since });
  const isHeard = heard?.code === code;
  say(isHeard ? "  a mail from outside, its code heard" : "  a mail from outside did not come in time");
  return isHeard;
}

function newCode(): string {
  return String(randomInt(100_000, 1_000_000));
}

function messageOf({ from, to, code }: { from: string; to: string; code: string }): string {
  return [
    `From: Mailkeep <${from}>`,
    `To: <${to}>`,
    `Subject: Your verification code is ${code}`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${code}.${Date.now()}@${from.slice(from.indexOf("@") + 1)}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "",
    `Your verification code is ${code}.`,
    "",
  ].join("\r\n");
}
