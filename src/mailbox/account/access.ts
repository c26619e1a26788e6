import type { Problem } from "../../contract/problem.ts";
import type { Scope } from "../../contract/scope.ts";

/** What a caller showed. The secret itself stays in the router; the actor sees and keeps its digest. */
export type Credential = { kind: "key"; secretHash: string } | { kind: "operator" };

/** A caller's wish to act on a mailbox, judged by the mailbox in the same call that does the work. */
export interface Access {
  credential: Credential;
  /** Scopes that may do it. */
  scopes: readonly Scope[];
  /** The request also names another mailbox: refused, but only after the key proved right. */
  foreign: boolean;
  /** Allowed on a paused mailbox too. */
  whilePaused: boolean;
  /** Why the request cannot be done whoever asks; told only to a caller that may ask. */
  fault: Problem | null;
  /** An earlier call of the same request was counted against the calls of a minute. */
  isCounted?: boolean;
  /** Where a provisional key's holder gets a permanent mailbox. */
  upgradeUrl: string;
}

/** Who a caller proved to be. */
export interface Principal {
  scope: Scope;
  /** Null for the operator. */
  keyId: string | null;
  /** ms since 1970; null = does not end by itself. */
  expiresAt: number | null;
}
