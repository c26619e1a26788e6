import { confidenceOf, probabilities, scoreOf, type Evidence, type LinkFeature } from "./evidence.ts";
import {
  linkEvidence,
  mayAnswer,
  subjectKindsOf,
  type LinkCandidate,
  type WebAddress,
} from "./link-evidence.ts";
import { organizationalDomain } from "../address/public-suffix.ts";
import { FILE_PATH, SOCIAL_HOST } from "./link-words.ts";
import { htmlLinks, textLinks, type MailLink } from "./mail-links.ts";
import type { Setting } from "./surroundings.ts";
import { LINK_WEIGHTS } from "./weights.ts";

/** Links of a mail that are judged, and places of one link; more are those of a newsletter. */
const MAX_JUDGED = 60;
const MAX_PLACES = 4;

/** The domain that the owner of a host registered, enough to see that click.mail.example.com and example.com belong together. */
const siteOf = (host: string): string => organizationalDomain(host) ?? host;

function addressOf(url: string): WebAddress | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const { hostname, pathname, search } = parsed;
  return { host: hostname, path: pathname.toLowerCase(), written: pathname, query: search };
}

/** A link and what speaks for it. */
export interface FoundLink {
  url: string;
  confidence: number;
  evidence: Evidence<LinkFeature>[];
}

/** The mail of a link, as `findLink` reads it. */
interface LinkMail {
  subject: string;
  /** Without quotations. */
  text: string;
  html: string;
  fromAddress: string;
}

/** The links of a mail that may be meant, each with the evidence for and against it. */
export function judgedLinks(
  mail: LinkMail,
  setting: Setting,
  hasCode: boolean,
): { url: string; evidence: Evidence<LinkFeature>[] }[] {
  const senderSite = siteOf(mail.fromAddress.slice(mail.fromAddress.lastIndexOf("@") + 1).toLowerCase());
  const byUrl = new Map<string, { address: WebAddress; places: MailLink[] }>();
  const add = (link: MailLink): void => {
    const known = byUrl.get(link.url);
    if (known !== undefined) {
      if (known.places.length < MAX_PLACES) known.places.push(link);
      return;
    }
    const address = byUrl.size < MAX_JUDGED ? addressOf(link.url) : null;
    if (address === null || FILE_PATH.test(address.path)) return;
    if (SOCIAL_HOST.test(address.host) && siteOf(address.host) !== senderSite) return;
    byUrl.set(link.url, { address, places: [link] });
  };
  for (const link of htmlLinks(mail.html)) add(link);
  // The labels of the HTML part are whole; a plain text part often has bare addresses.
  const inHtml = new Set(byUrl.keys());
  for (const link of textLinks(mail.text)) if (!inHtml.has(link.url)) add(link);
  const candidates = [...byUrl]
    .filter(([, found]) => mayAnswer(found))
    .map(([url, found]): LinkCandidate => ({ url, ...found }));
  if (candidates.length === 0) return [];
  const links = { hasCode, subjectKinds: subjectKindsOf(mail.subject), mail: setting };
  const evidence = linkEvidence(candidates, links);
  return candidates.map(({ url }, index) => ({ url, evidence: evidence[index] ?? [] }));
}

/**
 * The link that signs in, verifies, confirms or resets; null if none is as probable as `minConfidence`. Never one to a social
 * network, none that refuses, none from hidden HTML, and never anything but http(s). The link is as written: signatures stay whole.
 */
export function findLink(
  mail: LinkMail,
  setting: Setting,
  hasCode: boolean,
  minConfidence: number,
): FoundLink | null {
  const links = judgedLinks(mail, setting, hasCode);
  const chances = probabilities(links.map(({ evidence }) => scoreOf(evidence, LINK_WEIGHTS)));
  const top = Math.max(...chances);
  const best = links[chances.indexOf(top)];
  const confidence = confidenceOf(top);
  return best !== undefined && confidence >= minConfidence ? { ...best, confidence } : null;
}
