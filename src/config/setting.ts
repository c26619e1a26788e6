import * as z from "zod";
import type { Kind } from "./kinds.ts";

/** The headings of docs/configuration.md, in their order. */
export const GROUPS = [
  "Addresses and access",
  "Secrets",
  "Receiving mail",
  "Sending mail",
  "Custom domains",
  "Events and webhooks",
  "Search by meaning",
  "New mailboxes and claims",
  "Limits",
  "Logs and monitoring",
  "Only npm start",
] as const;

/** Who reaches the server and whether mail leaves it; some defaults of `npm start` depend on it. */
export interface Exposure {
  /** Other machines reach the server: it listens to the network, or a proxy stands in front of it. */
  isReachable: boolean;
  /** Mail to other domains leaves the server. */
  sendsMail: boolean;
}

/** The documentation of a setting. */
export interface About {
  group: (typeof GROUPS)[number];
  /** Markdown, one or more sentences. */
  meaning: string;
  /** No error, page or log shows the value of a secret. */
  secret?: true;
  /** The default in words, where the value alone does not say it; two where the places differ. */
  defaultWords?: string | { machine: string; cloudflare: string };
  /** The default of `npm start`, as the text of the variable, where it is not that of the worker. */
  machineDefault?: (exposure: Exposure) => string;
}

/** The value of a variable that is not set; null: none. */
export type Default = string | number | boolean | null;

/** A setting with its kind of values and its default. */
export interface Described extends About {
  values: string;
  fallback: Default;
}

/** The description of each schema that `setting` made. */
export const DESCRIPTIONS = z.registry<Described>();

/** A variable as it is given. One schema for all settings: each schema that is made costs time at the start of the worker. */
const GIVEN = z.union([z.string(), z.number(), z.boolean()], { error: "must be a text" }).optional();

/**
 * The schema of one variable: missing and empty text mean `fallback`. `wrangler.jsonc` may hold numbers and booleans too.
 * An issue has the parameter `showsValue` where the wrong value helps the reader and is no secret.
 */
export function setting<Value, const Fallback extends Default>(
  kind: Kind<Value>,
  fallback: Fallback,
  about: About,
) {
  const schema = GIVEN.transform((given, context): Value | Fallback => {
    const text = String(given ?? "");
    if (text === "") return fallback;
    const read = kind.read(text);
    if (read.ok) return read.value;
    context.addIssue({
      code: "custom",
      message: read.error ?? `must be ${kind.values}`,
      params: { showsValue: read.error === null && about.secret !== true },
    });
    return z.NEVER;
  });
  return schema.register(DESCRIPTIONS, { ...about, values: kind.values, fallback });
}
