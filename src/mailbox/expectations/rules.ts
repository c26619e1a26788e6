import type { Authentication } from "../../contract/message.ts";
import type { Expectation } from "../../contract/expectation.ts";
import { idOf, seqTime } from "../../lib/ids.ts";
import { ownJson } from "../../lib/json-text.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { isFreeMail, isWithin } from "../../mail/address/sender-domain.ts";
import { judgeLink, type LinkJudgement } from "../../mail/code/link-host.ts";
import type { View } from "../messages/present.ts";
import type { ExpectationRow, StoredRejection } from "./rows.ts";

/** How long after its first answer a code is answered again, in ms, because answers get lost. */
export const REPEAT_MS = 60_000;
/** The most mails that are listed for one reason: a flood for one reason hides no mail of another. */
export const MAX_REJECTED_OF_A_REASON = 20;

/** The parts of a mail that decide whether it was expected. */
export interface ArrivedMail {
  code: string | null;
  link: string | null;
  /** Domain of the one author, in canonical form; null if the mail has no author, several, or an unreadable one. */
  authorDomain: string | null;
  /** Whether that domain is proven; null where nothing was checked. */
  authentication: Pick<Authentication, "verdict" | "aligned_domain"> | null;
  /** Addresses of To and Cc, with their tags (`trimmedAddress`): those that the proven domain wrote, and the others. */
  named: readonly string[];
  unproven: readonly string[];
  /** Whether it says that it answers a mail (RFC 3834). */
  isAutoReplied: boolean;
}

/** The addresses of a mailbox, as far as they concern one mail. */
export interface OwnAddresses {
  /** In canonical form. */
  mailbox: string;
  /** The envelope recipients of the mail that reached the mailbox, with their tags: those of a custom domain too. */
  recipients: readonly string[];
}

/** The parts of an expectation that decide. */
export type Wanted = Pick<
  ExpectationRow,
  "from_domain" | "siblings" | "kind" | "strict" | "status" | "address"
>;

/** Why a mail, or a part of it, was not released. */
type Why = Omit<StoredRejection, "seq">;

/** The judgement of a mail for one expectation. */
export type Judgement =
  /** It brings nothing that was asked for. */
  | { kind: "nothing" }
  | { kind: "rejected"; why: Why }
  /** `code` and `link` are what may be answered; `why` is what was held back of it. */
  | {
      kind: "fits";
      code: string | null;
      link: string | null;
      isProven: boolean;
      why: Why | null;
    };

/** The domains that mail and links of an expectation may have. */
export function domainsOf({
  from_domain,
  siblings,
}: Pick<Wanted, "from_domain" | "siblings">): readonly string[] {
  return [from_domain, ...ownJson<string[]>(siblings)];
}

/**
 * Judges a mail that came while an expectation was open: its author's domain first, then whether that is proven and the mail was
 * written to the expected address, then whether something was released before, then where its link leads.
 */
export function judgeMail(wanted: Wanted, mail: ArrivedMail, own: OwnAddresses): Judgement {
  const { kind } = wanted;
  const code = kind === "link" ? null : mail.code;
  const link = kind === "code" ? null : mail.link;
  if (code === null && link === null) return { kind: "nothing" };
  const domains = domainsOf(wanted);
  const why = senderFault(wanted, domains, mail) ?? addressingFault(wanted, mail, own);
  if (why !== null) return { kind: "rejected", why };
  if (wanted.status === "matched") return { kind: "rejected", why: { reason: "second_code" } };
  return judgeContents({ code, link }, domains, isProven(mail));
}

/**
 * Rejects a mail that the rules had refused before the expectation was made, and that the owner releases now. `keptSince` is when
 * it arrived, in ms; null for mail that arrives now. Of one millisecond nobody knows the order.
 */
export function inTime(
  judged: Judgement,
  { created_at }: Pick<ExpectationRow, "created_at">,
  keptSince: number | null,
): Judgement {
  const isEarly = judged.kind === "fits" && keptSince !== null && keptSince <= created_at;
  return isEarly ? { kind: "rejected", why: { reason: "too_early" } } : judged;
}

/** Judges code and link of a mail whose sender is the right one. */
function judgeContents(
  { code, link }: Pick<ArrivedMail, "code" | "link">,
  domains: readonly string[],
  isProven: boolean,
): Judgement {
  if (link === null) return { kind: "fits", code, link, isProven, why: null };
  const judged = judgeLink(link, domains);
  if (judged.isOwn) return { kind: "fits", code, link: judged.url, isProven, why: null };
  const why = linkFault(judged);
  return code === null ? { kind: "rejected", why } : { kind: "fits", code, link: null, isProven, why };
}

/** Whether the author's domain is proven, and it is the author's domain that was judged. */
function isProven({ authorDomain, authentication }: ArrivedMail): boolean {
  return authentication?.verdict === "pass" && authentication.aligned_domain === authorDomain;
}

