import type { Config } from "../../config/env.ts";
import type { Answer, Problem } from "../../contract/problem.ts";
import { refused } from "../../lib/outcome.ts";
import { TokenBucket } from "../../lib/token-bucket.ts";
import type { Access, Principal } from "./access.ts";
import { noMailbox, type Account } from "./account.ts";
import { spentCalls } from "./call-limits.ts";

/** Judges the callers of a mailbox. */
export class Admission {
  readonly #live: (nowMs: number) => Account | null;
  readonly #config: () => Config;
  readonly #calls = new TokenBucket();
  readonly #counted = new WeakSet<Access>();

  /** @param live the mailbox while it lives. */
  constructor(live: (nowMs: number) => Account | null, config: () => Config) {
    this.#live = live;
    this.#config = config;
  }

  /** Judges a caller and does nothing more. */
  admit(access: Access, nowMs: number): Answer<Principal> {
    const judged = this.#live(nowMs)?.admit(access, nowMs) ?? refused(noMailbox(access));
    // A caller that may not ask hears that first; a fault of the request counts like any other call.
    if (!judged.ok && judged.error !== access.fault) return judged;
    const spent = this.#spentCalls(access, nowMs);
    return spent === null ? judged : refused(spent);
  }

  /** Judges a caller, then does the work in the same turn. */
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

  /** Counts a request once, however often it is judged while it waits or listens. The operator's are not counted. */
  #spentCalls(access: Access, nowMs: number): Problem | null {
    const isCounted = access.isCounted === true || this.#counted.has(access);
    if (access.credential.kind === "operator" || isCounted) return null;
    const limit = { name: "requests", limit: this.#config().requestsPerMinute };
    const spent = spentCalls(this.#calls, limit, nowMs);
    if (spent === null) this.#counted.add(access);
    return spent;
  }
}
