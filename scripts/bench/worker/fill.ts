import type { PreparedMail } from "../../../src/mail/prepared-mail.ts";
import type { Mailbox } from "../../../src/mailbox/mailbox.ts";

/** A prepared message as it crosses to the worker: JSON, its raw bytes (ASCII) as text. */
export type FilledMail = Omit<PreparedMail, "raw"> & { rawText: string };

export type Mailboxes = DurableObjectNamespace<Mailbox>;

/** Stores messages with the actor's `receive`, all at the same time; returns their ids in order. */
export async function fill(
  mailboxes: Mailboxes,
  locator: string,
  mails: readonly FilledMail[],
): Promise<string[]> {
  const mailbox = mailboxes.getByName(locator);
  return Promise.all(
    mails.map(async ({ rawText, ...mail }) => {
      const received = await mailbox.receive({ ...mail, raw: bytesOf(rawText) });
      if (!received.ok) throw new Error(received.error.error);
      return received.value.id;
    }),
  );
}

function bytesOf(text: string): ArrayBuffer {
  const bytes = new ArrayBuffer(text.length);
  new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return bytes;
}
