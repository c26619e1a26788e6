// A program of a user of both packages; it must compile in strict mode. Never run.
import { Mailkeep, MailkeepError } from "mailkeep";
import { startMailkeep } from "mailkeep-server/testing";
import type { Twin, TwinMailbox } from "mailkeep-server/testing";

export async function firstCode(url: string): Promise<string | null> {
  const mail = await Mailkeep.bootstrap({ url });
  const address: string | null = mail.address;
  const found = await mail.codes.wait({ from: "shop.example", timeoutMs: 30_000 });
  for await (const { id, subject, received_at } of mail.inbox.list({ limit: 10 })) {
    const strings: string[] = [id, subject, received_at];
    console.log(strings, address);
  }
  return found?.code ?? null;
}

export async function sending(mail: Mailkeep): Promise<"sent" | "later" | "never"> {
  try {
    const { id } = await mail.send({ to: ["ann@example.com"], subject: "Hello", text: "Hi." });
    const { delivery } = await mail.emails.get(id);
    return delivery?.every(({ status }) => status === "sent") ? "sent" : "later";
  } catch (error) {
    if (error instanceof MailkeepError && error.retryable) return "later";
    return "never";
  }
}

// @ts-expect-error -- a send needs a recipient
export const incomplete = (mail: Mailkeep) => mail.send({ subject: "Hello" });

export async function inTests(): Promise<Date> {
  const mail: Twin = await startMailkeep({ seed: 1, settings: { DAILY_SEND_LIMIT: "2" } });
  const box: TwinMailbox = await mail.mailbox({ kind: "temporary" });
  await mail.deliver({ to: box, subject: "Your code", text: "482913" });
  mail.faults.smtp("drop-after-data", { times: 2 });
  // @ts-expect-error -- no such fault
  mail.faults.outgoing("explode");
  console.log(await box.client.codes.get({ timeout: 5 }));
  const now = await mail.clock.advance("73h");
  await mail.stop();
  return now;
}
