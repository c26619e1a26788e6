import type { Config, OperatorBindings } from "../config/env.ts";
import {
  reportedResults,
  reportedSpf,
  type Reporter,
  type SenderCheck,
} from "../mail/authentication/authenticate.ts";
import { checkMessage } from "../mail/authentication/checks/message-check.ts";
import { mailDns } from "./mail-dns.ts";

/** Finds out who sent a message. Called only once it is known that a mailbox takes it. */
export type FindSender = () => Promise<SenderCheck | null>;

/** For messages whose sender is known already. */
export function known(check: SenderCheck | null): FindSender {
  return () => Promise.resolve(check);
}

/**
 * Checks a message that a server in front has checked: reads its report, and verifies DKIM and DMARC here where a resolver is
 * set (`DOH_URL`). A resolver that does not answer delays the message by five seconds at most.
 */
export function reported(
  raw: Uint8Array,
  by: Reporter,
  { env, config }: { env: Env; config: Config },
): FindSender {
  return async () => {
    if (config.dohUrl === null) return { kind: "reported", by, own: null };
    const dns = mailDns(config.dohUrl, env as OperatorBindings);
    const spf = reportedSpf(reportedResults(raw, by));
    try {
      return { kind: "reported", by, own: await checkMessage(raw, { dns, ...(spf && { spf }) }) };
    } catch (error) {
      // No mail is lost because it could not be checked.
      console.error("The sender of a message could not be checked:", error);
      return { kind: "reported", by, own: null };
    }
  };
}
