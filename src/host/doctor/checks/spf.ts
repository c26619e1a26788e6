import { outboundOf } from "../../../config/env.ts";
import { isPublicAddress } from "../addresses.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { bare, recordLine } from "../records.ts";
import { isInside, needsTooMany, readSpf, spfRecords, termsOf, type SpfTree, type Term } from "../spf.ts";
import type { World } from "../ports/world.ts";
import type { Check, Machine } from "./check.ts";
import { ownAddress, upwards } from "./domain.ts";

/** Relays whose SPF records are at another domain than their hosts, by a parent domain of the host. */
const INCLUDES: Readonly<Record<string, string>> = {
  "amazonaws.com": "amazonses.com",
  "gmail.com": "_spf.google.com",
  "office365.com": "spf.protection.outlook.com",
  "postmarkapp.com": "spf.mtasv.net",
};

/** The relay through which mail leaves; null where it does not leave through one. */
export function relayOf({ settings: { worker } }: Machine) {
  return ["smtp", "worker-mailer"].includes(outboundOf(worker)) ? worker.SMTP_URL : null;
}

/** Checks the SPF record of the domain. */
export const spfCheck: Check<Machine> = {
  topic: "spf",
  async run(machine, world) {
    const relay = relayOf(machine);
    if (relay === null) return [];
    const domain = machine.settings.worker.MAIL_DOMAIN;
    const records = spfRecords(await world.dns.look("TXT", domain));
    const wanted = await mechanismsOf(machine, world, relay.host);
    const [record, ...more] = records;
    if (record === undefined) {
      const line = recordLine(domain, "TXT", `v=spf1 ${wanted.join(" ")} ~all`);
      return [wrong("spf.missing", `${domain} has no SPF record, and ${relay.host} sends its mail`, line)];
    }
    if (more.length > 0) {
      const terms = records.flatMap((one) => termsOf(one).terms);
      return [
        wrong("spf.several", `${domain} has ${records.length} SPF records`, lineOf(domain, terms, wanted)),
      ];
    }
    return judge(machine, world, { domain, tree: await readSpf(world.dns, domain, record), wanted });
  },
};

/** The mechanisms that allow the relay, as far as they can be known. */
async function mechanismsOf(machine: Machine, world: World, relay: string): Promise<string[]> {
  const { SPF_MECHANISMS } = machine.settings.worker;
  if (SPF_MECHANISMS !== null) return SPF_MECHANISMS.split(" ");
  const above = upwards(bare(relay));
  const known = above.map((name) => INCLUDES[name]).find((name) => name !== undefined);
  if (known !== undefined) return [`include:${known}`];
  for (const name of /^[\d.]+$|:/.test(relay) ? [] : above) {
    if (spfRecords(await world.dns.look("TXT", name)).length === 1) return [`include:${name}`];
  }
  const addresses = (await world.addresses(relay)).filter(isPublicAddress);
  const own = addresses.length === 0 ? [ownAddress(machine, world)] : addresses;
  return own.map((address) => `${address.includes(":") ? "ip6" : "ip4"}:${address}`);
}

interface Judged {
  domain: string;
  tree: SpfTree;
  wanted: readonly string[];
}

async function judge(machine: Machine, world: World, { domain, tree, wanted }: Judged): Promise<Finding[]> {
  const { terms, unreadable, broken } = tree;
  if (unreadable.length > 0) {
    const words = `The SPF record of ${domain} has words that nobody can read: ${quoted(unreadable.join(" "))}`;
    return [wrong("spf.syntax", words, lineOf(domain, terms, []))];
  }
  if (terms.some(({ name, qualifier }) => name === "all" && qualifier === "+")) {
    return [wrong("spf.open", `The SPF record of ${domain} ends in +all`, lineOf(domain, terms, wanted))];
  }
  if (broken.length > 0) {
    const kept = terms.filter((term) => !broken.includes(term));
    const words = `The SPF record of ${domain} includes what has no SPF record, or leads back to itself: ${quoted(textsOf(broken))}`;
    return [wrong("spf.include", words, lineOf(domain, kept, []))];
  }
  if (needsTooMany(tree)) {
    const words = `The SPF record of ${domain} needs at least ${tree.lookups} look-ups; ten are allowed`;
    return [wrong("spf.lookups", words, recordLine(domain, "TXT", `v=spf1 ${wanted.join(" ")} ~all`))];
  }
  if (!(await allows(machine, world, { domain, tree, wanted }))) {
    const { host = "" } = relayOf(machine) ?? {};
    const words = `The SPF record of ${domain} does not name ${host}, which sends its mail`;
    return [wrong("spf.relay", words, lineOf(domain, terms, wanted))];
  }
  return [
    fine("spf", `The SPF record of ${domain} allows the relay and needs ${tree.lookups} of 10 look-ups`),
  ];
}

const textsOf = (terms: readonly Term[]): string => terms.map(({ text }) => text).join(" ");

/** Whether the record names the relay: by a mechanism, by a domain that it shares with one, or by its address. */
async function allows(machine: Machine, world: World, { tree, wanted }: Judged): Promise<boolean> {
  const has = new Set(tree.terms.map(({ text }) => text.toLowerCase().replace(/^\+/, "")));
  if (wanted.every((term) => has.has(term.toLowerCase()))) return true;
  if (machine.settings.worker.SPF_MECHANISMS !== null) return false;
  const { host = "" } = relayOf(machine) ?? {};
  const above = upwards(bare(host));
  const names = [...above, ...above.flatMap((name) => INCLUDES[name] ?? [])];
  const own = above.at(-1) ?? host;
  if ([...tree.included].some((name) => names.includes(name) || name.endsWith(`.${own}`))) return true;
  const addresses = await world.addresses(host);
  return addresses.some((address) => isInside(address, tree.networks));
}

/** The record with the mechanisms that are needed besides. It keeps its own end unless that is `+all`, and else ends in `~all`. */
function lineOf(domain: string, terms: readonly Term[], wanted: readonly string[]): string {
  const ends = terms.filter(({ name, qualifier }) => name === "all" && qualifier !== "+");
  const redirect = ends.length === 0 ? terms.find(({ name }) => name === "redirect") : undefined;
  const kept = terms.filter(({ name }) => name !== "all" && name !== "redirect").map(({ text }) => text);
  const end = redirect?.text ?? ends[0]?.text ?? "~all";
  const record = ["v=spf1", ...new Set([...kept, ...wanted]), end].join(" ");
  // Receivers may ignore a record of this size (RFC 7208 §3.4).
  const short = `v=spf1 ${wanted.length === 0 ? "" : `${wanted.join(" ")} `}~all`;
  return recordLine(domain, "TXT", record.length > MAX_RECORD_CHARS ? short : record);
}

/** Much more than the 450 octets that RFC 7208 §3.4 recommends. */
const MAX_RECORD_CHARS = 1_500;
