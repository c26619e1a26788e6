import type { EmailSummary } from "../../src/contract/message.ts";
import type { Stats } from "../../src/contract/mailbox.ts";
import type { ChangePage } from "../../src/contract/event.ts";
import type { Box, Copy, Send } from "./ledger.ts";
import { serialIn } from "./mail.ts";
import { pause } from "./pause.ts";
import type { Page } from "./reads.ts";
import { checkSend, checkSentEvents } from "./sends.ts";
import type { Hooked } from "./sinks.ts";
import { ask, compareRaw, rawOf, surely, type Stage } from "./stage.ts";

/** A temporary mailbox that is older than this may expire during an audit. */
export const AUDITED_HOURS = 60;
const PAGE = 100;
/** How long an audit waits for sends, webhooks and listeners: a retry after a kill waits for its lease. */
const SETTLE_MS = 120_000;
const LOOK_MS = 500;
/** Deleted emails that are asked for once more. */
const ASKED_DELETED = 50;

/** Compares everything of a mailbox with the ledger, once what it does by itself is done. Nothing may act on it meanwhile. */
export async function audit(stage: Stage, box: Box): Promise<void> {
  const emails = await listAll(stage, box);
  if (emails === null) return;
  const sends = [...box.sends.values()].filter(({ isDeleted }) => !isDeleted);
  await settled(stage, `sends of ${box.address}`, () => isSettled(stage, box));
  await settled(stage, `the listener of ${box.address}`, () => hasHeardAll(stage, box));
  await compareCopies(stage, box, emails);
  await compareStats(stage, box);
  for (const one of sends) await checkSentEvents(stage, box, one);
  await settled(stage, `webhooks of ${box.address}`, () => Promise.resolve(areHooked(stage, box)));
  compareHooks(stage, box);
}

/** Whether every message that a mailbox was told to send has been tried to its end. */
export function isSettled(stage: Stage, box: Box): Promise<boolean> {
  return areSent(
    stage,
    box,
    [...box.sends.values()].filter(({ isDeleted }) => !isDeleted),
  );
}

async function areSent(stage: Stage, box: Box, sends: readonly Send[]): Promise<boolean> {
  for (const one of sends) if (!(await checkSend(stage, box, one))) return false;
  return true;
}

async function settled({ ledger }: Stage, what: string, isDone: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + SETTLE_MS;
  while (performance.now() < limit) {
    if (await isDone()) return;
    await pause(LOOK_MS);
  }
  ledger.wrong(`${what}: something still waits after ${SETTLE_MS / 1_000} s`);
}

/** Every email of a mailbox, also the sent ones; null if it does not answer, which is then noted. */
async function listAll(stage: Stage, box: Box): Promise<EmailSummary[] | null> {
  const emails: EmailSummary[] = [];
  for (let cursor = ""; ;) {
    const target = `/v1/inbox?limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`;
    const told = await surely(stage, "a listing", () => ask<Page>(stage, target, { box }));
    if (told?.status !== 200) {
      stage.ledger.wrong(
        `the listing of ${box.address} answered ${told?.status}: ${JSON.stringify(told?.body)}`,
      );
      return null;
    }
    emails.push(...told.body.emails);
    if (told.body.next_cursor === null) return emails;
    cursor = told.body.next_cursor;
  }
}

async function hasHeardAll(stage: Stage, box: Box): Promise<boolean> {
  const told = await ask<ChangePage>(stage, "/v1/changes?after=0&limit=1", { box });
  // 410 names only the oldest entry.
  if (told?.status === 410) {
    const from = Number((told.body as unknown as { oldest_seq: number }).oldest_seq) - 1;
    const again = await ask<ChangePage>(stage, `/v1/changes?after=${from}&limit=1`, { box });
    return again?.status === 200 && again.body.last_seq === box.heardSeq;
  }
  return told?.status === 200 && told.body.last_seq === box.heardSeq;
}

/** Compares the mail of a mailbox with the ledger, and nothing else: for a restored backup. */
export async function auditMail(stage: Stage, box: Box): Promise<void> {
  const emails = await listAll(stage, box);
  if (emails !== null) await compareCopies(stage, box, emails);
}

