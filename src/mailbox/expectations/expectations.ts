import { checkingDoors } from "../../config/env.ts";
import type { Expectation, ExpectationBody } from "../../contract/expectation.ts";
import type { Metadata } from "../../contract/message.ts";
import { conflict, invalid, notFound, type Answer } from "../../contract/problem.ts";
import { randomHex } from "../../lib/hash.ts";
import { SEQ_PER_MS, uuidV7, type Seq } from "../../lib/ids.ts";
import { ownJson } from "../../lib/json-text.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { canonicalDomain, domainOf } from "../../mail/address/address.ts";
import { isWithin, readSenderDomain } from "../../mail/address/sender-domain.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import { listingOf, viewOf } from "../messages/present.ts";
import { MESSAGES } from "../messages/schema.ts";
import { HandOvers, Waiters } from "../waiters.ts";
import * as rows from "./rows.ts";
import type { ExpectationRow, StoredRejection } from "./rows.ts";
import {
  domainsOf,
  inTime,
  isAwaited,
  judgeMail,
  releaseOf,
  shownExpectation,
  withRejected,
  type OwnAddresses,
  type Wanted,
} from "./rules.ts";
import { EXPECTATIONS } from "./schema.ts";

/** The most expectations that wait at once: each is compared with every mail that has a code. */
const MAX_WAITING = 50;
/** The most expectations that are kept, and for how long after they expire, in ms. */
const MAX_KEPT = 200;
const KEPT_MS = 86_400_000;
/**
 * Mail of the time before an expectation that is listed as too early: for how long, in ms; among how many of the newest mails;
 * and how many at most.
 */
const EARLY_MS = 600_000;
const EARLY_SCANNED = 500;
const EARLY_LISTED = 10;
/** Random bytes of a tag: nobody who does not know the address can write to it. */
const TAG_BYTES = 5;

/** A strict expectation of a deployment that checks no sender could never match. */
const NOTHING_CHECKED = conflict(
  "This deployment does not check who sent a mail, so no mail could match",
  'Repeat the call with "strict": false, which only compares the domain in From. Or ask the operator to check senders: SENDER_CHECKS=on for mail by SMTP, AUTHSERV_ID or DOH_URL for POST /v1/inbound.',
);

const withHint = (expectation: Expectation, hint: string): Expectation => ({
  ...expectation,
  hint: expectation.hint === undefined ? hint : `${expectation.hint} ${hint}`,
});

/** A call for an expectation. */
export interface ExpectationAsked {
  id: string;
  /** Seconds to wait. */
  wait: number;
  /** Answers no code, and counts as no answer. */
  isPeek: boolean;
}

