// The promises of the SDK, in one file that runs unmodified in every runtime that it supports: nothing here is of Node or of a browser.
import {
  Mailkeep,
  MailkeepError,
  type SignatureError,
  verifyWebhook,
  type Change,
  type Email,
} from "../../src/client/index.ts";

/** A running deployment, and what the runtime can. */
export interface Place {
  url: string;
  /** The operator's key. */
  operator: string;
  /** Whether the runtime sends a stream before it has all of it; browsers do so over HTTP/2 alone. */
  sendsStreams: boolean;
}

/** The result of a check: null, or its error. */
export type Results = Record<string, string | null>;

const checks: Record<string, (place: Place) => Promise<void>> = {
  "makes a mailbox, and waits for the code of a mail that comes": async (place) => {
    const mail = await Mailkeep.bootstrap({ url: place.url });
    const waiting = mail.codes.wait({ from: "shop.example", timeoutMs: 30_000 });
    await deliver(place, mail, { subject: "Your code", text: "Your verification code is 482913." });
    const found = await waiting;
    equal(found?.code, "482913");
    equal(found?.subject, "Your code");
    equal(await mail.codes.wait({ from: "nobody.example", timeoutMs: 50 }), null);
  },

  "lists what came: a page, all items, and page by page": async (place) => {
    const mail = await Mailkeep.bootstrap({ url: place.url });
    for (const number of [1, 2, 3, 4, 5]) await deliver(place, mail, { subject: `Mail ${number}` });
    const all = ["Mail 5", "Mail 4", "Mail 3", "Mail 2", "Mail 1"];
    equal((await mail.inbox.list({ limit: 2 })).emails.length, 2);
    const subjects: string[] = [];
    for await (const { subject } of mail.inbox.list({ limit: 2 })) subjects.push(subject);
    equal(subjects, all);
    const sizes: number[] = [];
    for await (const { emails } of mail.inbox.list({ limit: 2 }).pages()) sizes.push(emails.length);
    equal(sizes, [2, 2, 1]);
  },

  "reads an email, and the message as it came": async (place) => {
    const mail = await Mailkeep.bootstrap({ url: place.url });
    await deliver(place, mail, { subject: "Grüße", text: "Hello." });
    const [summary] = (await mail.inbox.list()).emails;
    const email: Email = await mail.emails.get(summary?.id ?? "");
    equal(email.subject, "Grüße");
    const raw = await (await mail.emails.raw(email.id)).text();
    equal(raw.includes("Subject: Grüße\r\n"), true);
  },

  "says what was wrong, and what to do next": async ({ url }) => {
    const mail = await Mailkeep.bootstrap({ url });
    const refused = await failure(mail.inbox.list({ limit: 0 }));
    equal(refused instanceof MailkeepError, true);
    const { status, code, field, retryable, fix, requestId } = refused as MailkeepError;
    equal(
      { status, code, field, retryable },
      { status: 400, code: "invalid", field: "limit", retryable: false },
    );
    equal(fix, "Correct `limit`, then repeat the call.");
    equal(/^[0-9a-f-]{36}$/.test(requestId ?? ""), true);
    equal(((await failure(mail.emails.get("1"))) as MailkeepError).code, "not_found");
  },

  "sends once, however often it asks": async (place) => {
    const mail = await permanent(place);
    const message = { to: "bob@elsewhere.example", subject: "Hello", text: "Hello Bob." };
    const [first, second] = [
      await mail.send(message, { idempotencyKey: "greeting" }),
      await mail.send(message, { idempotencyKey: "greeting" }),
    ];
    equal(second.id, first.id);
    const other = await mail.send(message);
    equal(other.id === first.id, false);
    equal((await mail.mailbox.stats()).outbound, 2);
  },

  "brings events as they happen, each once, and goes on at a number": async (place) => {
    const mail = await Mailkeep.bootstrap({ url: place.url });
    const controller = new AbortController();
    // From the beginning: a mail could overtake a call that asks where the log ends now.
    const events = mail.events({ after: 0, types: ["message.received"], signal: controller.signal });
    const first = events.next();
    for (const number of [1, 2, 3]) await deliver(place, mail, { subject: `Mail ${number}` });
    const got = [await first, await events.next(), await events.next()].map(({ value }) => value as Change);
    equal(
      got.map(({ seq, data }) => `${seq} ${data.subject}`),
      ["1 Mail 1", "2 Mail 2", "3 Mail 3"],
    );
    const waiting = events.next();
    controller.abort();
    equal((await waiting).done, true);
    const again: number[] = [];
    for await (const { seq } of mail.events({ after: 1 })) if (again.push(seq) === 2) break;
    equal(again, [2, 3]);
  },

  "waits for an email, and for the answer to one that it sent": async (place) => {
    const mail = await permanent(place);
    const { mailbox } = await mail.mailbox.get();
    const since = new Date(Date.now() - 60_000);
    // A mail could overtake the call's beginning, so that "from now" could be after it.
    const waiting = mail.waitFor({ subject: "second", since, timeoutMs: 30_000 });
    await deliver(place, mail, { subject: "The first" });
    await deliver(place, mail, { subject: "The second" });
    equal((await waiting)?.subject, "The second");
    equal((await mail.waitFor({ subject: "first", since }))?.subject, "The first");
    equal(await mail.waitFor({ subject: "first", timeoutMs: 50 }), null);
    const sent = await mail.send({ to: "bob@elsewhere.example", subject: "Lunch?", text: "At noon?" });
    const reply = mail.threads.awaitReply(sent.thread_id, { timeoutMs: 30_000 });
    await deliver(place, mail, { subject: "Re: Lunch?", inReplyTo: sent.message_id, text: "Yes." });
    equal((await reply)?.body_text.trim(), "Yes.");
    equal((await mail.threads.awaitReply(sent.thread_id))?.to_address, mailbox);
  },

  "sends a file as it is read, and reads it back": async (place) => {
    const mail = await permanent(place);
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251);
    const blob = await mail.attachments.upload(new Blob([bytes], { type: "image/png" }), {
      filename: "a.png",
    });
    equal([blob.size_bytes, blob.content_type, blob.filename], [300_000, "image/png", "a.png"]);
    if (place.sendsStreams) {
      const streamed = await mail.attachments.upload(streamOf(bytes), { filename: "b.bin" });
      equal([streamed.size_bytes, streamed.sha256], [300_000, blob.sha256]);
    }
    const attachments = [{ attachment_id: blob.id }];
    const sent = await mail.send({
      to: "bob@elsewhere.example",
      subject: "File",
      text: "Here.",
      attachments,
    });
    const [file] = (await mail.emails.get(sent.id)).attachments;
    const whole = await mail.attachments.download(file?.id ?? "");
    equal(new Uint8Array(await whole.arrayBuffer()).join(), bytes.join());
    const range = await mail.attachments.download(file?.id ?? "", { headers: { Range: "bytes=10-19" } });
    equal(Array.from(new Uint8Array(await range.arrayBuffer())), Array.from(bytes.slice(10, 20)));
    equal(range.status, 206);
  },

  "says why an upload was refused before all of it was read": async ({ url, sendsStreams }) => {
    const stranger = new Mailkeep({ url, key: "mk_wrong", retries: 0 });
    const bytes = new Uint8Array(8_000_000);
    for (const body of [bytes, new Blob([bytes]), ...(sendsStreams ? [streamOf(bytes)] : [])]) {
      for (const upload of [stranger.attachments.upload, stranger.archives.import]) {
        const { status, code, fix } = (await failure(upload(body, { filename: "a" }))) as MailkeepError;
        equal({ status, code, hasFix: fix !== null }, { status: 401, code: "unauthorized", hasFix: true });
        if (body instanceof ReadableStream) break;
      }
    }
    const long = { to: "bob@elsewhere.example", subject: "Hello", text: "Hello Bob.".repeat(500_000) };
    equal(((await failure(stranger.send(long))) as MailkeepError).status, 401);
  },

  "ends a call with the caller's reason, or at its deadline": async ({ url }) => {
    const mail = await Mailkeep.bootstrap({ url });
    const controller = new AbortController();
    const reason = new Error("No longer needed");
    const waiting = failure(mail.codes.get({ timeout: 20 }, { signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 20);
    equal((await waiting) === reason, true);
    const late = (await failure(mail.codes.get({ timeout: 20 }, { timeoutMs: 50 }))) as MailkeepError;
    equal([late.status, late.code, late.retryable], [0, "timeout", true]);
  },

  "says that nobody answers": async () => {
    // Nothing listens there: the port is kept for a protocol of 1983.
    const mail = new Mailkeep({ url: "http://127.0.0.1:9", key: null });
    const error = (await failure(mail.me({ retries: 0 }))) as MailkeepError;
    equal([error.status, error.code, error.retryable], [0, "unreachable", true]);
  },

  "verifies a webhook by either signature": async () => {
    const body = JSON.stringify({ event: "message.received", event_id: "evt_1" });
    const secret = `whsec_${btoa("0123456789abcdef")}`;
    const seconds = String(Math.floor(Date.now() / 1_000));
    const timed = await hmac("0123456789abcdef", `evt_1.${seconds}.${body}`);
    const standard = {
      "webhook-id": "evt_1",
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${btoa(String.fromCharCode(...timed))}`,
    };
    const digest = await hmac(secret, body);
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    for (const headers of [standard, { "X-Webhook-Signature": `sha256=${hex}` }]) {
      const request = new Request("https://you.example/hook", { method: "POST", headers, body });
      equal((await verifyWebhook(request, secret)).event_id, "evt_1");
      const forged = await failure(verifyWebhook({ headers, body: `${body} ` }, secret));
      equal((forged as SignatureError).code, "wrong_signature");
    }
  },
};

/** Runs every check, one after the other. */
export async function conformance(place: Place): Promise<Results> {
  const results: Results = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(place);
      results[name] = null;
    } catch (error) {
      results[name] = error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
    }
  }
  return results;
}

/** The result of a runtime that does all of it right. */
export const ALL_RIGHT: Results = Object.fromEntries(Object.keys(checks).map((name) => [name, null]));

interface Mail {
  subject: string;
  text?: string;
  inReplyTo?: string;
}

async function deliver(
  { url, operator }: Place,
  mail: Mailkeep,
  { subject, text = "Hello.", inReplyTo }: Mail,
) {
  const to = mail.address ?? (await mail.me()).mailbox ?? "";
  const answers = inReplyTo === undefined ? "" : `In-Reply-To: ${inReplyTo}\r\n`;
  const id = Math.random().toString(36).slice(2);
  const raw = `From: Shop <login@shop.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@shop.example>\r\n${answers}\r\n${text}\r\n`;
  await new Mailkeep({ url, key: operator }).inbound(raw, { from: "login@shop.example", to: [to] });
}

/** A client of a new permanent mailbox. */
async function permanent({ url, operator }: Place): Promise<Mailkeep> {
  const name = `box-${Math.random().toString(36).slice(2)}`;
  const { api_key: key } = await new Mailkeep({ url, key: operator }).mailboxes.create({ name });
  return new Mailkeep({ url, key });
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(sent, (sent += 65_536)));
      if (sent >= bytes.length) controller.close();
    },
  });
}

async function hmac(key: string, text: string): Promise<Uint8Array> {
  const bytes = (of: string) => new Uint8Array(new TextEncoder().encode(of));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytes(key), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes(text)));
}

/** The error of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call did not fail");
}

function equal(got: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`Expected ${right}, got ${left}`);
}
