import type { Problem } from "../../contract/problem.ts";
import type { Scope } from "../../contract/scope.ts";

/** A caller's credential. Only the router sees the secret itself; the actor gets and stores its digest. */
export type Credential = { kind: "key"; secretHash: string } | { kind: "operator" };

/** A caller's request to act on a mailbox. The mailbox checks it in the same call that does the work. */
export interface Access {
  credential: Credential;
  /** Scopes that are allowed to. */
  scopes: readonly Scope[];
  /** The request also names another mailbox. It is refused, but only after the key was found valid. */
  foreign: boolean;
  /** Whether the request is allowed on a paused mailbox. */
  whilePaused: boolean;
  /** A fault of the request itself, such as an invalid parameter. Only an authorized caller gets to see it. */
  fault: Problem | null;
  /** True if an earlier call for the same request was counted against the limit of calls a minute. */
  isCounted?: boolean;
  /** URL where the holder of a provisional key can claim a permanent mailbox. */
  upgradeUrl: string;
}

/** An authenticated caller. */
export interface Principal {
  scope: Scope;
  /** Null for the operator. */
  keyId: string | null;
  /** When the key expires, in ms since 1970; null = never. */
  expiresAt: number | null;
}
