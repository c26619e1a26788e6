import { invalid, type Answer, type Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { sha256Hex } from "../lib/hash.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { AnsweredEmail, Written } from "../mail/compose/answer-drafts.ts";
import type { Keyed } from "../mailbox/accept.ts";
import type { Access } from "../mailbox/access.ts";
import type { SendAdmission, SendWait } from "../mailbox/sending.ts";
import type { EmailAnswer } from "../mailbox/reading.ts";
import type { MailboxStub } from "../service/mailbox-stub.ts";
import { json } from "./answers.ts";
import { further } from "./further.ts";
import { wholeEmail, type Asked } from "./message-source.ts";
import { uploadsFor } from "./outgoing-files.ts";
import { discardUploads } from "./store-upload.ts";

/** Visible ASCII: what a header can carry whatever stands between client and service. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

const NOT_AVAILABLE: Problem = { code: "not_implemented", error: "Email sending is not available" };

/** A call of a route that sends. */
export interface SendingCall extends Asked {
  config: Config;
  request: Request;
  input: { query: { wait: number } };
}

/** Judges a request to send by all that is known before its body is read: a large one is stored only for who may send. */
export async function admitSending(
  asked: { mailbox: MailboxStub; access: Access },
  request: Request,
  config: Config,
): Promise<Answer<SendAdmission>> {
  const { mailbox, access } = asked;
  const key = readIdempotencyKey(request);
  const unavailable = config.outbound === "none" ? NOT_AVAILABLE : null;
  const fault = access.fault ?? unavailable ?? (key.ok ? null : key.error);
  return mailbox.admitSend({ ...access, fault }, key.ok ? key.value : null);
}

/**
 * Sends what `write` makes of a request, once for each Idempotency-Key: the same `wish` under it is answered without being
 * written again, whatever became meanwhile of what it was written from.
 */
export async function submit(
  call: SendingCall,
  wish: object,
  write: () => Promise<Answer<Written>>,
): Promise<Answer<Response>> {
  const { mailbox, request } = call;
  if (call.config.outbound === "none") return refuse(call, NOT_AVAILABLE);
  const keyed = keyOf(request, wish);
  if (!keyed.ok) return refuse(call, keyed.error);
  const wait = waitOf(call);
  if (keyed.value !== null) {
    const earlier = await mailbox.sentBefore(call.access, keyed.value, wait);
    if (!earlier.ok) return earlier;
    if (earlier.value !== null) return done(json(earlier.value));
  }
  const written = await write();
  if (!written.ok) return refuse(call, written.error);
  const { files, ...wanted } = written.value;
  const isKeyed = keyed.value !== null;
  const { wishes, made } = await uploadsFor({ ...call, access: afterCalls(call.access, isKeyed) }, files);
  const sent = wishes.ok
    ? await mailbox.send(
        afterCalls(call.access, isKeyed, files.length > 0),
        { ...wanted, files: wishes.value, keyed: keyed.value },
        wait,
      )
    : wishes;
  // Under a key it may have been another request, with uploads of its own, that was sent.
  if (!sent.ok || isKeyed) await discardUploads(made, call);
  return sent.ok ? done(json(sent.value)) : sent;
}

/** The caller's wish after calls of which some were made. */
function afterCalls(access: Access, ...made: boolean[]): Access {
  return made.includes(true) ? further(access) : access;
}

/** How long the caller waits; it is forgotten when he hangs up. Who does not wait has no name for the wait. */
function waitOf({ mailbox, request, input }: SendingCall): SendWait {
  const seconds = input.query.wait;
  if (seconds === 0) return { seconds, id: "" };
  const id = uuidV7(Date.now());
  request.signal.addEventListener("abort", () => void mailbox.forget(id));
  return { seconds, id };
}

/** Refuses a request, but tells why only to who may ask: that the mailbox judges. */
async function refuse({ mailbox, access }: Asked, problem: Problem): Promise<Answer<never>> {
  const admitted = await mailbox.admit({ ...access, fault: problem });
  return refused(admitted.ok ? problem : admitted.error);
}

/** What the request is repeated under; null without a key. */
function keyOf(request: Request, wish: object): Answer<Keyed | null> {
  const key = readIdempotencyKey(request);
  if (!key.ok || key.value === null) return key.ok ? done(null) : key;
  return done({ key: key.value, digest: sha256Hex(JSON.stringify(wish)) });
}

function readIdempotencyKey(request: Request): Answer<string | null> {
  const key = request.headers.get("Idempotency-Key");
  return key === null || IDEMPOTENCY_KEY.test(key)
    ? done(key)
    : refused(invalid("Idempotency-Key", "must be 1 to 255 characters of visible ASCII"));
}

/** An email that is to be answered or passed on, with its body and what tells its mailbox from others. */
export async function readToAnswer(asked: Asked, id: string): Promise<Answer<AnsweredEmail>> {
  const found = await asked.mailbox.emailToAnswer(asked.access, id);
  return found.ok ? whole(asked, found.value) : found;
}

/** As `readToAnswer`, of the email that bears a Message-ID; null if the mailbox holds none. */
export async function readByMessageId(
  asked: Asked,
  messageId: string,
): Promise<Answer<AnsweredEmail | null>> {
  const found = await asked.mailbox.emailWithMessageId(asked.access, messageId);
  if (!found.ok) return found;
  return found.value === null ? done(null) : whole(asked, found.value);
}

async function whole(
  asked: Asked,
  { ownDomains, ...email }: EmailAnswer & { ownDomains: string[] },
): Promise<Answer<AnsweredEmail>> {
  return done({ email: await wholeEmail(asked, email), ownDomains });
}
