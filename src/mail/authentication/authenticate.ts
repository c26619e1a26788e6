import type { Authentication, Metadata } from "../../contract/message.ts";
import type { CheckedSender } from "../../contract/checked-sender.ts";
import { canonicalDomain, domainOf } from "../address/address.ts";
import { readHeaderBlock } from "../mime/header-block.ts";
import type { ParsedMail } from "../mime/parsed-mail.ts";
import { isAligned } from "./alignment.ts";
import { authorOf } from "./author.ts";
import { checkedSenderOf, factsOfChecked } from "./checked-sender.ts";
import { coveredByAll, RECIPIENT_FIELDS } from "./covered-fields.ts";
import type { Findings, SpfFinding } from "./checks/findings.ts";
import { judge, sentInside, wholeAuthentication, type StoredAuthentication } from "./judge.ts";
import { cloudflareResults } from "./reports/cloudflare.ts";
import { combined } from "./reports/combine.ts";
import { readResultsField, type FieldResults } from "./reports/results-field.ts";
import type { SenderFacts } from "./sender-facts.ts";

/** How it is known who sent a message. */
export type SenderCheck =
  /** Its header has the results of a server in front of this service. `own`: what this service found besides; null: nothing. */
  | { kind: "reported"; by: Reporter; own: Findings | null }
  /** This service's own SMTP listener has checked it. */
  | { kind: "self"; checked: CheckedSender }
  /** It was judged when it arrived. */
  | { kind: "kept"; authentication: StoredAuthentication };

/** Who checked a message before it came here: Cloudflare, or the gateway that writes under this name; null: nobody. */
export type Reporter = { kind: "cloudflare" } | { kind: "border"; authservId: string | null };

/** The results that `reporter` wrote into the header of a message; null where there are none that can be believed. */
export function reportedResults(raw: Uint8Array, reporter: Reporter): FieldResults | null {
  // Most deployments have no gateway.
  if (reporter.kind === "border" && reporter.authservId === null) return null;
  const { fields } = readHeaderBlock(raw);
  if (reporter.kind === "cloudflare") return cloudflareResults(fields);
  const values = fields.filter(({ name }) => name === "authentication-results").map(({ value }) => value);
  return readResultsField(values, reporter.authservId);
}

/** The result of SPF in a report, for a check of DMARC; undefined where it does not say which domain it is about. */
export function reportedSpf(results: FieldResults | null): SpfFinding | undefined {
  const domain = canonicalDomain(results?.spfDomain ?? "");
  if (results === null || domain === null || results.spf === "policy") return undefined;
  return { result: results.spf, domain };
}

/** A message, and how it came. */
interface Arrived {
  raw: Uint8Array;
  parsed: Pick<ParsedMail, "from">;
  via: Metadata["received_via"];
}

/** Judges the sender of a message; null where nothing was checked. */
export function authenticate(mail: Arrived, check: SenderCheck | null): Authentication | null {
  if (check?.kind === "kept") return wholeAuthentication(check.authentication, shownAuthor(mail));
  // Anybody can forge authentication results in this server's name in an archive.
  if (mail.via === "import") return null;
  if (mail.via === "api") return sentInside(onlyAuthor(mail, authorOf(mail.raw).domain));
  if (check === null) return null;
  const facts = check.kind === "self" ? factsOfChecked(check.checked) : reportedFacts(mail, check);
  return facts && judge({ ...facts, fromDomain: onlyAuthor(mail, facts.fromDomain) });
}

/**
 * The domain that a check was about, if the message surely has this one author: by a strict reading, and as the sender that is
 * shown. Else null: a header that two programs read differently proves nothing.
 */
function onlyAuthor(mail: Arrived, checked: string | null): string | null {
  return checked === shownAuthor(mail) ? checked : null;
}

/** The author's domain by a strict reading, if it is also that of the address that is shown as the sender's; else null. */
export function shownAuthor({ raw, parsed }: Omit<Arrived, "via">): string | null {
  const { domain } = authorOf(raw);
  return domain === canonicalDomain(domainOf(parsed.from.address)) ? domain : null;
}

function reportedFacts(
  mail: Arrived,
  { by, own }: Extract<SenderCheck, { kind: "reported" }>,
): SenderFacts | null {
  const results = reportedResults(mail.raw, by);
  const found = own && factsOfChecked(checkedSenderOf(own));
  if (results === null || found === null || own === null) {
    return results === null ? found : factsOf(results, mail, { by, fromDomain: authorOf(mail.raw).domain });
  }
  const isWhole = own.dmarc.record === null || own.spf !== null;
  const reported = factsOf(results, mail, { by, fromDomain: own.fromDomain });
  return combined(reported, { facts: found, isWhole }, { needsOwn: by.kind === "cloudflare" });
}

function factsOf(
  results: FieldResults,
  { raw }: Arrived,
  { fromDomain, by }: { fromDomain: string | null; by: Reporter },
): SenderFacts {
  const signatures = results.signatures.map((one) => {
    const domain = canonicalDomain(one.domain) ?? "";
    const aligned = fromDomain !== null && isAligned(domain, fromDomain, "relaxed");
    return { ...one, domain, bits: null, aligned };
  });
  // A server that judged another author than the one that is shown has judged another message.
  const isSameAuthor = results.authors.every((author) => canonicalDomain(author) === fromDomain);
  const { spf, dkim, dmarc } = results;
  const author = isSameAuthor ? fromDomain : null;
  return {
    checkedBy: by.kind,
    fromDomain: author,
    spf,
    dkim,
    dmarc,
    signatures,
    covered: isSpfProof(results, author) ? RECIPIENT_FIELDS : coveredByAll(raw, author),
    arc: null,
    conflict: !isSameAuthor,
  };
}

/** Whether a report says that the client which sent the message may send for the author's domain. */
function isSpfProof(results: FieldResults, author: string | null): boolean {
  const spf = reportedSpf(results);
  if (author === null || results.dmarc !== "pass" || spf?.result !== "pass") return false;
  return isAligned(spf.domain, author, "relaxed");
}