/** Why a mail does not come from one of these domains; null if it does. */
function senderFault({ strict }: Wanted, domains: readonly string[], mail: ArrivedMail): Why | null {
  const { authorDomain, authentication } = mail;
  if (authorDomain === null) return { reason: "unverified_sender" };
  if (!domains.some((domain) => isWithin(authorDomain, domain))) return { reason: "other_domain" };
  // A mail that is proven to be forged never matches, whatever `strict` says.
  const isEnough = strict === 1 ? isProven(mail) : authentication?.verdict !== "fail";
  return isEnough ? null : { reason: "unverified_sender" };
}

/**
 * Why a proven mail does not count as written to the owner of the expectation; null if it does. A stranger who has signed up with
 * an address of his own can pass on the mail that he got, signature and all, but To and Cc then name him.
 */
function addressingFault({ strict, address }: Wanted, mail: ArrivedMail, own: OwnAddresses): Why | null {
  // Anybody can write any header where nothing is proven.
  if (strict === 0) return null;
  const isOwn = (one: string): boolean =>
    address === null
      ? own.recipients.includes(one) || canonicalAddress(one) === own.mailbox
      : one === address;
  if (!mail.named.some(isOwn)) {
    const detail = mail.unproven.some(isOwn) ? "unsigned_recipient" : "other_recipient";
    return { reason: "unverified_sender", detail };
  }
  return mail.isAutoReplied ? { reason: "unverified_sender", detail: "automatic_answer" } : null;
}

/** Whether a proven mail comes from a domain that a waiting, strict expectation names, whatever the mail brings. */
export function isAwaited(wanted: Wanted, mail: ArrivedMail): boolean {
  const { authorDomain } = mail;
  if (wanted.strict === 0 || wanted.status !== "waiting" || authorDomain === null || !isProven(mail))
    return false;
  return domainsOf(wanted).some((domain) => isWithin(authorDomain, domain));
}

function linkFault({ host, isRedirector }: Extract<LinkJudgement, { isOwn: false }>): Why {
  return {
    reason: "link_host",
    ...(host === "" ? {} : { link_host: host }),
    ...(isRedirector ? { redirector: true } : {}),
  };
}

/** The list of rejected mails with another one; null if the list has enough of its reason. */
export function withRejected(stored: string, rejection: StoredRejection): string | null {
  const listed = ownJson<StoredRejection[]>(stored);
  const same = listed.filter(({ reason }) => reason === rejection.reason);
  return same.length >= MAX_REJECTED_OF_A_REASON ? null : JSON.stringify([...listed, rejection]);
}

/** Whether a matched expectation still answers its code. */
export type Release =
  /** It is answered for the first time, and that is written down first. */
  | "first"
  /** It is answered again. */
  | "repeat"
  /** It is not answered any more. */
  | "over";

/** Tells whether a code may be answered now. A clock that jumps back by more than a minute ends the repeats too. */
export function releaseOf({ released_at }: Pick<ExpectationRow, "released_at">, nowMs: number): Release {
  if (released_at === null) return "first";
  return Math.abs(nowMs - released_at) < REPEAT_MS ? "repeat" : "over";
}

/** An expectation as it is answered. `isReleased`: with its code. */
export function shownExpectation(row: ExpectationRow, view: View, isReleased: boolean): Expectation {
  const isMatched = row.status === "matched" && row.seq !== null;
  const hint = hintOf(row);
  return {
    id: row.id,
    address: row.address ?? view.mailbox,
    from_domain: row.from_domain,
    siblings: ownJson<string[]>(row.siblings),
    kind: row.kind,
    strict: row.strict === 1,
    exclusive: row.address !== null,
    expires_at: new Date(row.expires_at).toISOString(),
    status: row.status,
    code: isMatched && isReleased ? row.code : null,
    link: isMatched && isReleased ? row.link : null,
    email_id: isMatched && row.seq !== null ? idOf(row.seq, view.tail) : null,
    sender_verified: isMatched && row.sender_verified === 1,
    rejected: ownJson<StoredRejection[]>(row.rejected).map(({ seq, ...why }) => ({
      email_id: idOf(seq, view.tail),
      ...why,
      at: new Date(seqTime(seq)).toISOString(),
    })),
    ...(hint === null ? {} : { hint }),
  };
}

/** The sentences about weaknesses of an expectation; null if it has none. */
function hintOf(row: ExpectationRow): string | null {
  const free = domainsOf(row).filter(isFreeMail);
  const hints = [
    row.strict === 1
      ? null
      : "strict is false: the domain of From is compared and not proven, so anybody can write such a mail.",
    free.length === 0
      ? null
      : `Everybody can have an address at ${free.join(", ")}: such mail proves the provider, not who wrote it.`,
  ].filter((hint) => hint !== null);
  return hints.length === 0 ? null : hints.join(" ");
}
