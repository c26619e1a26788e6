import { parseMail } from "../../src/mail/mime/parse.ts";
import { prepareMail } from "../../src/mail/prepare.ts";
import type { PreparedMail } from "../../src/mail/prepared-mail.ts";

/** A small message as a mailbox stores it, without its raw bytes. */
export async function preparedMail(rawText: string, to: string): Promise<Omit<PreparedMail, "raw">> {
  const bytes = new TextEncoder().encode(rawText);
  const envelope = {
    from: "bench@sender.example",
    to,
    via: "http",
    clientAddress: null,
    helo: null,
  } as const;
  const { largeBody: _, ...prepared } = prepareMail(bytes, await parseMail(bytes), envelope, null);
  return { ...prepared, rawKey: null, bodyKey: null, bodyLayout: null, unusedKeys: [] };
}