/** The expectations of a mailbox: each names the domain that will send a code, and gets only the code of a mail from it. */
export class Expectations {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #messages: Tables;
  readonly #waiters = new Waiters<string>();
  /** Expectations whose first answer with a code is under way, by their numbers. */
  readonly #handOvers = new HandOvers<number>(() => undefined);

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#tables = context.tables(EXPECTATIONS);
    this.#messages = context.tables(MESSAGES);
  }

  /** Expects mail from now on. 400 for a domain that proves nothing; 409 if too many expectations wait. */
  createExpectation(access: Access, asked: ExpectationBody): Answer<Expectation> {
    const { answer, write, now } = this.#context;
    return answer(access, (account) => {
      const domain = readSenderDomain(asked.from_domain);
      if (!domain.ok) return refused(invalid("from_domain", domain.error));
      const siblings: string[] = [];
      for (const written of asked.siblings ?? []) {
        const sibling = readSenderDomain(written);
        if (!sibling.ok) return refused(invalid("siblings", `${JSON.stringify(written)} ${sibling.error}`));
        siblings.push(sibling.value);
      }
      const domains = { from_domain: domain.value, siblings: [...new Set(siblings)] };
      const wanted = { ...asked, ...domains };
      const unchecked = this.#uncheckedDoors(wanted);
      if (unchecked === "all") return refused(NOTHING_CHECKED);
      const created = write(() => this.#create(account, wanted, now()));
      return created.ok && unchecked !== null ? done(withHint(created.value, unchecked)) : created;
    });
  }

  /**
   * Answers an expectation, or waits until its mail came or its time is over. The commit that stores the mail wakes the call;
   * `forgetWait(waitId)` ends the wait. A code counts as released from `delivered(waitId)` on.
   */
  async expectation(access: Access, asked: ExpectationAsked, waitId: string): Promise<Answer<Expectation>> {
    const { now, admit, noteActivity } = this.#context;
    const deadline = now() + asked.wait * 1_000;
    let meanwhile: string | undefined;
    for (let isEnded = false; ;) {
      const admitted = admit(access);
      if (!admitted.ok) return refused({ ...admitted.error, meanwhile });
      const found = this.#open(asked.id);
      if (!found.ok) return refused({ ...found.error, meanwhile });
      const until = Math.min(deadline, found.value.expires_at, admitted.value.expiresAt ?? deadline);
      const isSettled = found.value.status !== "waiting" || now() >= until;
      if (isSettled || isEnded) return this.#answer(found.value, asked.isPeek, waitId);
      const wanted = { fits: (id: string) => id === asked.id, consume: false };
      const wait = this.#waiters.wait(waitId, wanted, until - now());
      if (!wait.ok) return wait;
      meanwhile ??= JSON.stringify(this.#shown(found.value, false));
      noteActivity(false);
      const wake = await wait.value;
      noteActivity(this.#waiters.size === 0);
      isEnded = wake.kind === "timeout" && now() < until;
    }
  }

  /** Ends an expectation: nothing more is released of it. */
  cancelExpectation(access: Access, id: string): Answer<Expectation> {
    const { answer, write } = this.#context;
    const cancelled = answer(access, (account) => {
      const found = this.#open(id);
      if (!found.ok) return found;
      write(() => {
        this.#tables.run(rows.CANCEL, found.value.number);
        this.#tables.run(rows.FORGET, found.value.number);
      });
      const row = this.#tables.first(rows.FIND, id) ?? found.value;
      return done(shownExpectation(row, viewOf(account), false));
    });
    if (cancelled.ok) this.publish([id]);
    return cancelled;
  }

  /**
   * Judges a mail within the transaction that stores it, and records the result for each open expectation. If it matches several,
   * the newest gets it, because an agent that repeats a call knows only the last answer. Returns the ids of expectations that it
   * matched, for `publish`.
   *
   * @param keptSince when a mail arrived that the rules refused and the owner releases now, in ms; null for mail that arrives
   */
  judge(mail: PreparedMail, seq: Seq, nowMs: number, keptSince: number | null): string[] {
    if ((mail.code === null && mail.link === null) || !this.#tables.isMade) return [];
    this.#tables.run(rows.EXPIRE, nowMs);
    let isTaken = false;
    const matched: string[] = [];
    const own = this.#ownAddresses(mail);
    for (const row of this.#addressed(mail, nowMs)) {
      // A repeat of the mail that it has.
      if (row.seq === seq) continue;
      const judged = inTime(judgeMail(row, mail, own), row, keptSince);
      if (judged.kind === "nothing" || (judged.kind === "fits" && isTaken)) continue;
      const why = judged.why;
      if (why !== null) this.#reject(row, { seq, ...why });
      if (judged.kind !== "fits") continue;
      isTaken = true;
      matched.push(row.id);
      this.#tables.run(rows.MATCH, seq, judged.code, judged.link, judged.isProven ? 1 : 0, row.number);
    }
    return matched;
  }

  /** Whether a proven mail comes from a domain that an expectation of its recipients waits for. */
  awaits(mail: PreparedMail, nowMs: number): boolean {
    if (!this.#tables.isMade) return false;
    return this.#addressed(mail, nowMs).some((row) => row.expires_at > nowMs && isAwaited(row, mail));
  }

  /** Wakes the calls that wait for these expectations, after the commit. */
  publish(ids: readonly string[]): void {
    for (const id of ids) this.#waiters.publish(id);
  }

  /** Number of calls that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Authenticates every waiting call again. */
  recheck(): void {
    this.#waiters.recheck();
  }

  /** Ends a wait whose caller closed its connection. */
  forgetWait(waitId: string): void {
    this.#waiters.forget(waitId);
    this.#handOvers.forget(waitId);
  }

  /** The answer to this call has left, and with it a code for the first time: repeats have it for a while. */
  delivered(waitId: string): void {
    const number = this.#handOvers.delivered(waitId);
    if (number !== null) this.#tables.run(rows.SET_RELEASED, this.#context.now(), number);
  }

  #create(
    account: Account,
    asked: Omit<ExpectationBody, "siblings"> & { siblings: readonly string[] },
    nowMs: number,
  ): Answer<Expectation> {
    this.#tables.run(rows.EXPIRE, nowMs);
    this.#tables.run(rows.SWEEP, nowMs - KEPT_MS, MAX_KEPT);
    if ((this.#tables.first(rows.COUNT_WAITING)?.count ?? 0) >= MAX_WAITING) {
      return refused(
        conflict(
          `Too many expectations wait (max ${MAX_WAITING})`,
          "Call DELETE /v1/expect/<id> for one that is not needed, or wait until one expires, then repeat the call.",
        ),
      );
    }
    const id = uuidV7(nowMs);
    const { from_domain, kind, strict, exclusive } = asked;
    const siblings = JSON.stringify(asked.siblings);
    const address = exclusive ? taggedAddress(account.row.address, randomHex(TAG_BYTES)) : null;
    const wanted = {
      from_domain,
      siblings,
      kind,
      strict: strict ? 1 : 0,
      status: "waiting",
      address,
    } as const;
    const early = exclusive ? [] : this.#early(wanted, nowMs);
    const what = [id, from_domain, siblings, kind, wanted.strict] as const;
    const until = nowMs + asked.within_seconds * 1_000;
    this.#tables.run(rows.INSERT, ...what, address, nowMs, until, JSON.stringify(early));
    const row = this.#tables.first(rows.FIND, id);
    return row === null
      ? refused(notFound("Expectation"))
      : done(shownExpectation(row, viewOf(account), false));
  }

  /**
   * What no mail can prove itself by to a strict expectation: "all" doors, a sentence about some, or null. Mail between
   * mailboxes of the deployment is always proven.
   */
  #uncheckedDoors(wanted: {
    strict: boolean;
    from_domain: string;
    siblings: readonly string[];
  }): string | null {
    const config = this.#context.config();
    if (!wanted.strict || [wanted.from_domain, ...wanted.siblings].includes(config.mailDomain)) return null;
    const doors = checkingDoors(config);
    const unchecked = doors.filter(({ checks }) => !checks).map(({ door }) => door);
    if (unchecked.length === 0) return null;
    if (unchecked.length === doors.length) return "all";
    return `This deployment does not check who sent mail that comes by ${unchecked.join(" or ")}, so such mail never matches.`;
  }

  /** Mail with a code that seems to come from the expected domain and came before the expectation. */
  #early(wanted: Wanted, nowMs: number): StoredRejection[] {
    const after = Math.max(0, nowMs - EARLY_MS) * SEQ_PER_MS - 1;
    const recent = this.#messages.all(rows.RECENT_CODES, after, EARLY_SCANNED);
    const domains = domainsOf(wanted);
    return recent
      .filter(({ code, link, listing }) => {
        const brings = { code: code !== null, link: link !== null, any: true };
        const sender = canonicalDomain(domainOf(listingOf({ listing }).from_address));
        return brings[wanted.kind] && sender !== null && domains.some((domain) => isWithin(sender, domain));
      })
      .slice(0, EARLY_LISTED)
      .map(({ seq }) => ({ seq, reason: "too_early" as const }))
      .reverse();
  }

  /** The expectation with this id, after those that are over were marked as expired. */
  #open(id: string): Answer<ExpectationRow> {
    const nowMs = this.#context.now();
    const row = this.#tables.first(rows.FIND, id);
    if (row === null) return refused(notFound("Expectation"));
    if (row.status !== "waiting" || row.expires_at > nowMs) return done(row);
    this.#tables.run(rows.EXPIRE, nowMs);
    return done({ ...row, status: "expired" });
  }

  /** Answers an expectation with its code if that may be answered. */
  #answer(row: ExpectationRow, isPeek: boolean, waitId: string): Answer<Expectation> {
    const release = row.status === "matched" && !isPeek ? releaseOf(row, this.#context.now()) : null;
    const isOver = release === "over" && (row.code !== null || row.link !== null);
    if (release === "first") this.#handOvers.hold(waitId, row.number);
    // Erased, so that a clock that jumps back brings nothing back.
    if (isOver) this.#tables.run(rows.FORGET, row.number);
    const shown = this.#shown(row, release === "first" || release === "repeat");
    return shown === undefined ? refused(notFound("Expectation")) : done(shown);
  }

  #shown(row: ExpectationRow, isReleased: boolean): Expectation | undefined {
    const account = this.#context.account();
    return account === null ? undefined : shownExpectation(row, viewOf(account), isReleased);
  }

  /** The open expectations that mail to these addresses may match: that of a tagged address alone, or all that have none. */
  #addressed(mail: PreparedMail, nowMs: number): ExpectationRow[] {
    const tagged = this.#tables.all(rows.TAGGED, JSON.stringify(recipientsOf(mail)));
    const isOpen = ({ status, expires_at }: ExpectationRow) =>
      status === "waiting" || (status === "matched" && expires_at > nowMs);
    if (tagged.length > 0) return tagged.filter(isOpen);
    return this.#tables.all(rows.OPEN, nowMs).filter(({ address }) => address === null);
  }

  #ownAddresses(mail: PreparedMail): OwnAddresses {
    return { mailbox: this.#context.account()?.row.address ?? "", recipients: recipientsOf(mail) };
  }

  #reject(row: ExpectationRow, rejection: StoredRejection): void {
    const rejected = withRejected(row.rejected, rejection);
    if (rejected !== null) this.#tables.run(rows.SET_REJECTED, rejected, row.number);
  }
}

/** The envelope recipients of a mail that are this mailbox, with their tags. */
function recipientsOf({ toAddress, detail }: PreparedMail): string[] {
  const { metadata } = ownJson<{ metadata: Metadata }>(detail);
  return [toAddress, ...(metadata.envelope_recipients ?? [])];
}

function taggedAddress(address: string, tag: string): string {
  const at = address.lastIndexOf("@");
  return `${address.slice(0, at)}+${tag}${address.slice(at)}`;
}
