import { isIP } from "node:net";
import { isPublicAddress } from "../addresses.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { addressesOf, type Dns } from "../ports/dns.ts";
import type { World } from "../ports/world.ts";
import { addressLine, bare, isName, listed, recordLine, reverseName } from "../records.ts";
import { mailHosts, publicHost, type Check, type Machine } from "./check.ts";

/** Stands for this machine's public address where that is not known. No DNS takes it, unlike an address for documentation. */
const UNKNOWN_ADDRESS = "<public address of this machine>";
const PREFERENCE = 10;
/** At most this many hosts are looked up. */
const MAX_HOSTS = 5;

/** The name servers of the domain. */
export const nsCheck: Check<Machine> = {
  topic: "ns",
  async run({ settings }, { dns }) {
    const domain = settings.worker.MAIL_DOMAIN;
    for (const name of upwards(domain)) {
      const servers = await dns.look("NS", name);
      if (servers.length > 0) return [fine("ns", `${name} is served by ${listed(servers.map(bare))}`)];
    }
    const zone = upwards(domain).at(-1) ?? domain;
    return [
      wrong(
        "ns.missing",
        `${domain} is not in DNS: no name servers for it or above it`,
        recordLine(zone, "NS", "<name server of your DNS provider>."),
      ),
    ];
  },
};

/** The name and the domains above it, down to two labels. */
export function upwards(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, at) => labels.slice(at).join("."));
}

/** The address records of PUBLIC_URL's host. */
export const addressCheck: Check<Machine> = {
  topic: "address",
  async run(machine, world) {
    const { PUBLIC_URL } = machine.settings.worker;
    const host = PUBLIC_URL === null ? null : publicHost(PUBLIC_URL);
    if (host === null) return [];
    const found = await addressesOf(world.dns, host);
    if (found.length > 0)
      return [fine("address", `${host} has the address ${found.slice(0, MAX_HOSTS).join(", ")}`)];
    return [
      wrong(
        "address.missing",
        `${host}, the host of PUBLIC_URL, has no address`,
        addressLine(host, ownAddress(machine, world)),
      ),
    ];
  },
};

/** The public address of this machine if it is known, else a placeholder. */
export function ownAddress(machine: Machine, world: World): string {
  return machine.addresses[0] ?? world.interfaces().find(isPublicAddress) ?? UNKNOWN_ADDRESS;
}

/** One MX record with the addresses of its host. */
interface Exchange {
  host: string;
  addresses: string[];
  alias: string | null;
  isHere: boolean;
}

/** The MX records. */
export const mxCheck: Check<Machine> = {
  topic: "mx",
  async run(machine, world) {
    const domain = machine.settings.worker.MAIL_DOMAIN;
    const [host = domain] = mailHosts(machine.settings);
    const line = recordLine(domain, "MX", `${PREFERENCE} ${host}.`);
    const records = await world.dns.look("MX", domain);
    if (records.length === 0) return [wrong("mx.missing", `${domain} has no MX record`, line)];
    if (records.every(({ exchange }) => exchange === "")) {
      return [wrong("mx.null", `${domain} says by its MX record that it takes no mail`, line)];
    }
    const hosts = [...new Set(records.map(({ exchange }) => exchange))].slice(0, MAX_HOSTS);
    const exchanges = await Promise.all(hosts.map((one) => exchangeOf(machine, world, one)));
    const faults = exchanges.flatMap((exchange) => faultsOf(machine, world, { exchange, line }));
    if (faults.length > 0) return faults;
    return judgePlaces(domain, exchanges, line);
  },
};

async function exchangeOf(machine: Machine, world: World, host: string): Promise<Exchange> {
  if (isIP(host) !== 0) return { host, addresses: [host], alias: null, isHere: false };
  const [[alias = null], addresses, own] = await Promise.all([
    world.dns.look("CNAME", host),
    addressesOf(world.dns, host),
    ownAddresses(machine, world),
  ]);
  const isNamed = mailHosts(machine.settings).includes(host);
  return { host, addresses, alias, isHere: isNamed || addresses.some((address) => own.has(address)) };
}

