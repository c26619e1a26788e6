import { Server } from "partyserver";
import { directoryShard, standingFault } from "../contract/directory.ts";
import { locatorOf } from "../contract/key.ts";
import { POLL_INTERVAL_SECONDS, type DecidedClaim } from "../contract/claim.ts";
import { conflict, notFound, taken, type Answer, type Problem } from "../contract/problem.ts";
import { ANYONE } from "../contract/scope.ts";
import { digestsEqual } from "../lib/hash.ts";
import { wasMade } from "../lib/made.ts";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { done, refused } from "../lib/outcome.ts";
import { Database } from "../lib/sql.ts";
import * as rows from "./rows.ts";
import { CLAIM_MIGRATIONS, type ClaimRow } from "./schema.ts";

/** The data of a new claim. */
export interface NewClaim {
  sessionDigest: string;
  /** Digest of the future key's secret. The key is never stored: it is derived from the session id, which each poll brings. */
  secretHash: string;
  /** In canonical form. */
  address: string;
  client: string | null;
  userAgent: string;
  /** The temporary mailbox whose mail is copied; null = none. */
  keep: { from: string; secretHash: string } | null;
  ttlMs: number;
}

/** A claim as the approval page shows it. */
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

/** The answer to a poll. `readable`: it may contain the key. */
export type ClaimPoll =
  | { kind: "slow_down" }
  | { kind: "status"; status: ClaimStatus; address: string; readable: boolean; keeps: boolean };

/** How long the result of a claim can be read; then the object is emptied. */
const RECORD_MS = 3_600_000;
/** How long the key can be read again, in ms: a lost answer costs no mailbox, and a leaked session id is soon useless. */
const KEY_READABLE_MS = 60_000;
/** A poll may come this many ms before `interval` is over, because the network may carry one poll faster than the one before. */
const POLL_SLACK_MS = 500;
/** A claim ends after this many wrong codes. */
const MAX_WRONG_CODES = 5;
/** How long after a failure, or the death of the process, the creation of an approved mailbox is retried, in ms. */
const RETRY_MS = 5_000;

/**
 * One claim of a permanent mailbox: who asks, what a person decided, and the result. The object's name is the device code
 * of the claim, which is derived from the session id. Asking for an unknown code writes nothing.
 */
