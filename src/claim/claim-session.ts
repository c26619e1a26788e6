import { Server } from "partyserver";
import { directoryShard, standingFault } from "../contract/directory.ts";
import { locatorOf } from "../contract/key.ts";
import { POLL_INTERVAL_SECONDS, type DecidedClaim } from "../contract/claim.ts";
import { conflict, notFound, type Answer, type Problem } from "../contract/problem.ts";
import { ANYONE } from "../contract/scope.ts";
import { digestsEqual } from "../lib/hash.ts";
import { wasMade } from "../lib/made.ts";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { done, refused } from "../lib/outcome.ts";
import { Database } from "../lib/sql.ts";
import { CLAIM_MIGRATIONS, type ClaimRow } from "../directory/schema.ts";
import * as statements from "../directory/statements.ts";

/** What a claim begins with. */
export interface NewClaim {
  sessionDigest: string;
  /** Digest of the secret of the key to be. The key itself is never kept: who polls says the session id it follows from. */
  secretHash: string;
  /** Canonical. */
  address: string;
  client: string | null;
  userAgent: string;
  /** The temporary mailbox whose mail comes along. */
  keep: { from: string; secretHash: string } | null;
  ttlMs: number;
}

/** A claim as its page shows it. */
export interface ClaimView {
  address: string;
  client: string | null;
  userAgent: string;
  keepFrom: string | null;
  createdAt: number;
  expiresAt: number;
  status: ClaimStatus;
}

/** `expired`: nobody decided in time. */
export type ClaimStatus = "pending" | "complete" | "denied" | "taken" | "expired";

/** What a poll hears. `readable`: the key may be said. */
export type ClaimPoll =
  | { kind: "slow_down" }
  | { kind: "status"; status: ClaimStatus; address: string; readable: boolean; keeps: boolean };

/** How long the end of a claim can still be read; then the object is empty. */
const RECORD_MS = 3_600_000;
/** A lost answer must not lose the mailbox; a found session id must not give it away for long. */
const KEY_READABLE_MS = 60_000;
/** A client that waits for `interval` between two polls is never too fast, though the network carries one faster. */
const POLL_SLACK_MS = 500;
/** Wrong codes that a claim bears; then it is over. */
const MAX_WRONG_CODES = 5;
/** When the making of an approved mailbox is tried again, should it have failed or its process have ended. */
const RETRY_MS = 5_000;

/**
 * One claim of a permanent mailbox: who asks, what a person decided, and what became of it. Named by its device code, which
 * follows from the session id; an unknown code gets no row by being asked for.
 */
