import { isWithin } from "../address/sender-domain.ts";

/** The host of a web address, or the domain of a `mailto:`, in ASCII; "" if it has none. */
export function shownHost(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "";
  if (parsed.protocol === "mailto:")
    return /@([a-z0-9.-]{1,253})$/i.exec(parsed.pathname)?.[1]?.toLowerCase() ?? "";
  return /^https?:$/.test(parsed.protocol) ? parsed.hostname : "";
}

/** Whether two hosts are one, or one is a subdomain of the other that belongs to the same owner. */
export function isRelatedHost(one: string, two: string): boolean {
  const [first, second] = [plainHost(one), plainHost(two)];
  return isWithin(first, second) || isWithin(second, first);
}

const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^www\./, "")
    .replace(/\.$/, "");