/** All known addresses of this machine. */
async function ownAddresses(machine: Machine, world: World): Promise<Set<string>> {
  const named = await Promise.all(mailHosts(machine.settings).map((host) => addressesOf(world.dns, host)));
  return new Set([...machine.addresses, ...world.interfaces(), ...named.flat()]);
}

function faultsOf(
  machine: Machine,
  world: World,
  { exchange, line }: { exchange: Exchange; line: string },
): Finding[] {
  const { host, addresses, alias } = exchange;
  const domain = machine.settings.worker.MAIL_DOMAIN;
  if (isIP(host) !== 0) {
    return [
      wrong("mx.literal", `The MX record of ${domain} holds the address ${host}, not a host name`, line),
    ];
  }
  if (alias !== null) {
    const direct = isName(bare(alias)) ? recordLine(domain, "MX", `${PREFERENCE} ${bare(alias)}.`) : line;
    const words = `The MX record of ${domain} names ${listed([host])}, which is an alias of ${quoted(alias)}`;
    return [wrong("mx.alias", words, direct)];
  }
  const target = isName(host) ? host : domain;
  const own = addressLine(target, ownAddress(machine, world));
  if (addresses.length === 0)
    return [wrong("mx.address", `${listed([host])}, the mail host of ${domain}, has no address`, own)];
  if (addresses.every((address) => !isPublicAddress(address) && !machine.addresses.includes(address))) {
    const words = `${listed([host])}, the mail host of ${domain}, has the private address ${listed(addresses)}`;
    return [wrong("mx.private", words, own)];
  }
  return [];
}

function judgePlaces(domain: string, exchanges: readonly Exchange[], line: string): Finding[] {
  const here = exchanges.filter(({ isHere }) => isHere);
  const elsewhere = exchanges.filter(({ isHere }) => !isHere).map(({ host }) => host);
  const [first] = here;
  if (first === undefined) {
    return [
      wrong("mx.elsewhere", `Mail for ${domain} goes to ${listed(elsewhere)}, not to this machine`, line),
    ];
  }
  const own = recordLine(domain, "MX", `${PREFERENCE} ${first.host}.`);
  if (elsewhere.length > 0) {
    return [
      wrong("mx.mixed", `Some mail for ${domain} goes to ${listed(elsewhere)}, not to this machine`, own),
    ];
  }
  return [fine("mx", `Mail for ${domain} comes to ${listed(here.map(({ host }) => host))}`)];
}

/** Reverse DNS of the addresses that mail comes to. */
export const ptrCheck: Check<Machine> = {
  topic: "ptr",
  async run(machine, { dns }) {
    const domain = machine.settings.worker.MAIL_DOMAIN;
    const exchanges = (await dns.look("MX", domain)).map(({ exchange }) => exchange).slice(0, MAX_HOSTS);
    const hosts = exchanges.filter((host) => isName(host) && isIP(host) === 0);
    const found = await Promise.all(hosts.map((host) => reverseOf(dns, host)));
    return found.flat();
  },
};

async function reverseOf(dns: Dns, host: string): Promise<Finding[]> {
  const addresses = (await addressesOf(dns, host)).slice(0, MAX_HOSTS);
  return Promise.all(
    addresses.map(async (address) => {
      const reverse = reverseName(address) ?? address;
      const line = recordLine(reverse, "PTR", `${host}.`);
      const names = (await dns.look("PTR", reverse)).map(bare).filter(isName).slice(0, MAX_HOSTS);
      if (names.length === 0) return wrong("ptr.missing", `${address} (${host}) has no name`, line);
      const back = await Promise.all(names.map((name) => addressesOf(dns, name)));
      return back.flat().includes(address)
        ? fine("ptr", `${address} is ${listed(names)}, and back`)
        : wrong(
            "ptr.unconfirmed",
            `${address} is named ${listed(names)}, which does not lead back to it`,
            line,
          );
    }),
  );
}
