import { canonicalDomain } from "../address/address.ts";
import { isWithin } from "../address/sender-domain.ts";

/** Hosts, with what lies below them, that count clicks and pass the reader on. */
const REDIRECTORS: readonly string[] = (
  "sendgrid.net list-manage.com mandrillapp.com mailgun.org mailgun.com mjt.lu sparkpostmail.com pstmrk.it awstrack.me " +
  "amazonses.com hubspotlinks.com hubspotemail.net hs-sales-engage.com klclick.com klclick1.com customeriomail.com customer.io " +
  "sendibm1.com sendibt2.com sibautomation.com brevo.com exacttarget.com rs6.net createsend.com cmail19.com cmail20.com " +
  "intercom-mail.com iterable.com braze.com outlook.com safelinks.protection.outlook.com urldefense.com urldefense.proofpoint.com " +
  "bit.ly t.co tinyurl.com ow.ly lnkd.in goo.gl rebrand.ly is.gd cutt.ly google.com facebook.com youtube.com linkedin.com"
).split(" ");

/** A link that stays with its owner; or where it leads instead. */
export type LinkJudgement =
  | { isOwn: true; url: string }
  | {
      isOwn: false;
      /** In canonical form; "" if the link names no host by its name. */
      host: string;
      /** It passes its reader on to another address. */
      isRedirector: boolean;
    };

/** Scheme, authority and the rest of a link. A backslash does not match, because only some programs read it as a slash. */
const PARTS = /^(https?):\/\/([^\s/?#\\]+)([/?#][^\s\\]*)?$/i;
/** A host as every program reads it. */
const PLAIN_HOST = /^[a-z0-9.-]*[a-z0-9]$/i;
/** Controls, invisible characters and half surrogates. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

/** How often a value may be escaped within a value. */
const MAX_DECODINGS = 3;
/** An address within a link, after it was decoded: with a scheme, or the two slashes of one. */
const INNER_ADDRESS =
  /(?:(?:^|[=?&#/,;|])(?:[/\\]\s*){2}|(?:https?|ftps?|wss?):\s*[/\\]{0,3})([^\s/?#\\&"'<>]*)/giu;
/** A value that is a host with a path, which a page may put behind a scheme of its own. */
const BARE_ADDRESS =
  /=(?:[^\s/\\?#&=]*@)?((?:[\p{L}\p{M}\p{N}_-]+[.\u3002\uff0e\uff61])+(?:\p{L}{2,63}|xn--[a-z0-9-]+)(?::\d+)?)\.?[/\\]/giu;
/** Controls and blanks, as `+` in a form too: pages and programs drop them. */
const DROPPED = /[\p{C}\p{Z}\s+]+/gu;
/** Schemes that a program runs or shows, and does not fetch. */
const RUN_SCHEME = /(?:^|[=?&#/])\s*(?:javascript|data|vbscript|blob|file):/iu;

/**
 * Judges whether a link stays within `domains` (canonical; each with what lies below it): its host, and that of every URL
 * among its parameters, because a page may redirect there. Nothing is fetched.
 *
 * A link from which two programs may read different hosts belongs to nobody: one with a user name, a port other than that of its
 * scheme, a backslash, or blanks. The host of a link that is returned is in A-labels; all else is as it was written.
 */
export function judgeLink(link: string, domains: readonly string[]): LinkJudgement {
  const read = readLink(link);
  if (read === null) return { isOwn: false, host: hostOf(link), isRedirector: false };
  const { host, rest } = read;
  const isOwn = (name: string) => domains.some((domain) => isWithin(name, domain));
  if (!isOwn(host)) return { isOwn: false, host, isRedirector: passesOn(host, rest) };
  const elsewhere = innerHosts(rest).find((inner) => inner === null || !isOwn(inner));
  if (elsewhere !== undefined) return { isOwn: false, host: elsewhere ?? "", isRedirector: true };
  // Programs disagree about some letters beyond ASCII, so the link is answered with the name that was compared.
  return { isOwn: true, url: read.isPlain ? link : `${read.scheme}://${host}${rest}` };
}

interface ReadLink {
  scheme: string;
  /** In canonical form. */
  host: string;
  /** Path, query and fragment as they are written. */
  rest: string;
  /** Whether every program reads this host. */
  isPlain: boolean;
}

/** The parts of a link; null if two programs may read different hosts. */
function readLink(link: string): ReadLink | null {
  const parts = UNPRINTABLE.test(link) ? null : PARTS.exec(link);
  if (parts === null) return null;
  const [, written = "", authority = "", rest = ""] = parts;
  const scheme = written.toLowerCase();
  const name = authority.replace(scheme === "https" ? /:443$/ : /:80$/, "");
  const host = canonicalDomain(name);
  return host === null ? null : { scheme, host, rest, isPlain: PLAIN_HOST.test(name) };
}

/** The host by which a URL parser would go, "" where it is no name. */
function hostOf(link: string): string {
  return canonicalDomain(URL.parse(link)?.hostname ?? "") ?? "";
}

function passesOn(host: string, rest: string): boolean {
  return REDIRECTORS.some((known) => isWithin(host, known)) || innerHosts(rest).length > 0;
}

/** The hosts of addresses within path, parameters and fragment; null for one that cannot be read, or is run by a program. */
function innerHosts(rest: string): (string | null)[] {
  const found: (string | null)[] = [];
  let text = rest;
  for (let decoded = 0; decoded <= MAX_DECODINGS; decoded += 1) {
    const dropped = text.replace(DROPPED, "");
    found.push(...addressesIn(text));
    if (dropped !== text) found.push(...addressesIn(dropped));
    const next = unescaped(text);
    if (next === text) break;
    text = next;
  }
  return found;
}

/** The hosts of addresses in a text as it is written; null for one that cannot be read, or is run by a program. */
function addressesIn(text: string): (string | null)[] {
  const matches = [...text.matchAll(INNER_ADDRESS), ...text.matchAll(BARE_ADDRESS)];
  const hosts = matches.map(([, authority = ""]) => canonicalDomain(authority.replace(/:(?:443|80)$/, "")));
  return RUN_SCHEME.test(text) ? [...hosts, null] : hosts;
}

/** A text with each escape of a byte decoded; bytes beyond ASCII that are no UTF-8 stay as they are. */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
    }
  });
}
