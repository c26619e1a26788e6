import type { Change, ChangePage } from "../../src/contract/event.ts";
import { EventSocket } from "../../test/served/event-socket.ts";
import type { Box } from "./ledger.ts";
import { serialIn } from "./mail.ts";
import { pause, unlessAborted } from "./pause.ts";
import { ask, type Stage } from "./stage.ts";

/** The service erases a temporary mailbox after 72 hours; the clock may be stepped back by one. */
const ERASED_HOURS = 71;
const POLL_SECONDS = 20;
const PAGE = 100;
const RECONNECT_MS = 200;
/** The kinds of events that webhooks bring. */
const HOOKED: readonly string[] = ["message.received", "message.delivered", "message.bounced"];
/** A stream ends after 25 seconds; a busy machine is given some more. */
const HELD_MS = 40_000;

/** Listens to a mailbox until it is erased or `over` is aborted: by streams, or by long-polls. */
export async function listen(
  stage: Stage,
  box: Box,
  over: AbortSignal,
  way: "stream" | "poll",
): Promise<void> {
  const turn = way === "stream" ? streamed : polled;
  while (!over.aborted && (await turn(stage, box, over))) await pause(RECONNECT_MS);
}

/** Hears one stream to its end; false if the mailbox is gone. */
async function streamed(stage: Stage, box: Box, over: AbortSignal): Promise<boolean> {
  const { server, ledger } = stage;
  const { url } = server.service;
  const socket = EventSocket.listen(url, box.key, { lastEventId: box.heardSeq });
  const drop = (): void => socket.drop();
  over.addEventListener("abort", drop);
  try {
    let taken = 0;
    const hasMore = (): boolean => socket.frames.length > taken || socket.isWhole || socket.closedMs !== null;
    while (!socket.isWhole && socket.closedMs === null) {
      await socket.until(hasMore, HELD_MS);
      for (; taken < socket.frames.length; taken += 1) {
        const frame = socket.frames[taken];
        if (frame !== undefined) hear(stage, box, { seq: frame.id, event: frame.event, data: frame.data });
      }
    }
  } catch {
    if (server.isCalmSince(socket.openedMs))
      ledger.wrong(`a stream was held for more than ${HELD_MS / 1_000} s`);
  } finally {
    over.removeEventListener("abort", drop);
    socket.drop();
  }
  return goesOn(stage, box, socket.status);
}

/** Asks once for changes; false if the mailbox is gone. */
async function polled(stage: Stage, box: Box, over: AbortSignal): Promise<boolean> {
  const target = `/v1/changes?after=${box.heardSeq}&wait=${POLL_SECONDS}&limit=${PAGE}`;
  const told = await unlessAborted(over, ask<ChangePage>(stage, target, { box }));
  if (told?.status !== 200) return goesOn(stage, box, told?.status ?? 0);
  for (const change of told.body.events) {
    if (change.prev_seq !== box.heardSeq) {
      stage.ledger.wrong(
        `event ${change.seq} of ${box.address} follows ${change.prev_seq}, not ${box.heardSeq}`,
      );
    }
    hear(stage, box, change);
  }
  return true;
}

function goesOn({ ledger }: Stage, box: Box, status: number): boolean {
  if (status < 400 || status >= 500 || status === 429) return true;
  const isErased = box.isRetired || ledger.isOlder(box, ERASED_HOURS);
  if (!isErased) ledger.wrong(`a listener of ${box.address} was answered ${status}`);
  return false;
}

/** An event, as a stream or a long-poll brought it. */
interface Heard {
  seq: number;
  event: string;
  data: Pick<Partial<Change["data"]>, "email_id" | "subject">;
}

/** Notes an event: each comes once and in order, and each tells of something that the ledger knows. */
function hear({ ledger }: Stage, box: Box, { seq, event, data }: Heard): void {
  if (seq !== box.heardSeq + 1) ledger.wrong(`${box.address} heard event ${seq} after ${box.heardSeq}`);
  box.heardSeq = seq;
  ledger.count("heard");
  const { email_id: id = "", subject = "" } = data;
  const key = `${event} ${id}`;
  box.heard.set(key, (box.heard.get(key) ?? 0) + 1);
  if (HOOKED.includes(event)) box.hookable.set(seq, key);
  if (event !== "message.received") return;
  const serial = serialIn(subject) ?? "";
  const copy = box.copies.get(serial);
  if (copy === undefined)
    ledger.wrong(`${box.address} received ${JSON.stringify(subject)}, which nobody sent`);
  else if (copy.id !== null) ledger.wrong(`${serial} was received twice by ${box.address}`);
  else copy.id = id;
}
