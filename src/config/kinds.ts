import ipaddr from "ipaddr.js";
import { done, refused, type Outcome } from "../lib/outcome.ts";
import { canonicalAddress, canonicalDomain } from "../mail/address/address.ts";
import { smtpSettings, type SmtpSettings } from "../outbound/smtp-settings.ts";

/** One kind of value: how the text of a variable is read, and the words for it in errors and in the documentation. */
export interface Kind<Value> {
  /** Which values are right. Completes "NAME must be …". */
  values: string;
  /** The value, or a sentence that completes "NAME …", where it is null "must be" and the words above. */
  read(text: string): Outcome<Value, string | null>;
}

const TRUE = ["true", "1", "on", "yes"];
const FALSE = ["false", "0", "off", "no"];

/** A switch, in upper or lower case. */
export const flag: Kind<boolean> = {
  values: "true or false (or 1 and 0, on and off, yes and no)",
  read: (text) => {
    const word = text.toLowerCase();
    return TRUE.includes(word) ? done(true) : FALSE.includes(word) ? done(false) : refused(null);
  },
};

/** A whole number in decimal digits; both ends belong to the range. */
export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    values: `a whole number from ${min} to ${max}`,
    read: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? done(value) : refused(null);
    },
  };
}

/** One of several words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    values: words.join(", ").replace(/, ([^,]+)$/, " or $1"),
    read: (text) => orRefused(words.find((word) => word === text)),
  };
}

/** A secret of at least so many characters. */
export function secret(minChars: number): Kind<string> {
  return {
    values: `a text of at least ${minChars} characters`,
    read: (text) =>
      text.length >= minChars
        ? done(text)
        : refused(`must have at least ${minChars} characters: \`openssl rand -hex 32\` makes a good one`),
  };
}

/** Any text. */
export const anyText: Kind<string> = { values: "any text", read: done };

/** A text that a pattern describes. */
export function textLike(pattern: RegExp, values: string): Kind<string> {
  return { values, read: (text) => (pattern.test(text) ? done(text) : refused(null)) };
}

/** A domain, read into the form that domains of addresses are compared in: lower case, A-labels, no dot at its end. */
export const domain: Kind<string> = {
  values: "a domain name such as agents.example.org",
  read: (text) => orRefused(canonicalDomain(text)),
};

/** An email address, left as it was written. */
export const address: Kind<string> = {
  values: "an email address",
  read: (text) => (canonicalAddress(text) === null ? refused(null) : done(text)),
};

/** An email address in canonical form. */
export const mailboxAddress: Kind<string> = {
  values: address.values,
  read: (text) => orRefused(canonicalAddress(text)),
};

/** An http or https URL. */
export const webUrl: Kind<string> = {
  values: "an http or https URL",
  read: (text) => (/^https?:$/.test(URL.parse(text)?.protocol ?? "") ? done(text) : refused(null)),
};

/** An http or https URL without a user and a password: `fetch` refuses one that has them (Fetch standard, Request constructor). */
export const bareWebUrl: Kind<string> = {
  values: webUrl.values,
  read: (text) => {
    const { username = "", password = "" } = URL.parse(text) ?? {};
    return username + password === "" ? webUrl.read(text) : refused("must not hold a user or a password");
  },
};

/** One or more host names, separated by commas. */
export const hostNames: Kind<[string, ...string[]]> = {
  values: "host names with commas between them",
  read: (text) => {
    const [first, ...others] = text.split(",").map(canonicalDomain);
    const rest = others.filter((host) => host !== null);
    return first && rest.length === others.length ? done([first, ...rest]) : refused(null);
  },
};

/** One or more host names, separated by commas; `*.` in front of one stands for a single label (RFC 8461 §4.1). */
export const hostPatterns: Kind<[string, ...string[]]> = {
  values: "host names with commas between them, or patterns such as *.mx.example.org",
  read: (text) => {
    const [first, ...others] = text.split(",").map(hostPattern);
    const rest = others.filter((host) => host !== null);
    return first && rest.length === others.length ? done([first, ...rest]) : refused(null);
  },
};

function hostPattern(text: string): string | null {
  const [, star = "", name = ""] = /^(\*\.)?(.*)$/s.exec(text.trim()) ?? [];
  const host = canonicalDomain(name);
  return host === null ? null : `${star}${host}`;
}

/** Networks in CIDR form, separated by commas. A single address is a network of its own. */
export const networks: Kind<string[]> = {
  values: "networks such as 10.0.0.0/8 or 2001:db8::/32, or addresses, with commas between them",
  read: (text) => {
    const read = text.split(",").map((one) => networkOf(one.trim()));
    const right = read.filter((network) => network !== null);
    return right.length === read.length ? done(right) : refused(null);
  },
};

/** A network in CIDR form; null if the text is none. */
function networkOf(text: string): string | null {
  const [address = "", bits] = text.split("/");
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  // A zone (`%eth0`) is of one machine only.
  if (!isIPv4 && (!ipaddr.IPv6.isValid(address) || address.includes("%"))) return null;
  if (bits === undefined) return `${address}/${isIPv4 ? 32 : 128}`;
  return ipaddr.isValidCIDR(text) ? text : null;
}

/** IP addresses, separated by commas, each with a port or without: `192.0.2.1`, `192.0.2.1:53`, `[2001:db8::1]:53`. */
export const ipPlaces: Kind<[string, ...string[]]> = {
  values: "IP addresses such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53, with commas between them",
  read: (text) => {
    const [first = "", ...others] = text.split(",").map((one) => one.trim());
    return [first, ...others].every(isIpPlace) ? done([first, ...others]) : refused(null);
  },
};

function isIpPlace(text: string): boolean {
  if (ipaddr.IPv6.isValid(text)) return !text.includes("%");
  const [, address = "", port = "53"] = /^(.*?)(?::(\d{1,5}))?$/s.exec(text) ?? [];
  const isHost = address.startsWith("[")
    ? address.endsWith("]") && ipaddr.IPv6.isValid(address.slice(1, -1)) && !address.includes("%")
    : ipaddr.IPv4.isValidFourPartDecimal(address);
  return isHost && Number(port) > 0 && Number(port) < 65_536;
}

/** Where DNS is asked: a URL that answers `application/dns-json`, or servers by their addresses. */
export type ResolverPlace = { url: string } | { servers: readonly [string, ...string[]] };

/** Either form of a resolver. */
export const resolver: Kind<ResolverPlace> = {
  values:
    "a URL that answers application/dns-json, or IP addresses such as 192.0.2.1 or [2001:db8::1]:53 with commas between them",
  read: (text) => {
    const url = webUrl.read(text);
    if (url.ok) return done({ url: url.value });
    const places = ipPlaces.read(text);
    return places.ok ? done({ servers: places.value }) : refused(null);
  },
};

/** The URL of an SMTP relay. It may hold a password, so no error shows it. */
export const relayUrl: Kind<SmtpSettings> = {
  values: "a URL such as smtp://user:password@relay.example:587 or smtps://…",
  read: (text) => {
    const settings = smtpSettings(text);
    return settings.ok ? settings : refused(settings.error.replace(/^SMTP_URL /, ""));
  },
};

function orRefused<Value>(value: Value | null | undefined): Outcome<Value, null> {
  return value === null || value === undefined ? refused(null) : done(value);
}
