import { defaultsFor } from "./exposure.ts";
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";

/** Variables and secrets of the worker, by the names it knows them by. */
export function bindingsOf(
  settings: Omit<Settings, "dataDir" | "readyJson">,
  secrets: Secrets,
): Record<string, string> {
  return {
    ...defaultsFor(settings),
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
