import type { MailboxKey } from "../../test/served/client.ts";
import { message } from "../../test/served/messages.ts";
import { messageIdOf, send } from "../../test/served/outgoing.ts";
import { hang as hangUp } from "../../test/served/target.ts";
import { hang, say } from "../../test/transport/smtp-peer.ts";
import { sha256 } from "../../test/served/stored/reads.ts";
import type { WaitingMessage } from "../../test/served/stored/stored-data.ts";
import { upload } from "./sender.ts";
import { create, must, receive, until, type Stage } from "./stage.ts";

/** More events than are delivered to one URL at the same time, so that one is not tried yet. */
const EVENTS = 3;
/** Too large for a row, so that the interrupted upload has a blob in the bucket. */
const CUT_BYTES = 2_000_000;
const BEGUN_BYTES = 600_000;

/** Fills a mailbox with all kinds of work under way, and pauses it, so that the work stays as it is. */
export async function fillWaiting(stage: Stage): Promise<MailboxKey> {
  const box = await create(stage, "waiting");
  const file = await upload(stage, box, Buffer.from("nobody,uses,this\n"));
  stage.known.upload = { id: file.id, expires_at: file.expires_at };
  await leave(stage, box);
  await hook(stage, box);
  await beginUpload(stage, box);
  await must(stage, box.api_key, "PATCH /v1/mailbox/pause", { reason: "On holiday" });
  return box;
}

/** Four outgoing messages: two are deferred, and two wait for the relay's answer. */
async function leave(stage: Stage, box: MailboxKey): Promise<void> {
  const { around, known } = stage;
  const { relay } = around;
  around.relayWill({ on: { RCPT: say("450 4.2.1 come back later") } });
  const queued = await sendOne(stage, box, "Put off");
  // An obstacle of the relay, not of a recipient: it stays until a message is sent.
  around.relayWill({ on: { MAIL: say("530 5.7.0 authentication required") } });
  await sendOne(stage, box, "Put off by the relay");
  around.relayWill({ on: { DATA: hang } });
  const handing = await sendOne(stage, box, "Nobody asks for it");
  await until("a relay that was asked for DATA", () => relay.commands.at(-1) === "DATA");
  around.relayWill({ end: hang });
  const ending = await sendOne(stage, box, "Nobody answers");
  const isTaken = () => relay.taken.some(({ bytes }) => messageIdOf(bytes) === ending.message_id);
  await until("a relay that has all of it", isTaken);
  known.waiting = { queued, handing, ending, webhook_events: [] };
}

async function sendOne(stage: Stage, box: MailboxKey, subject: string): Promise<WaitingMessage> {
  const { service } = stage.server;
  const wait = subject.startsWith("Put off") ? 30 : 0;
  const { body } = await send(service, box, { to: "ann@elsewhere.example", subject }, { wait });
  if (body.status !== "queued") throw new Error(`It does not wait: ${JSON.stringify(body)}`);
  const raw = await service.raw(box.api_key, body.id);
  return { id: body.id, message_id: body.message_id, raw_sha256: sha256(raw) };
}

async function hook(stage: Stage, box: MailboxKey): Promise<void> {
  const { hooks, known } = stage;
  await must(stage, box.api_key, "PATCH /v1/mailbox", { webhook_url: hooks.plan("/waiting", hangUp) });
  const ids: string[] = [];
  for (let number = 1; number <= EVENTS; number += 1) {
    ids.push(await receive(stage, box.mailbox, message({ subject: `Event ${number}` })));
  }
  await until("deliveries under way", () => hooks.at("/waiting").length === EVENTS - 1);
  if (known.waiting) known.waiting.webhook_events = ids;
}

/** Starts an upload that is never completed. */
export async function beginUpload({ server }: Stage, { api_key }: MailboxKey): Promise<void> {
  const cut = server.service.call("/v1/attachments?filename=cut.bin", {
    key: api_key,
    body: Buffer.alloc(BEGUN_BYTES, "cut"),
    headers: { "Content-Type": "application/octet-stream", "Content-Length": CUT_BYTES },
    keepOpen: true,
  });
  // The server is killed before it answers.
  cut.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 500));
}
