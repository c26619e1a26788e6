// The entry point `mailkeep-server/testing`.
import type { Twin, TwinOptions } from "../twin/api.ts";
import { startTwin } from "../twin/start.ts";
import { BUILT } from "./built.ts";

export type {
  Duration,
  FaultOptions,
  IncomingMail,
  MailboxOptions,
  SentMail,
  SmtpFault,
  Twin,
  TwinClock,
  TwinFaults,
  TwinMailbox,
  TwinOptions,
} from "../twin/api.ts";

/**
 * Starts a whole mail system on free ports of this machine: the server itself, with a clock that can be moved and SMTP faults
 * that can be injected. Call `stop` in the end.
 *
 * @example
 * const mail = await startMailkeep();
 * const box = await mail.mailbox();
 * await mail.deliver({ to: box, subject: "Your code", text: "Your verification code is 482913." });
 * const { code } = await box.client.codes.get({ timeout: 5 });
 * await mail.stop();
 */
export function startMailkeep(options: TwinOptions = {}): Promise<Twin> {
  return startTwin(BUILT, options);
}
