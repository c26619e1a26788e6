import type { SigningSecrets } from "./sign.ts";

/** How long the old secret also signs after a change, in ms. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000;

/** The secrets of a mailbox; null = it uses the deployment's. */
export interface OwnSecrets {
  webhook_secret: string | null;
  webhook_secret_before: string | null;
  webhook_secret_changed_at: number | null;
}

/** The secrets of the deployment. The earlier one also signs as long as it is set. */
export interface DeploymentSecrets {
  webhookSecret: string | null;
  webhookSecretBefore: string | null;
}

/**
 * The secrets that sign the webhooks of a mailbox at `nowMs`; null if there are none. The deployment's secret is never copied into
 * a mailbox: a mailbox that uses or used it signs with its current value.
 */
export function signingSecrets(
  own: OwnSecrets,
  deployment: DeploymentSecrets,
  nowMs: number,
): SigningSecrets | null {
  const { webhookSecret, webhookSecretBefore } = deployment;
  const shared = webhookSecret === null ? [] : [webhookSecret, webhookSecretBefore];
  const meant = (secret: string | null) => (secret === null ? shared : [secret]);
  const changedAt = own.webhook_secret_changed_at;
  const overlaps = changedAt !== null && nowMs - changedAt < SECRET_OVERLAP_MS;
  const before = overlaps ? meant(own.webhook_secret_before) : [];
  const all = [...meant(own.webhook_secret), ...before].filter((secret) => secret !== null);
  const [current, ...previous] = new Set(all);
  return current === undefined ? null : { current, previous };
}
