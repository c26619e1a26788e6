import type { Config } from "../../config/env.ts";
import type { Answer, Problem } from "../../contract/problem.ts";
import { refused } from "../../lib/outcome.ts";
import { TokenBucket } from "../../lib/token-bucket.ts";
import type { Access, Principal } from "./access.ts";
import { noMailbox, type Account } from "./account.ts";
import { spentCalls } from "./call-limits.ts";

/** Authenticates callers and applies the call limit. */
export class Admission {
  readonly #live: (nowMs: number) => Account | null;
  readonly #config: () => Config;
  readonly #calls = new TokenBucket();
  readonly #counted = new WeakSet<Access>();

  /** @param live answers the mailbox while it is live. */
  constructor(live: (nowMs: number) => Account | null, config: () => Config) {
    this.#live = live;
    this.#config = config;
  }

  /** Authenticates a caller and checks what it may do; does nothing more. */
  admit(access: Access, nowMs: number): Answer<Principal> {
    const judged = this.#live(nowMs)?.admit(access, nowMs) ?? refused(noMailbox(access));
    // Errors of authentication come before the call limit; a fault of the request counts as a call.
    if (!judged.ok && judged.error !== access.fault) return judged;
    const spent = this.#spentCalls(access, nowMs);
    return spent === null ? judged : refused(spent);
  }

  /** Authenticates a caller as `admit` does, then does the work in the same synchronous turn. */
  answer<T>(
    access: Access,
    nowMs: number,
    work: (account: Account, principal: Principal) => Answer<T>,
  ): Answer<T> {
    const admitted = this.admit(access, nowMs);
    if (!admitted.ok) return admitted;
    const account = this.#live(nowMs);
    return account === null ? refused(noMailbox(access)) : work(account, admitted.value);
  }

  /** Counts a request once, however often its caller is authenticated while it waits. Calls of the operator do not count. */
  #spentCalls(access: Access, nowMs: number): Problem | null {
    const isCounted = access.isCounted === true || this.#counted.has(access);
    if (access.credential.kind === "operator" || isCounted) return null;
    const limit = { name: "requests", limit: this.#config().requestsPerMinute };
    const spent = spentCalls(this.#calls, limit, nowMs);
    if (spent === null) this.#counted.add(access);
    return spent;
  }
}
