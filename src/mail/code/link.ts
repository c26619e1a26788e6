import { htmlLinks, textLinks, type MailLink } from "./anchors.ts";
import {
  GOES_ON,
  OTHER_PATH,
  OTHER_PURPOSE,
  PROVES,
  PROVING_PATH,
  SIGN_IN_PATH,
  SIGNS_IN,
  SOCIAL_HOST,
} from "./link-words.ts";

/** Points from which a link counts as the mail's verification link: two independent signs. */
const MIN_POINTS = 60;

/** A subject as read for its purpose. */
const MAX_SUBJECT_CHARS = 300;

/** The words right before a link that may announce it. */
const ANNOUNCEMENT_CHARS = 160;

interface Purpose {
  subjectPoints: number;
  hasCode: boolean;
  senderDomain: string;
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

function textPoints(text: string, proves: number, signsIn: number): number {
  if (PROVES.test(text)) return proves;
  return SIGNS_IN.test(text) ? signsIn : 0;
}

function labelPoints(label: string): number {
  return textPoints(label, 40, 25) || (GOES_ON.test(label) ? 20 : 0);
}

function pathPoints({ host, path, query }: WebAddress): number {
  const names = `${host} ${path} ${query.toLowerCase()}`;
  if (PROVING_PATH.test(names)) return 30;
  return SIGN_IN_PATH.test(names) ? 12 : 0;
}

/** A secret in the address: what makes a link more than a way to a page. */
const hasToken = ({ path, query }: WebAddress): boolean =>
  /[=/][\w.%~-]{16,}/.test(path + query) || /[=/](?=[a-z]*[0-9])[\w-]{6,}/i.test(path + query);

function isOtherPurpose(link: MailLink, address: WebAddress, purpose: Purpose): boolean {
  if (OTHER_PURPOSE.test(link.label.toLowerCase()) || OTHER_PATH.test(address.path)) return true;
  if (SOCIAL_HOST.test(address.host) && site(address.host) !== purpose.senderDomain) return true;
  // "If this wasn't you: https://…" — the sentence before a bare link is its label.
  const lastLine = link.before.trimEnd().split("\n").at(-1) ?? "";
  return link.label === "" && OTHER_PURPOSE.test(lastLine.toLowerCase());
}

/** What the link itself says, in label and address; 0 where neither speaks of proving who one is. */
function ownPoints(link: MailLink, address: WebAddress): number {
  // A label that is the address itself says nothing that the address does not.
  const label = /^https?:/i.test(link.label) ? "" : link.label.toLowerCase();
  const named = labelPoints(label);
  const path = pathPoints(address);
  const token = hasToken(address) ? 12 : 0;
  if (named === 0 && path === 0 && label !== "") return 0;
  return named < 40 && path < 30 && token === 0 ? 0 : named + path + token;
}

function pointsFor(link: MailLink, purpose: Purpose): number {
  const address = addressOf(link.url);
  if (address === null || isOtherPurpose(link, address, purpose)) return 0;
  const own = ownPoints(link, address);
  if (own === 0) return 0;
  const announced = textPoints(link.before.slice(-ANNOUNCEMENT_CHARS).toLowerCase(), 20, 10);
  const sender = site(address.host) === purpose.senderDomain ? 5 : 0;
  return own + announced + sender + purpose.subjectPoints + (purpose.hasCode ? 15 : 0);
}

/**
 * The link that signs in, verifies, confirms or resets; null if none. Never one to unsubscribe, get help or visit a
 * social network, none from hidden HTML, and never anything but http(s). The link is as written: signatures stay whole.
 */
export function findLink(
  mail: { subject: string; text: string; html: string; fromAddress: string },
  hasCode: boolean,
): string | null {
  // The HTML part first: its labels are whole; a plain text part often has bare addresses.
  const links = [...htmlLinks(mail.html), ...textLinks(mail.text)];
  if (links.length === 0) return null;
  const purpose: Purpose = {
    subjectPoints: textPoints(mail.subject.slice(0, MAX_SUBJECT_CHARS).toLowerCase(), 25, 23),
    hasCode,
    senderDomain: site(mail.fromAddress.slice(mail.fromAddress.lastIndexOf("@") + 1).toLowerCase()),
  };
  let best: { url: string; points: number } | null = null;
  for (const link of links) {
    const points = pointsFor(link, purpose);
    if (points >= MIN_POINTS && points > (best?.points ?? 0)) best = { url: link.url, points };
  }
  return best?.url ?? null;
}
