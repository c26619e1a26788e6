import type { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";

/** Variables and secrets of the worker, by the names it knows them by. */
export function bindingsOf(
  settings: Pick<
    Settings,
    "workerVars" | "mailDomain" | "webhookSecretPrevious" | "smtpUrl" | "dkim" | "embeddings"
  >,
  secrets: Secrets,
): Record<string, string> {
  return {
    // Without a proxy that writes CF-Connecting-IP, every client could write one of its own.
    TRUST_CLIENT_ADDRESS: "false",
    // Who sits at this machine may approve; a deployment that others reach says otherwise.
    CLAIM_APPROVAL: "open",
    ...settings.workerVars,
    MAIL_DOMAIN: settings.mailDomain,
    AUTH_TOKEN: secrets.authToken,
    WEBHOOK_SECRET: secrets.webhookSecret,
    KEY_SECRET: secrets.keySecret,
    ...settings.dkim,
    ...settings.embeddings,
    ...(settings.smtpUrl && { SMTP_URL: settings.smtpUrl }),
    ...(settings.webhookSecretPrevious && { WEBHOOK_SECRET_PREVIOUS: settings.webhookSecretPrevious }),
  };
}
