import { invalid, type Answer, type Problem } from "../contract/problem.ts";
import type { Sent } from "../contract/sending.ts";
import type { Config } from "../config/env.ts";
import { sha256Hex } from "../lib/hash.ts";
import { done, refused } from "../lib/outcome.ts";
import type { AnsweredEmail, Written } from "../mail/compose/answer-drafts.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { SendAdmission, SendWait } from "../mailbox/sending/sending.ts";
import type { EmailAnswer } from "../mailbox/reading/reading.ts";
import { counted } from "./access.ts";
import { wholeEmail, type MailboxAccess } from "./message-source.ts";
import { uploadsFor } from "./outgoing-files.ts";
import { discardUploads } from "./store-upload.ts";
import { Wait, Waiting } from "./wait.ts";

/** Visible ASCII: what a header can carry whatever stands between client and service. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

const NOT_AVAILABLE: Problem = { code: "not_implemented", error: "Email sending is not available" };

/** A request to send. */
export interface SendingCall extends MailboxAccess {
  config: Config;
  /** As its client sent it; null without one. */
  idempotencyKey: string | null;
  /** Seconds that the client waits for the transport's answer. */
  waitSeconds: number;
  /** Aborted when the client hangs up. */
  signal: AbortSignal;
}

/**
 * Judges a request to send by all that is known before its body is read: a large body is stored only for a caller who may
 * send it.
 */
export async function admitSending({
  mailbox,
  access,
  config,
  idempotencyKey,
}: Pick<SendingCall, "mailbox" | "access" | "config" | "idempotencyKey">): Promise<Answer<SendAdmission>> {
  const keyFault = idempotencyKeyFault(idempotencyKey);
  const unavailable = config.outbound === "none" ? NOT_AVAILABLE : null;
  const fault = access.fault ?? unavailable ?? keyFault;
  return mailbox.admitSend({ ...access, fault }, keyFault === null ? idempotencyKey : null);
}

/**
 * Sends what `write` makes of a request, once for each Idempotency-Key. A repeat of `request` under its key is answered without
 * being written again, whatever became of the email that it answers.
 */
export async function submit(
  call: SendingCall,
  request: object,
  write: () => Promise<Answer<Written>>,
): Promise<Answer<Sent | Waiting<Sent>>> {
  const { mailbox, access, idempotencyKey: key } = call;
  const fault = call.config.outbound === "none" ? NOT_AVAILABLE : idempotencyKeyFault(key);
  if (fault !== null) return refuse(call, fault);
  const keyed = key === null ? null : { key, digest: sha256Hex(JSON.stringify(request)) };
  if (keyed !== null) {
    const earlier = await mailbox.sentBefore(access, keyed, AT_ONCE);
    if (!earlier.ok) return earlier;
    const { value: sent } = earlier;
    if (sent !== null) {
      return waited(call, async (wait) => {
        const later = wait === AT_ONCE ? earlier : await mailbox.sentBefore(counted(access), keyed, wait);
        return later.ok ? done(later.value ?? sent) : later;
      });
    }
  }
  const written = await write();
  if (!written.ok) return refuse(call, written.error);
  const { files, ...message } = written.value;
  const isKeyed = keyed !== null;
  const { uploads, made } = await uploadsFor({ ...call, access: accessAfter(access, isKeyed) }, files);
  return waited(call, async (wait) => {
    const sent = uploads.ok
      ? await mailbox.send(
          accessAfter(access, isKeyed, files.length > 0),
          { ...message, files: uploads.value, keyed },
          wait,
        )
      : uploads;
    // Under a key it may have been another request, with uploads of its own, that was sent.
    if (!sent.ok || isKeyed) await discardUploads(made, call);
    return sent;
  });
}

/** The caller's access after calls of which some were made. */
function accessAfter(access: Access, ...made: boolean[]): Access {
  return made.includes(true) ? counted(access) : access;
}

const AT_ONCE: SendWait = { seconds: 0, id: "" };

/** The answer of a call that waits for as long as its client asks. */
async function waited(
  call: SendingCall,
  send: (wait: SendWait) => Promise<Answer<Sent>>,
): Promise<Answer<Sent | Waiting<Sent>>> {
  const { waitSeconds: seconds, signal } = call;
  if (seconds === 0) return send(AT_ONCE);
  return done(new Waiting(new Wait(call, signal), (id) => send({ seconds, id })));
}

/** Refuses a request, and lets the mailbox judge its caller first: only a caller who may send is told why. */
async function refuse({ mailbox, access }: MailboxAccess, problem: Problem): Promise<Answer<never>> {
  const admitted = await mailbox.admit({ ...access, fault: problem });
  return refused(admitted.ok ? problem : admitted.error);
}

function idempotencyKeyFault(key: string | null): Problem | null {
  return key === null || IDEMPOTENCY_KEY.test(key)
    ? null
    : invalid("Idempotency-Key", "must be 1 to 255 characters of visible ASCII");
}

/** An email that is to be answered or passed on, with its body and what tells its mailbox from others. */
export async function readToAnswer(to: MailboxAccess, id: string): Promise<Answer<AnsweredEmail>> {
  const found = await to.mailbox.emailToAnswer(to.access, id);
  return found.ok ? whole(to, found.value) : found;
}

/** As `readToAnswer`, of the email that bears a Message-ID; null if the mailbox holds none. */
export async function readByMessageId(
  to: MailboxAccess,
  messageId: string,
): Promise<Answer<AnsweredEmail | null>> {
  const found = await to.mailbox.emailWithMessageId(to.access, messageId);
  if (!found.ok) return found;
  return found.value === null ? done(null) : whole(to, found.value);
}

async function whole(
  to: MailboxAccess,
  { ownDomains, ...email }: EmailAnswer & { ownDomains: string[] },
): Promise<Answer<AnsweredEmail>> {
  return done({ email: await wholeEmail(to, email), ownDomains });
}
