import { done, refused, type Outcome } from "../../lib/outcome.ts";
import { privateEnding } from "../../lib/public-url.ts";
import { canonicalDomain } from "./address.ts";

/** RFC 1035 §2.3.4 allows 253 characters; the name of the domain's DKIM record needs some of them. */
const MAX_DOMAIN_CHARS = 220;

/** The settings of a deployment that name its own hosts and domains. */
export interface Deployment {
  mailDomain: string;
  dkim: { domain: string } | null;
  /** Base address that clients see; null if it is not set. */
  publicUrl: string | null;
}

/**
 * The domain `written` in canonical form, if a mailbox may use it: it is not one of the deployment's own, nor above or below
 * one, and public DNS can answer for it. The error is the end of a sentence after "domain: ".
 *
 * No list of public suffixes (131 KB minified, tldts 7.5.4) stands in the way of `co.uk`. A domain is held alone and not
 * what lies below it, and to verify it takes an MX record of its own and a key below `_domainkey`: nobody who merely has a
 * name below a suffix can set these.
 */
export function readDomain(written: string, deployment: Deployment): Outcome<string, string> {
  const domain = canonicalDomain(written);
  if (domain === null) return refused("must be a domain name such as example.org");
  if (!domain.includes(".")) return refused("must be a domain of your own, not a single label");
  if (domain.length > MAX_DOMAIN_CHARS) return refused(`must have at most ${MAX_DOMAIN_CHARS} characters`);
  const ending = privateEnding(domain);
  if (ending !== null) return refused(`must be a public domain: "${ending}" is reserved`);
  const own = overlapOf(domain, deployment);
  return own === null
    ? done(domain)
    : refused(`must not be, contain or lie below ${own}, which is this service's own`);
}

/** Whether a domain is the deployment's own, or lies above or below one that is. */
export function isDeployments(domain: string, deployment: Deployment): boolean {
  return overlapOf(domain, deployment) !== null;
}

/** The name of the deployment that a domain is, contains or lies below; null if none. */
function overlapOf(domain: string, { mailDomain, dkim, publicUrl }: Deployment): string | null {
  const host = publicUrl === null ? undefined : URL.parse(publicUrl)?.hostname;
  const own = [mailDomain, dkim?.domain, host].flatMap((name) => canonicalDomain(name ?? "") ?? []);
  const within = (inner: string, outer: string) => inner === outer || inner.endsWith(`.${outer}`);
  return own.find((name) => within(domain, name) || within(name, domain)) ?? null;
}
