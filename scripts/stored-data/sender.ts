import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import type { Upload } from "../../src/contract/upload.ts";
import type { MailboxKey, Told } from "../../test/served/client.ts";
import { copies, reading, send } from "../../test/served/outgoing.ts";
import { deliver } from "../../test/served/smtp.ts";
import { close, say } from "../../test/transport/smtp-peer.ts";
import { bounce, complaint, GARDEN } from "./mails.ts";
import { create, must, receive, type Stage } from "./stage.ts";

const WAIT_SECONDS = 30;

/** Creates the mailbox that mostly sends, while its deployment has no transport yet. */
export async function fillKept(stage: Stage): Promise<MailboxKey> {
  const box = await create(stage, "sender");
  const mail = { to: "far@elsewhere.example", subject: "Kept here" };
  await sendAs(stage, box, mail, "sent");
  return box;
}

/** Sends through the relay, with a recipient for each possible state. */
export async function fillSender(stage: Stage, box: MailboxKey, inside: string): Promise<void> {
  const { around, known } = stage;
  await sendFiles(stage, box);
  await sendAs(stage, box, { to: inside, subject: "To a mailbox of the deployment" }, "delivered");
  // The relay offers no SMTPUTF8.
  await sendAs(stage, box, { to: "grüße@elsewhere.example", subject: "Impossible" }, "failed");
  around.relayWill({ on: { RCPT: say("550 5.1.1 no such user") } });
  await sendAs(stage, box, { to: "nobody@elsewhere.example", subject: "Bounced at once" }, "bounced");
  known.suppressed = "nobody@elsewhere.example";
  around.relayWill({ end: close });
  await sendAs(stage, box, { to: "silent@elsewhere.example", subject: "Unknown" }, "unknown");
  around.relayWill({});
  await report(stage, box, { to: "gone@elsewhere.example", mail: bounce, status: "bounced" });
  await report(stage, box, { to: "cross@elsewhere.example", mail: complaint, status: "complained" });
  await answerAndForward(stage, box);
  await sendKeyed(stage, box);
}

async function sendAs(stage: Stage, box: MailboxKey, mail: object, status: string): Promise<Sent> {
  const sent = await send(stage.server.service, box, { ...mail }, { wait: WAIT_SECONDS });
  return statusIs(sent, status);
}

function statusIs({ body }: Told<Sent>, status: string): Sent {
  if (body.delivery_status !== status) throw new Error(`Not ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Uploads a file. */
export async function upload({ server }: Stage, { api_key }: MailboxKey, bytes: Buffer): Promise<Upload> {
  const { status, body } = await server.service.ask<Upload>("/v1/attachments?filename=list.csv", {
    key: api_key,
    body: bytes,
    headers: { "Content-Type": "text/csv" },
  });
  if (status !== 201) throw new Error(`The upload was refused: ${JSON.stringify(body)}`);
  return body;
}

async function sendFiles(stage: Stage, box: MailboxKey): Promise<void> {
  const file = await upload(stage, box, Buffer.from("plant,rows\nbeans,2\nzucchini,1\n"));
  const inline = { filename: "note.txt", content: Buffer.from("Inline.\n").toString("base64") };
  const mail = {
    to: ["Ann <ann@elsewhere.example>", "ben@elsewhere.example"],
    cc: "cleo@elsewhere.example",
    bcc: "hidden@elsewhere.example",
    reply_to: "answers@elsewhere.example",
    subject: "Zażółć: the list",
    text: "Here it is.\r\n.\r\n",
    html: "<p>Here <b>it</b> is.</p>",
    headers: { "X-Season": "spring" },
    attachments: [{ attachment_id: file.id }, inline],
  };
  await sendAs(stage, box, mail, "sent");
}

/** Sends a message, and delivers a report about it. */
async function report(
  stage: Stage,
  box: MailboxKey,
  { to, mail, status }: { to: string; mail: (recipient: string) => Uint8Array; status: string },
): Promise<void> {
  const { server, around } = stage;
  const sent = await sendAs(stage, box, { to, subject: `Will be ${status}` }, "sent");
  const [copy] = copies(around.relay, sent.message_id);
  const from = copy?.commands.find((line) => line.startsWith("MAIL FROM:<")) ?? "";
  const returnPath = /<([^>]*)>/.exec(from)?.[1] ?? "";
  await deliver(server.smtpPort, { from: "", to: [returnPath], bytes: mail(to) });
  await reading(server.service, box, sent.id, (email: Email) => email.status === status);
}

async function answerAndForward(stage: Stage, box: MailboxKey): Promise<void> {
  const [question] = GARDEN;
  const id = await receive(stage, box.mailbox, question ?? Buffer.alloc(0));
  const answer = { text: "Beans, please.", headers: { "X-Season": "spring" } };
  await must(stage, box.api_key, `POST /v1/emails/${id}/reply?wait=${WAIT_SECONDS}`, answer);
  const forward = { to: "cleo@elsewhere.example", text: "What do you think?" };
  await must(stage, box.api_key, `POST /v1/emails/${id}/forward?wait=${WAIT_SECONDS}`, forward);
}

async function sendKeyed(stage: Stage, box: MailboxKey): Promise<void> {
  const body = { to: "ann@elsewhere.example", subject: "Once only", text: "Whatever happens." };
  const key = "once-only-0123456789abcdef";
  const sent = await send(stage.server.service, box, body, { wait: WAIT_SECONDS, key });
  const { id } = statusIs(sent, "sent");
  stage.known.keyed = { key, body, id, at: new Date().toISOString() };
}