export class ClaimSession extends Server<Env> {
  readonly #db: Database;
  /** In memory: who loses it is asked to slow down one time less. */
  #polledAt = Number.NEGATIVE_INFINITY;
  /** The one making of the mailbox, however many approve. */
  #making: Promise<void> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    if (hasSchema(this.#db)) migrate(this.#db, CLAIM_MIGRATIONS);
  }

  /** Begins a claim; 409 where the name is not to be had. Null: this code is another claim's, and the next is to be tried. */
  async open(claim: NewClaim): Promise<Answer<{ expiresAt: number }> | null> {
    if (this.#row() !== null) return null;
    const hindrance = await this.#hindranceOf(claim.address);
    if (hindrance !== null) return refused(hindrance);
    const now = Date.now();
    const expiresAt = now + claim.ttlMs;
    // Somebody else's claim may have come here meanwhile.
    if (this.#row() !== null) return null;
    const { sessionDigest, secretHash, address, client, userAgent, keep } = claim;
    this.#db.transaction(() => {
      migrate(this.#db, CLAIM_MIGRATIONS);
      const asked = [sessionDigest, secretHash, address, client, userAgent] as const;
      const kept = [keep?.from ?? null, keep?.secretHash ?? null] as const;
      this.#db.run(statements.INSERT_CLAIM, ...asked, ...kept, now, expiresAt);
    });
    await this.ctx.storage.setAlarm(expiresAt + RECORD_MS);
    return done({ expiresAt });
  }

  /** What the page shows; null for a code that is no claim's. */
  look(): ClaimView | null {
    const row = this.#row();
    if (row === null) return null;
    return {
      address: row.address,
      client: row.client,
      userAgent: row.user_agent,
      keepFrom: row.keep_from,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      status: statusOf(row, Date.now()),
    };
  }

  /** Counts a code that was not this claim's, said by somebody who knows its session; too many end it. */
  countWrongCode(sessionDigest: string): void {
    const row = this.#row();
    if (row !== null && digestsEqual(row.session_digest, sessionDigest)) {
      this.#db.run(statements.COUNT_WRONG_CODE);
    }
  }

  /** Decides, once: said again it is the same, and the other way round is a conflict. */
  async decide(decision: "approve" | "deny"): Promise<Answer<DecidedClaim>> {
    const row = this.#row();
    const now = Date.now();
    if (row === null || statusOf(row, now) === "expired") return refused(notFound("Claim"));
    if (row.status === "pending") {
      this.#db.run(statements.DECIDE_CLAIM, decision === "approve" ? "approved" : "denied", now);
      // Written before the mailbox is made: should the process end in between, the alarm goes on.
      await this.ctx.storage.setAlarm(decision === "approve" ? now + RETRY_MS : now + RECORD_MS);
    }
    if (decision === "approve") await this.#make();
    const status = statusOf(this.#row() ?? row, now);
    if (status === "taken") return refused(taken(row.address));
    const wanted = decision === "approve" ? "complete" : "denied";
    return status === wanted
      ? done({ mailbox: row.address, status: wanted })
      : refused(conflict(`The claim is already ${status === "denied" ? "denied" : "approved"}`));
  }

  /** What became of the claim, for who knows its session; null for anybody else. */
  poll(sessionDigest: string): ClaimPoll | null {
    const row = this.#row();
    if (row === null || !digestsEqual(row.session_digest, sessionDigest)) return null;
    const now = Date.now();
    const status = statusOf(row, now);
    if (status === "pending") {
      const isEarly = now - this.#polledAt < POLL_INTERVAL_SECONDS * 1_000 - POLL_SLACK_MS;
      // A clock that went back makes nobody wait.
      if (isEarly && now >= this.#polledAt) return { kind: "slow_down" };
      this.#polledAt = now;
    }
    const isReadable = status === "complete" && (row.read_at === null || now - row.read_at < KEY_READABLE_MS);
    if (isReadable) this.#db.run(statements.READ_CLAIM_KEY, now);
    const { address, keep_from } = row;
    return { kind: "status", status, address, readable: isReadable, keeps: keep_from !== null };
  }

  /** Goes on with what was approved, or ends: nothing is left behind. */
  override async onAlarm(): Promise<void> {
    const row = this.#row();
    if (row?.status === "approved") {
      try {
        await this.#make();
      } catch (error) {
        console.error("An approved mailbox could not be made and is tried again:", error);
        await this.ctx.storage.setAlarm(Date.now() + RETRY_MS);
      }
      return;
    }
    if (row?.status === "complete" && row.read_at === null) await this.#eraseUnread(row);
    await this.ctx.storage.deleteAll();
  }

  /** A mailbox whose key nobody fetched is nobody's. Only the key of this very claim ends it: another's stays. */
  async #eraseUnread({ address, secret_hash: secretHash }: ClaimRow): Promise<void> {
    await this.env.MAILBOX.getByName(locatorOf(address)).destroy({
      credential: { kind: "key", secretHash },
      scopes: ANYONE,
      foreign: false,
      whilePaused: true,
      fault: null,
      upgradeUrl: "",
    });
  }

  async #make(): Promise<void> {
    this.#making ??= this.#makeOnce().finally(() => {
      this.#making = null;
    });
    await this.#making;
  }

  /** Makes the mailbox that was approved. Of several claims the first to come here wins; repeated it is the same mailbox. */
  async #makeOnce(): Promise<void> {
    const row = this.#row();
    if (row?.status !== "approved") return;
    const { address, secret_hash: secretHash, keep_from, keep_secret_hash } = row;
    // It refuses what somebody else had, and erased, since the claim began.
    const created = await this.env.MAILBOX.getByName(locatorOf(address)).create({
      address,
      kind: "permanent",
      secretHash,
      scope: "mailbox",
      expiresAt: null,
      takeOver:
        keep_from === null || keep_secret_hash === null
          ? null
          : { from: keep_from, secretHash: keep_secret_hash },
    });
    if (!created.ok && created.error.code !== "conflict") throw new Error(created.error.error);
    const now = Date.now();
    this.#db.run(statements.DECIDE_CLAIM, created.ok ? "complete" : "taken", now);
    await this.ctx.storage.setAlarm(now + RECORD_MS);
  }

  async #hindranceOf(address: string): Promise<Problem | null> {
    const mailbox = this.env.MAILBOX.getByName(locatorOf(address));
    const isMade = await wasMade(this.env, "Mailbox", mailbox);
    if (isMade && (await mailbox.isTaken())) return taken(address);
    const standing = await this.env.DIRECTORY.getByName(directoryShard(address)).standing(address);
    return standingFault(address, standing, { evenIfQuarantined: false });
  }

  #row(): ClaimRow | null {
    return hasSchema(this.#db) ? this.#db.first(statements.READ_CLAIM) : null;
  }
}

function statusOf(row: ClaimRow, nowMs: number): ClaimStatus {
  if (row.status === "approved") return "pending";
  if (row.status !== "pending") return row.status;
  return nowMs >= row.expires_at || row.wrong_codes >= MAX_WRONG_CODES ? "expired" : "pending";
}

function taken(address: string): Problem {
  return conflict(`${address} is taken`);
}