export class ClaimSession extends Server<Env> {
  readonly #db: Database;
  /** When it was last polled. In memory: after a restart one poll may be too fast. */
  #polledAt = Number.NEGATIVE_INFINITY;
  /** The running creation of the mailbox: several approvals share one. */
  #making: Promise<void> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    if (hasSchema(this.#db)) migrate(this.#db, CLAIM_MIGRATIONS);
  }

  /** Begins a claim; 409 if the name is not available. Null if another claim has this code: the caller tries the next. */
  async open(claim: NewClaim): Promise<Answer<{ expiresAt: number }> | null> {
    if (this.#row() !== null) return null;
    const obstacle = await this.#obstacleTo(claim.address);
    if (obstacle !== null) return refused(obstacle);
    const now = Date.now();
    const expiresAt = now + claim.ttlMs;
    // Another claim may have taken this code meanwhile.
    if (this.#row() !== null) return null;
    const { sessionDigest, secretHash, address, client, userAgent, keep } = claim;
    this.#db.transaction(() => {
      migrate(this.#db, CLAIM_MIGRATIONS);
      const asked = [sessionDigest, secretHash, address, client, userAgent] as const;
      const kept = [keep?.from ?? null, keep?.secretHash ?? null] as const;
      this.#db.run(rows.INSERT_CLAIM, ...asked, ...kept, now, expiresAt);
    });
    await this.ctx.storage.setAlarm(expiresAt + RECORD_MS);
    return done({ expiresAt });
  }

  /** The claim as the approval page shows it; null if no claim has this code. */
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

  /** Counts a wrong code from a caller who knows the session id. Too many end the claim. */
  countWrongCode(sessionDigest: string): void {
    const row = this.#row();
    if (row !== null && digestsEqual(row.session_digest, sessionDigest)) {
      this.#db.run(rows.COUNT_WRONG_CODE);
    }
  }

  /** Stores the decision of a person. The same decision again changes nothing; the opposite one is a conflict. */
  async decide(decision: "approve" | "deny"): Promise<Answer<DecidedClaim>> {
    const row = this.#row();
    const now = Date.now();
    if (row === null || statusOf(row, now) === "expired") return refused(notFound("Claim"));
    if (row.status === "pending") {
      this.#db.run(rows.DECIDE_CLAIM, decision === "approve" ? "approved" : "denied", now);
      // Stored before the mailbox is created: if the process dies in between, the alarm continues.
      await this.ctx.storage.setAlarm(decision === "approve" ? now + RETRY_MS : now + RECORD_MS);
    }
    if (decision === "approve") await this.#make();
    const status = statusOf(this.#row() ?? row, now);
    if (status === "taken") return refused(taken(row.address));
    const wanted = decision === "approve" ? "complete" : "denied";
    return status === wanted
      ? done({ mailbox: row.address, status: wanted })
      : refused(
          conflict(
            `The claim is already ${status === "denied" ? "denied" : "approved"}`,
            "Call POST /v1/claim/start for another claim.",
          ),
        );
  }

  /** The state of the claim for a caller who knows its session id; null for any other. */
  poll(sessionDigest: string): ClaimPoll | null {
    const row = this.#row();
    if (row === null || !digestsEqual(row.session_digest, sessionDigest)) return null;
    const now = Date.now();
    const status = statusOf(row, now);
    if (status === "pending") {
      const isEarly = now - this.#polledAt < POLL_INTERVAL_SECONDS * 1_000 - POLL_SLACK_MS;
      // A clock that moved backwards must not make the caller wait.
      if (isEarly && now >= this.#polledAt) return { kind: "slow_down" };
      this.#polledAt = now;
    }
    const isReadable = status === "complete" && (row.read_at === null || now - row.read_at < KEY_READABLE_MS);
    if (isReadable) this.#db.run(rows.READ_CLAIM_KEY, now);
    const { address, keep_from } = row;
    return { kind: "status", status, address, readable: isReadable, keeps: keep_from !== null };
  }

  /** Continues an approved claim, or erases one that is over. */
  override async onAlarm(): Promise<void> {
    const row = this.#row();
    if (row?.status === "approved") {
      try {
        await this.#make();
      } catch (error) {
        console.error("An approved mailbox could not be created; its creation is retried:", error);
        await this.ctx.storage.setAlarm(Date.now() + RETRY_MS);
      }
      return;
    }
    if (row?.status === "complete" && row.read_at === null) await this.#eraseUnread(row);
    await this.ctx.storage.deleteAll();
  }

  /** Erases the mailbox if nobody read its key. It is erased with the key of this claim, so a mailbox of another claim stays. */
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

  /** Creates the approved mailbox. Of several claims of one name the first wins; a repeated call changes nothing. */
  async #makeOnce(): Promise<void> {
    const row = this.#row();
    if (row?.status !== "approved") return;
    const { address, secret_hash: secretHash, keep_from, keep_secret_hash } = row;
    // `create` refuses a name that somebody else took and erased since the claim began.
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
    this.#db.run(rows.DECIDE_CLAIM, created.ok ? "complete" : "taken", now);
    await this.ctx.storage.setAlarm(now + RECORD_MS);
  }

  async #obstacleTo(address: string): Promise<Problem | null> {
    const mailbox = this.env.MAILBOX.getByName(locatorOf(address));
    const isMade = await wasMade(this.env, "Mailbox", mailbox);
    if (isMade && (await mailbox.isTaken())) return taken(address);
    const standing = await this.env.DIRECTORY.getByName(directoryShard(address)).standing(address);
    return standingFault(address, standing, { evenIfQuarantined: false });
  }

  #row(): ClaimRow | null {
    return hasSchema(this.#db) ? this.#db.first(rows.READ_CLAIM) : null;
  }
}

function statusOf(row: ClaimRow, nowMs: number): ClaimStatus {
  if (row.status === "approved") return "pending";
  if (row.status !== "pending") return row.status;
  return nowMs >= row.expires_at || row.wrong_codes >= MAX_WRONG_CODES ? "expired" : "pending";
}
