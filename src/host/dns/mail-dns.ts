import { CachedDns } from "../../lib/dns/cached-dns.ts";
import { askDoh } from "../../lib/dns/doh-dns.ts";
import { askServers, serverPlace, systemServers } from "./server-dns.ts";

/** Answers kept on one machine: a busy host sees some thousand domains. At 400 characters each, 8 MB. */
const MAX_ENTRIES = 20_000;
const MAX_CHARS = 8_000_000;

/** The resolver for the checks of mail that comes by SMTP: `DNS_SERVERS`, else `DOH_URL`, else the resolvers of the system. */
export function mailDns(settings: {
  dnsServers: readonly string[] | null;
  dohUrl: string | null;
}): CachedDns {
  const { dnsServers, dohUrl } = settings;
  const limits = { maxEntries: MAX_ENTRIES, maxChars: MAX_CHARS };
  if (dnsServers === null && dohUrl !== null) return new CachedDns(askDoh(dohUrl, fetch), limits);
  const servers = dnsServers === null ? systemServers() : dnsServers.map(serverPlace);
  return new CachedDns(askServers(servers), limits);
}
