import { isRelatedHost, shownHost } from "./hosts.ts";

/** Reasons to suspect a link. */
export const LINK_FLAGS = ["text_says_other_host", "punycode", "ip", "redirector", "credentials"] as const;
export type LinkFlag = (typeof LINK_FLAGS)[number];

/** Hosts that send every visitor on to somewhere else: shorteners, and redirectors that anybody may use. */
const REDIRECTORS = new Set(
  (
    "bit.ly bl.ink buff.ly cutt.ly dub.sh goo.gl is.gd j.mp lnkd.in ow.ly rb.gy rebrand.ly s.id shorturl.at shorte.st " +
    "t.co t.ly tiny.cc tinyurl.com trib.al v.gd x.co l.facebook.com lm.facebook.com l.instagram.com " +
    "l.messenger.com slack-redir.net steamcommunity.com out.reddit.com away.vk.com"
  ).split(" "),
);
/** Paths of larger sites that lead on to the address in them. */
const REDIRECTING_PATH =
  /^(?:www\.)?(?:google\.[a-z.]{2,6}\/(?:url|amp)|youtube\.com\/redirect|linkedin\.com\/(?:redir|slink)|bing\.com\/ck)/;
const OTHER_ADDRESS = /^(?:https?:)?\/\/[^/]/i;
const MAX_PARAMETERS = 50;

/** The flags of a link, by its address and what is seen of it. */
export function linkFlags(url: string, text: string): LinkFlag[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [];
  const flags: LinkFlag[] = [];
  const host = shownHost(url);
  if (saysOtherHost(text, host)) flags.push("text_says_other_host");
  if (/(?:^|\.)xn--/.test(host)) flags.push("punycode");
  if (host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host)) flags.push("ip");
  if (parsed.protocol !== "mailto:" && isRedirector(parsed)) flags.push("redirector");
  if (parsed.username !== "" || parsed.password !== "") flags.push("credentials");
  return flags;
}

/** A host in a text: as an address, or as a name whose end is a domain's. */
const HOST_IN_TEXT =
  /(?:^|[\s(<"'])(?:https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}\p{L}{2,24})(?=[/:?#\s)>"'.,]|$)/giu;
/** Ends of file names and of abbreviations, which no domain has. */
const NO_DOMAIN = /\.(?:pdf|html?|docx?|xlsx?|zip|png|jpe?g|gif|txt|csv|ics|js|php|aspx?|e|inc|ltd|gmbh)$/i;

function saysOtherHost(text: string, host: string): boolean {
  if (host === "" || !text.includes(".")) return false;
  for (const [, said = ""] of text.matchAll(HOST_IN_TEXT)) {
    const named = URL.parse(`http://${said}`)?.hostname ?? "";
    if (named !== "" && !NO_DOMAIN.test(said) && !isRelatedHost(named, host)) return true;
  }
  return false;
}

function isRedirector({ hostname, pathname, searchParams, origin }: URL): boolean {
  if (REDIRECTORS.has(hostname.replace(/^www\./, "")) || REDIRECTING_PATH.test(`${hostname}${pathname}`))
    return true;
  if (/\/https?:\/?\/?[^/]/i.test(pathname)) return true;
  let read = 0;
  for (const [, value] of searchParams) {
    read += 1;
    if (read > MAX_PARAMETERS) return false;
    if (OTHER_ADDRESS.test(value) && URL.parse(value, origin)?.hostname !== hostname) return true;
  }
  return false;
}
