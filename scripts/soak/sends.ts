import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import type { Box, Send } from "./ledger.ts";
import { subjectOf } from "./mail.ts";
import type { Random } from "./random.ts";
import { RECIPIENT_KINDS } from "./sinks.ts";
import { ask, surely, type Stage } from "./stage.ts";

const SINK_DOMAIN = "elsewhere.example";
/** An Idempotency-Key is kept for 24 hours; repeats that last nearly so long may make a second send. */
const KEPT_MS = 22 * 3_600_000;

const kindFor = (random: Random): string =>
  RECIPIENT_KINDS.charAt(random.whole(0, RECIPIENT_KINDS.length - 1));

/** Sends a message to recipients at the sink, and sometimes to another mailbox here. */
export async function send(stage: Stage, random: Random): Promise<void> {
  const { ledger } = stage;
  const open = ledger.open("permanent");
  const box = random.pick(open);
  if (box === undefined) return;
  const other = random.chance(0.25) ? random.pick(open.filter((one) => one !== box)) : undefined;
  const held = other === undefined ? [box] : [box, other];
  await ledger.holding(held, () => sendFrom(stage, random, { box, other }));
  ledger.count("sent");
}

async function sendFrom(
  stage: Stage,
  random: Random,
  { box, other }: { box: Box; other: Box | undefined },
): Promise<void> {
  const { clock, ledger } = stage;
  const serial = ledger.newSerial("s");
  const outside = Array.from(
    { length: random.whole(1, 2) },
    (_, index) => `${serial}x${index}${kindFor(random)}@${SINK_DOMAIN}`,
  );
  const recipients = other === undefined ? outside : [...outside, other.address];
  const plan = { serial, from: box.address, to: recipients, textBytes: 0, fileBytes: 0, code: null };
  const mail = { plan, sha256: "", sizeBytes: 0, acknowledgedAtMs: null as number | null };
  other?.copies.set(serial, { mail, id: null, isDeleted: false });
  const json = {
    to: recipients,
    subject: subjectOf(serial),
    text: `Message ${serial}\n`.repeat(random.whole(1, 200)),
  };
  const headers = { "Idempotency-Key": `soak-${serial}` };
  const beganMs = clock.now();
  const told = await surely(stage, "a send", () =>
    ask<Sent>(stage, `/v1/send?wait=${random.whole(0, 2)}`, { box, json, headers }),
  );
  if (told === null) return;
  if (told.status !== 200) {
    ledger.wrong(`a send answered ${told.status}: ${JSON.stringify(told.body)}`);
    return;
  }
  const acceptedAtMs = clock.now();
  mail.acknowledgedAtMs = acceptedAtMs;
  const isExcused = acceptedAtMs - beganMs > KEPT_MS;
  box.sends.set(serial, { serial, id: told.body.id, recipients, acceptedAtMs, isExcused, isDeleted: false });
}

/**
 * Compares the states of a sent message with what the sink took: `sent` is exactly once, `unknown` at most once, anything
 * else never. False if a recipient still waits, or the server did not answer.
 */
export async function checkSend(stage: Stage, box: Box, one: Send): Promise<boolean> {
  const { ledger } = stage;
  const told = await ask<Email>(stage, `/v1/emails/${one.id}`, { box });
  if (told === null) return false;
  if (told.status !== 200) {
    ledger.wrong(`the sent message ${one.serial} answered ${told.status}`);
    return true;
  }
  const { delivery } = told.body;
  if (delivery.some(({ status }) => status === "queued")) return false;
  if (delivery.length !== one.recipients.length) {
    ledger.wrong(`${one.serial} has ${delivery.length} recipients`);
  }
  for (const recipient of delivery) compareRecipient(stage, one, recipient);
  return true;
}

function compareRecipient(
  { ledger, smtpSink }: Stage,
  one: Send,
  { recipient, status }: Email["delivery"][number],
): void {
  if (!recipient.endsWith(SINK_DOMAIN)) {
    if (status !== "delivered") ledger.wrong(`${one.serial} to ${recipient} inside is ${status}`);
    return;
  }
  const taken = smtpSink.taken.get(recipient) ?? [];
  if (one.isExcused || RIGHT[status]?.includes(taken.length) === true) return;
  ledger.wrong(`${recipient} is ${status}, and the sink took it as ${taken.join(" ") || "nothing"}`);
}

/** How often the sink may have taken a message for a recipient in a state. */
const RIGHT: Readonly<Record<string, readonly number[]>> = {
  sent: [1],
  unknown: [0, 1],
  bounced: [0],
};

/** The events of a message that its states promise: `message.sent` once, and one for each recipient that refused it. */
export async function checkSentEvents(stage: Stage, box: Box, one: Send): Promise<void> {
  const told = await ask<Email>(stage, `/v1/emails/${one.id}`, { box });
  if (told?.status !== 200) return;
  const inStates = (...states: string[]): number =>
    told.body.delivery.filter(({ status }) => states.includes(status)).length;
  const expected = {
    "message.sent": Math.min(1, inStates("sent", "delivered")),
    "message.delivered": inStates("delivered"),
    "message.bounced": inStates("bounced"),
  };
  for (const [kind, count] of Object.entries(expected)) {
    const heard = box.heard.get(`${kind} ${one.id}`) ?? 0;
    if (heard !== count)
      stage.ledger.wrong(`${heard} events ${kind} of ${one.serial} were heard, not ${count}`);
  }
}
