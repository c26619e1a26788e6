import type { Chain, Schema } from "../lib/schemas.ts";
import { ACCOUNT, KEYS } from "./account/schema.ts";
import { BLOBS, CHUNKS } from "./blobs/schema.ts";
import { CODES } from "./codes/schema.ts";
import { DOMAINS } from "./domains/schema.ts";
import { EARLIER_STEPS } from "./earlier-schema.ts";
import { EMBEDDINGS } from "./embeddings/schema.ts";
import { EXPECTATIONS } from "./expectations/schema.ts";
import { IMPORTS } from "./imports/schema.ts";
import { LOG } from "./log/schema.ts";
import { MESSAGE_BLOBS, MESSAGES, SEARCH_INDEX, THREAD_ALIASES } from "./messages/schema.ts";
import { REFUSED, RULES } from "./rules/schema.ts";
import { SEEN } from "./seen/schema.ts";
import { SENDING } from "./sending/schema.ts";
import { TAKEOVER } from "./takeover/schema.ts";
import { TOTP } from "./totp/schema.ts";
import { UPLOADS } from "./uploads/schema.ts";
import { WEBHOOKS } from "./webhooks/schema.ts";

/** The schemas whose first steps amount to the one chain of steps of earlier releases. A later schema is not in it. */
const EARLIER_SCHEMAS: readonly Schema[] = [
  ACCOUNT,
  LOG,
  MESSAGES,
  THREAD_ALIASES,
  CODES,
  BLOBS,
  CHUNKS,
  WEBHOOKS,
  UPLOADS,
  SENDING,
  DOMAINS,
  TAKEOVER,
  EMBEDDINGS,
];

/**
 * The schemas of all capabilities: a new one is added here. A new mailbox has that of its account; each other is made at the
 * first write to it.
 */
export const SCHEMAS: readonly Schema[] = [
  ...EARLIER_SCHEMAS,
  KEYS,
  SEARCH_INDEX,
  MESSAGE_BLOBS,
  IMPORTS,
  EXPECTATIONS,
  TOTP,
  RULES,
  REFUSED,
  SEEN,
];

/** How data of an earlier release becomes that of this one. */
export const EARLIER: Chain = { steps: EARLIER_STEPS, made: EARLIER_SCHEMAS };
