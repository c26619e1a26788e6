import { htmlLinks, textLinks, type MailLink } from "./mail-links.ts";
import { MIN_LINK_POINTS, pointsOf, type Evidence, type Sign } from "./evidence.ts";
import {
  account,
  goesOn,
  otherPath,
  otherPurpose,
  password,
  proves,
  provingPath,
  signInPath,
  signsIn,
  SOCIAL_HOST,
} from "./link-words.ts";

/** A subject as read for its purpose. */
const MAX_SUBJECT_CHARS = 300;

/** The words right before a link that may announce it. */
const ANNOUNCEMENT_CHARS = 160;

interface Purpose {
  subjectPoints: number;
  hasCode: boolean;
  senderDomain: string;
  /** Whether all links of the mail that may be meant are one. */
  isOnly: boolean;
}

interface WebAddress {
  host: string;
  path: string;
  query: string;
}

function addressOf(url: string): WebAddress | null {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) return null;
  // "https://bank.example@evil.example/": a name and password in a link only ever deceive.
  if (parsed.username !== "" || parsed.password !== "") return null;
  return { host: parsed.hostname, path: parsed.pathname.toLowerCase(), query: parsed.search };
}

/** The last two labels, enough to see that click.mail.example.com and example.com belong together. */
const site = (host: string): string => host.split(".").slice(-2).join(".");

function textPoints(text: string, ifProves: number, ifSignsIn: number): number {
  if (proves().test(text) || password().test(text)) return ifProves;
  return signsIn().test(text) ? ifSignsIn : 0;
}

function labelPoints(label: string): number {
  return textPoints(label, 40, 25) || (goesOn().test(label) ? 20 : 0);
}

/** Points of the subject: "confirm your account" counts more than "activate your discount". */
function subjectPoints(subject: string): number {
  const lower = subject.slice(0, MAX_SUBJECT_CHARS).toLowerCase();
  const points = textPoints(lower, 25, 23);
  return points > 0 && (account().test(lower) || password().test(lower)) ? points + 10 : points;
}

function pathPoints({ host, path, query }: WebAddress): number {
  const names = `${host} ${path} ${query.toLowerCase()}`;
  if (provingPath().test(names)) return 30;
  return signInPath().test(names) ? 12 : 0;
}

/** A secret in the address: what makes a link more than a way to a page. */
const hasToken = ({ path, query }: Pick<WebAddress, "path" | "query">): boolean =>
  /[=/][\w.%~-]{16,}/.test(path + query) || /[=/](?=[a-z]*[0-9])[\w-]{6,}/i.test(path + query);

/** A secret that is no slug of words with a year: letters and digits in one run. */
const hasSecret = ({ path, query }: WebAddress): boolean =>
  [...`${path}${query}`.matchAll(/[a-z0-9]{10,}/gi)].some(([run]) => /[0-9]/.test(run) && /[a-z]/i.test(run));

function isOtherPurpose(
  link: MailLink,
  address: WebAddress,
  purpose: Pick<Purpose, "senderDomain">,
): boolean {
  if (otherPurpose().test(link.label.toLowerCase()) || otherPath().test(address.path)) return true;
  if (SOCIAL_HOST.test(address.host) && site(address.host) !== purpose.senderDomain) return true;
  // "If this wasn't you: https://…" — the sentence before a bare link is its label.
  const lastLine = link.before.trimEnd().split("\n").at(-1) ?? "";
  return link.label === "" && otherPurpose().test(lastLine.toLowerCase());
}

const evidence = (sign: Sign, points: number, detail = ""): Evidence => ({ sign, detail, points });

/** Evidence in the label and the address of the link; none where neither speaks of verifying or signing in. */
function ownEvidence(link: MailLink, address: WebAddress, purpose: Purpose): Evidence[] {
  // A label that is the address itself says nothing that the address does not.
  const label = /^https?:/i.test(link.label) ? "" : link.label.toLowerCase();
  const named = labelPoints(label);
  const path = pathPoints(address);
  const token = hasToken(address) ? 12 : 0;
  const only = purpose.isOnly && hasSecret(address) ? 15 : 0;
  if (named === 0 && path === 0 && label !== "" && only === 0) return [];
  if (named < 40 && path < 30 && token === 0) return [];
  return [
    evidence("link_label", named),
    evidence("link_path", path),
    evidence("link_token", token),
    evidence("link_only", only),
  ];
}

function evidenceFor({ link, address }: Candidate, purpose: Purpose): Evidence[] {
  const own = ownEvidence(link, address, purpose);
  if (own.length === 0) return [];
  const announced = textPoints(link.before.slice(-ANNOUNCEMENT_CHARS).toLowerCase(), 20, 10);
  return [
    ...own,
    evidence("link_announced", announced),
    evidence("link_subject", purpose.subjectPoints + (purpose.hasCode ? 15 : 0)),
    evidence("link_sender", site(address.host) === purpose.senderDomain ? 5 : 0),
  ];
}

interface Candidate {
  link: MailLink;
  address: WebAddress;
}

/** A link and what speaks for it. */
export interface FoundLink {
  url: string;
  evidence: Evidence[];
}

/**
 * The link that signs in, verifies, confirms or resets; null if none. Never one to unsubscribe, get help or visit a
 * social network, none from hidden HTML, and never anything but http(s). The link is as written: signatures stay whole.
 */
export function findLink(
  mail: { subject: string; text: string; html: string; fromAddress: string },
  hasCode: boolean,
): FoundLink | null {
  const senderDomain = site(mail.fromAddress.slice(mail.fromAddress.lastIndexOf("@") + 1).toLowerCase());
  // The HTML part first: its labels are whole; a plain text part often has bare addresses.
  const candidates = [...htmlLinks(mail.html), ...textLinks(mail.text)].flatMap((link) => {
    const address = addressOf(link.url);
    return address === null || isOtherPurpose(link, address, { senderDomain }) ? [] : [{ link, address }];
  });
  if (candidates.length === 0) return null;
  const purpose: Purpose = {
    subjectPoints: subjectPoints(mail.subject),
    hasCode,
    senderDomain,
    isOnly: new Set(candidates.map(({ link }) => link.url)).size === 1,
  };
  let best: FoundLink | null = null;
  for (const candidate of candidates) {
    const found = evidenceFor(candidate, purpose);
    const points = pointsOf(found);
    if (points >= MIN_LINK_POINTS && points > pointsOf(best?.evidence ?? []))
      best = { url: candidate.link.url, evidence: found };
  }
  return best;
}
