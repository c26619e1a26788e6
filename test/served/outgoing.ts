import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import type { SmtpPeer, Taken } from "../transport/smtp-peer.ts";
import type { MailboxKey, Service, Told } from "./client.ts";

/** A recipient as the API shows it. */
export type Delivery = Email["delivery"][number];

const POLL_MS = 50;
const PATIENCE_MS = 60_000;

/** `POST /v1/send` with a default text, unless `json` has one. */
export function send(
  service: Service,
  { api_key }: MailboxKey,
  json: Record<string, unknown>,
  options: { wait?: number; key?: string } = {},
): Promise<Told<Sent>> {
  return service.ask<Sent>(`/v1/send?wait=${options.wait ?? 0}`, {
    key: api_key,
    json: { subject: "Hello", text: "Hello.", ...json },
    headers: options.key === undefined ? {} : { "Idempotency-Key": options.key },
  });
}

/** Reads an email until it `fits`; rejects after a minute. */
export async function reading(
  service: Service,
  { api_key }: MailboxKey,
  id: string,
  fits: (email: Email) => boolean,
): Promise<Email> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const email = await service.email(api_key, id);
    if (fits(email)) return email;
    if (Date.now() > deadline) throw new Error(`It stays so: ${JSON.stringify(email.delivery)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Whether the first try of every recipient has ended: those still queued wait for the next. */
export function isTried({ delivery }: Email): boolean {
  return delivery.every(
    ({ status, diagnostic, next_attempt_at }) =>
      status !== "queued" || (diagnostic !== null && next_attempt_at !== null),
  );
}

/** Status of each recipient, by the part of the address before the `@`. */
export function statuses({ delivery }: Email): Record<string, string> {
  return Object.fromEntries(delivery.map(({ recipient, status }) => [recipient.split("@")[0], status]));
}

/** The copies that a relay accepted of the message with that Message-ID. */
export function copies(relay: SmtpPeer, messageId: string): Taken[] {
  return relay.taken.filter(({ bytes }) => messageIdOf(bytes) === messageId);
}

/** The Message-ID of a message, "" without one. */
export function messageIdOf(bytes: Buffer): string {
  const head = bytes.toString("latin1", 0, Math.max(0, bytes.indexOf("\r\n\r\n")));
  return /^Message-ID: *(<[^>]*>)/im.exec(head)?.[1] ?? "";
}

/** The recipients of one copy, refused ones included. */
export function recipientsOf({ commands }: Taken): string[] {
  return commands.flatMap((line) => /^RCPT TO:<([^>]*)>/i.exec(line)?.[1] ?? []);
}

/** MAIL FROM of one copy; "" for the null return path and for none. */
export function returnPathOf(copy: Taken | undefined): string {
  const line = copy?.commands.find((one) => /^MAIL FROM:/i.test(one)) ?? "";
  return /<([^>]*)>/.exec(line)?.[1] ?? "";
}