/** Every acknowledged mail is there once, with the same bytes, and nothing that was deleted or that nobody sent. */
async function compareCopies(stage: Stage, box: Box, emails: readonly EmailSummary[]): Promise<void> {
  const { ledger } = stage;
  const inbound = emails.filter(({ direction }) => direction === "inbound");
  const bySerial = Map.groupBy(inbound, ({ subject }) => serialIn(subject) ?? `unknown ${subject}`);
  for (const [serial, found] of bySerial) {
    const copy = box.copies.get(serial);
    if (copy === undefined) ledger.wrong(`${box.address} holds ${serial}, which nobody sent`);
    else if (copy.isDeleted) ledger.wrong(`${box.address} holds ${serial}, which was deleted`);
    if (found.length > 1) ledger.wrong(`${box.address} holds ${serial} ${found.length} times`);
  }
  for (const [serial, copy] of box.copies) {
    const [found] = bySerial.get(serial) ?? [];
    if (copy.isDeleted || copy.mail.acknowledgedAtMs === null) continue;
    if (found === undefined) ledger.wrong(`${serial} was acknowledged, and ${box.address} does not hold it`);
    else await compareBytes(stage, box, { ...copy, id: found.id });
  }
  await askDeleted(stage, box);
}

async function askDeleted(stage: Stage, box: Box): Promise<void> {
  const deleted = [...box.copies.values()].filter(({ isDeleted, id }) => isDeleted && id !== null);
  for (const { id } of deleted.slice(-ASKED_DELETED)) {
    const told = await surely(stage, "reading a deleted email", () =>
      ask(stage, `/v1/emails/${id}`, { box }),
    );
    if (told !== null && told.status !== 404) {
      stage.ledger.wrong(`the deleted email ${id} answered ${told.status}`);
    }
  }
}

async function compareBytes(stage: Stage, box: Box, { mail, id }: Copy): Promise<void> {
  if (mail.sha256 === "") return;
  const answer = await surely(stage, "reading raw bytes", () => rawOf(stage, box, id ?? ""));
  if (answer !== null) compareRaw(stage, box, mail, answer);
}

/** The counters agree with what a listing shows. Bytes are compared where nothing was sent: a sent message counts as an estimate. */
async function compareStats(stage: Stage, box: Box): Promise<void> {
  const emails = await listAll(stage, box);
  const told = await surely(stage, "the counters", () => ask<Stats>(stage, "/v1/stats", { box }));
  if (emails === null || told?.status !== 200) return;
  const inbound = emails.filter(({ direction }) => direction === "inbound");
  const outbound = emails.length - inbound.length;
  const { body } = told;
  const said = [body.total_emails, body.inbound, body.outbound].join(" ");
  const counted = [emails.length, inbound.length, outbound].join(" ");
  if (said !== counted) {
    stage.ledger.wrong(
      `${box.address} has emails, inbound and outbound ${counted}, and its counters say ${said}`,
    );
  }
  if (outbound > 0) return;
  let bytes = 0;
  for (const { id } of inbound) {
    const raw = await surely(stage, "reading raw bytes", () => rawOf(stage, box, id));
    bytes += raw?.status === 200 ? raw.bytes.length : 0;
  }
  if (bytes !== body.storage_bytes) {
    stage.ledger.wrong(`${box.address} holds ${bytes} bytes, and storage_bytes is ${body.storage_bytes}`);
  }
}

/** The webhooks of a mailbox that were answered with 2xx. */
const takenBy = ({ webhookSink }: Stage, box: Box): Hooked[] =>
  [...(webhookSink.taken.get(box.hook ?? "")?.values() ?? [])].filter(({ isTaken }) => isTaken);

/** Whether every event that was heard came by webhook too, if the mailbox has one. */
function areHooked(stage: Stage, box: Box): boolean {
  if (box.hook === null) return true;
  const taken = new Set(takenBy(stage, box).map(({ seq }) => seq));
  return box.hookable.keys().every((seq) => taken.has(seq));
}

/** Every webhook told of the event that the listener heard under its number. */
function compareHooks(stage: Stage, box: Box): void {
  for (const { seq, what } of takenBy(stage, box)) {
    const heard = box.hookable.get(seq) ?? "nothing";
    if (heard !== what)
      stage.ledger.wrong(`webhook ${seq} of ${box.address} told of ${what}, and ${heard} was heard`);
  }
}
