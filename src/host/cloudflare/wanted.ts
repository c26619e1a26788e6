import { MTA_STS_MODES, type MtaSts } from "../../mail/mta-sts.ts";
import type { Account } from "./accounts.ts";
import type { WorkerState } from "./workers.ts";
import type { Zone } from "./zones.ts";

/** How mail to other domains leaves a deployment. */
export const SENDING_WAYS = ["cloudflare", "relay", "none"] as const;
export type SendingWay = (typeof SENDING_WAYS)[number];

/** The values of `--mta-sts`. */
export const POLICY_MODES = MTA_STS_MODES;

/** The deployment that the operator wants. */
export interface Wanted {
  /** The domain of the mailboxes: a zone, or a name below one. In lower case. */
  domain: string;
  /** The name of the worker. */
  worker: string;
  /** Id or name of the account; null to find it. */
  account: string | null;
  sending: SendingWay;
  /** The relay, with `sending: "relay"`; null leaves the secret as it is. */
  relayUrl: string | null;
  /** Whether large messages lie in R2; null: as the deployment has it, and in R2 for a new one. */
  r2: boolean | null;
  /** Whether the worker receives the events of Email Sending, through a queue. */
  events: boolean;
  /** The name to register under workers.dev where the account has none; null for none. */
  workersDev: string | null;
  /** Whether a catch-all rule that is in use may be replaced. */
  takesCatchAll: boolean;
  /** The policy for TLS of incoming mail: its mode, or `off` to remove it once it is withdrawn; null leaves it as it is. */
  mtaSts: MtaSts["mode"] | "off" | null;
  /** Further variables of the worker. */
  vars: Readonly<Record<string, string>>;
  /** The command that was run, for errors that say to run it again. */
  again: string;
}

/** Facts about the account that all steps use. They are looked up before anything is changed. */
export interface Existing {
  account: Account;
  zone: Zone;
  /** The worker as it is deployed; null where there is none. */
  worker: WorkerState | null;
  usesR2: boolean;
  /** The account's name under workers.dev; null where it has none yet. */
  subdomain: string | null;
  /** The mail hosts of Email Routing for this zone. */
  mailHosts: readonly string[];
  /** Warnings that the operator should read before they agree to the plan. */
  warnings: readonly string[];
}

/** The names of the parts of a deployment. */
export function namesOf({ worker }: Pick<Wanted, "worker">): {
  bucket: string;
  events: string;
  unused: string;
  subscription: string;
} {
  return {
    bucket: `${worker}-blobs`,
    events: `${worker}-events`,
    unused: `${worker}-events-unused`,
    subscription: `${worker} email.sending`,
  };
}

/** Whether the deployment receives the events of Email Sending. */
export function hearsEvents({ sending, events }: Pick<Wanted, "sending" | "events">): boolean {
  return sending === "cloudflare" && events;
}
