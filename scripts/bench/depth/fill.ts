import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import path from "node:path";
import { mailboxFile } from "../../../src/host/backup/data-folder.ts";
import { AlarmClock } from "../../../src/lib/wake.ts";
import { messageKey } from "../../../src/mail/prepare.ts";
import type { PreparedMail } from "../../../src/mail/prepared-mail.ts";
import { assemble, type Surroundings } from "../../../src/mailbox/capabilities.ts";
import { SendingMemory, SendingSwitch } from "../../../src/service/sending-switch.ts";
import { preparedMail } from "../prepared.ts";
import type { Box } from "../workbench.ts";
import { FileStorage } from "./file-storage.ts";
import { mailAt, TEMPLATES, type DeepMail } from "./mails.ts";

/** Messages handed over together; the mailbox stores them in groups of its own size. */
const BATCH = 128;
const SAMPLE_IDS = 200;
/** Time between two messages: a million of them are younger than the events that the log keeps. */
const SPACING_MS = 2_000;
/** Of each template, so many messages are also prepared in the usual way and compared. */
const COMPARED = 3;

/**
 * Fills the file of a mailbox whose service is stopped, by the mailbox's own code for receipts. A message is prepared once for
 * each template; the others differ from it by their serial, which is replaced in all texts.
 */
export async function fillFile(
  dataDir: string,
  { box, env, count }: { box: Box; env: Record<string, string>; count: number },
  say: (done: number) => void,
): Promise<void> {
  const storage = new FileStorage(path.join(dataDir, mailboxFile(box.address)));
  let nowMs = Date.now() - count * SPACING_MS;
  const life = assemble(surroundings(storage, env, () => nowMs));
  const { account } = life.lifecycle;
  if (account === null) throw new Error(`${box.address} is not in the data folder`);
  const templates = await Promise.all(
    TEMPLATES.map((_, index) => prepared(mailAt(box.address, index), box.address)),
  );
  const every = Math.max(1, Math.floor(count / SAMPLE_IDS));
  for (let from = 0; from < count; from += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => from + at);
    const mails = indexes.map((index) => variant(templates, mailAt(box.address, index)));
    if (from < COMPARED * TEMPLATES.length) {
      for (const [at, mail] of mails.entries())
        assert.equal(textOf(mail), (await prepared(mailAt(box.address, from + at), box.address)).text);
    }
    nowMs += indexes.length * SPACING_MS;
    await Promise.all(
      mails.map(async (mail, at) => {
        const received = await life.receiving.receive(mail);
        if (!received.ok) throw new Error(received.error.error);
        if (received.value.duplicate) throw new Error(`message ${from + at} counts as a duplicate`);
        if ((from + at) % every === 0) box.ids.push(received.value.id);
      }),
    );
    if (from % 51_200 === 0) say(from);
  }
  storage.close();
}

/** Rows of a mailbox, without what differs between two mailboxes that got the same mail. */
export function comparableRows(dataDir: string, box: Box, tables: readonly string[]): string {
  const storage = new FileStorage(path.join(dataDir, mailboxFile(box.address)));
  const rows = tables.map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray());
  storage.close();
  const text = JSON.stringify(rows, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
  return text.replaceAll(box.address, "box").replaceAll(VARYING, "#");
}

/** Numbers and ids that contain the time or the mailbox, digests, and times. */
const VARYING =
  /\b\d{13,}\b|\b[0-9a-f]{32,}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

interface Template {
  /** JSON of it, without its raw bytes. */
  text: string;
  serial: string;
  parent: string | null;
}

/** JSON of a message without its raw bytes. */
const textOf = (mail: PreparedMail): string => JSON.stringify({ ...mail, raw: null });

async function prepared({ raw, serial, parent }: DeepMail, to: string): Promise<Template> {
  const mail = { ...(await preparedMail(raw, to)), raw: bufferOf(raw), digest: digestOf(serial) };
  return { text: textOf(mail), serial, parent };
}

/** A message like its template, with a serial of its own. */
function variant(templates: readonly Template[], { raw, serial, template, parent }: DeepMail): PreparedMail {
  const like = templates[template];
  if (like === undefined) throw new Error(`there is no template ${template}`);
  const own = like.text.replaceAll(like.serial, serial);
  const text = like.parent === null || parent === null ? own : own.replaceAll(like.parent, parent);
  const mail = JSON.parse(text) as PreparedMail;
  return {
    ...mail,
    raw: bufferOf(raw),
    digest: digestOf(serial),
    messageKey: messageKey(`<${serial}@sender.example>`),
    ancestorKeys: parent === null ? [] : [messageKey(`<${parent}@sender.example>`)],
  };
}

/** The bytes of a text in a buffer of their own. */
const bufferOf = (text: string): ArrayBuffer => Uint8Array.from(new TextEncoder().encode(text)).buffer;

const digestOf = (serial: string): string => createHash("sha256").update(serial).digest("hex").slice(0, 32);

function surroundings(storage: FileStorage, env: Record<string, string>, now: () => number): Surroundings {
  const nobody = (): never => {
    throw new Error("Nothing is sent while a mailbox is filled");
  };
  return {
    storage,
    now,
    clock: new AlarmClock(storage),
    env: () => env as unknown as Env,
    waitUntil: () => undefined,
    later: (work) => work(),
    directoryOf: () => ({ report: async () => undefined, remove: async () => undefined }),
    inside: { name: "local", showsReturnPath: false, maxBytes: 1, send: nobody },
    outside: () => null,
    takeover: { sourceOf: nobody, receive: nobody },
    ended: () => undefined,
    sendingSwitch: new SendingSwitch(new SendingMemory(), () => Promise.resolve(null)),
    noteActivity: () => undefined,
  };
}
