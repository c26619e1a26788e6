import { isAskable, type RecordType } from "../../../../lib/dns/dns.ts";
import type { LookUps } from "../../../../lib/dns/limited-dns.ts";
import { canonicalDomain } from "../../../address/address.ts";
import type { SpfFinding, SpfResult } from "../findings.ts";
import { dotted, expanded, type MacroValues } from "./macros.ts";
import {
  addressBytes,
  isInNetwork,
  isSpfRecord,
  readSpfRecord,
  type Mechanism,
  type Prefixes,
} from "./record.ts";

/** The client that sends a message, as SMTP knows it. */
export interface Client {
  /** IPv4 or IPv6, as text. */
  address: string;
  /** The name in HELO or EHLO. */
  helo: string;
  /** The address in MAIL FROM; "" is the null sender. */
  mailFrom: string;
}

/** RFC 7208 §4.6.4: terms that make the checker ask DNS. */
const MAX_LOOKUPS = 10;
/** RFC 7208 §4.6.4: questions of those terms that have no answer. */
const MAX_VOID = 2;
/** RFC 7208 §4.6.4: mail hosts, or names of the client, of one term. */
const MAX_HOSTS = 10;
/** A longer HELO is no name (RFC 1035 §2.3.4). */
const MAX_HELO_CHARS = 255;
const MAX_LOCAL_CHARS = 1_024;

/** A result that ends the check at once. */
class Ended extends Error {
  readonly result: "temperror" | "permerror";
  constructor(result: "temperror" | "permerror") {
    super(result);
    this.result = result;
  }
}

/** Asks whether a client may send for the domain of MAIL FROM, or of HELO for the null sender (RFC 7208). Never rejects. */
export async function checkSpf(client: Client, { dns, signal }: LookUps): Promise<SpfFinding> {
  const at = client.mailFrom.lastIndexOf("@");
  const helo = client.helo.slice(0, MAX_HELO_CHARS);
  const written = client.mailFrom === "" ? helo : client.mailFrom.slice(at + 1);
  const domain = testable(written);
  const address = addressBytes(client.address);
  if (domain === null || address === null) return { result: "none", domain: "" };
  // RFC 7208 §4.3: a sender without a local part is "postmaster".
  const local = client.mailFrom.slice(0, Math.max(at, 0)).slice(0, MAX_LOCAL_CHARS) || "postmaster";
  const values = { sender: `${local}@${domain}`, helo, client: address };
  const check = new SpfCheck(values, (name, type) => dns.look(name, type, signal));
  return { result: await check.run(domain), domain };
}

/** The domain in lower-case A-labels; null if it is no name of several labels (RFC 7208 §4.3). */
function testable(written: string): string | null {
  const text = written.trim().toLowerCase().replace(/\.$/, "");
  const domain = /^[\x21-\x7e]*$/.test(text) ? text : canonicalDomain(text);
  return domain !== null && isAskable(domain) && domain.includes(".") && !domain.startsWith("[")
    ? domain
    : null;
}

type Look = (name: string, type: RecordType) => Promise<{ records: readonly string[] }>;

class SpfCheck {
  readonly #values: MacroValues;
  readonly #look: Look;
  #lookups = 0;
  #voids = 0;
  #clientNames: string[] | null = null;

  constructor(values: MacroValues, look: Look) {
    this.#values = values;
    this.#look = look;
  }

  async run(domain: string): Promise<SpfResult> {
    try {
      return await this.#test(domain);
    } catch (error) {
      if (error instanceof Ended) return error.result;
      throw error;
    }
  }

  /** `check_host` (RFC 7208 §4). The number of lookups bounds how deep it calls itself. */
  async #test(domain: string): Promise<SpfResult> {
    const texts = (await this.#ask(domain, "TXT")).filter(isSpfRecord);
    const [text] = texts;
    if (text === undefined) return "none";
    const record = texts.length > 1 ? null : readSpfRecord(text);
    if (record === null) throw new Ended("permerror");
    for (const mechanism of record.mechanisms) {
      if (await this.#matches(mechanism, domain)) return mechanism.qualifier;
    }
    if (record.redirect === null) return "neutral";
    this.#countLookup();
    const target = await this.#expanded(record.redirect, domain);
    const result = isAskable(target) ? await this.#test(target) : "none";
    if (result === "none") throw new Ended("permerror");
    return result;
  }

  async #matches(mechanism: Mechanism, domain: string): Promise<boolean> {
    switch (mechanism.kind) {
      case "all":
        return true;
      case "ip":
        return isInNetwork(this.#values.client, mechanism.network, mechanism.prefix);
      case "include":
        return this.#includes(await this.#target(mechanism.domain, domain));
      case "exists": {
        const target = await this.#target(mechanism.domain, domain);
        return (await this.#askCounted(target, "A")).length > 0;
      }
      case "a":
        return this.#isAddressOf(await this.#target(mechanism.domain, domain), mechanism.prefixes, true);
      case "mx":
        return this.#isMailHostOf(await this.#target(mechanism.domain, domain), mechanism.prefixes);
      case "ptr": {
        const target = (await this.#target(mechanism.domain, domain)).toLowerCase();
        const names = await this.#namesOfClient();
        return names.some((name) => name === target || name.endsWith(`.${target}`));
      }
    }
  }

  /** The name that a term asks for. Counts the term. */
  async #target(spec: string | null, domain: string): Promise<string> {
    this.#countLookup();
    return spec === null ? domain : this.#expanded(spec, domain);
  }

  async #includes(target: string): Promise<boolean> {
    const result = isAskable(target) ? await this.#test(target) : "none";
    if (result === "none") throw new Ended("permerror");
    return result === "pass";
  }

  async #isMailHostOf(target: string, prefixes: Prefixes): Promise<boolean> {
    const hosts = await this.#askCounted(target, "MX");
    if (hosts.length > MAX_HOSTS) throw new Ended("permerror");
    for (const host of hosts) {
      const name = host.slice(host.indexOf(" ") + 1);
      if (await this.#isAddressOf(name, prefixes, false)) return true;
    }
    return false;
  }

  async #isAddressOf(name: string, prefixes: Prefixes, isCounted: boolean): Promise<boolean> {
    const { client } = this.#values;
    const type = client.length === 4 ? "A" : "AAAA";
    const addresses = isCounted ? await this.#askCounted(name, type) : await this.#ask(name, type);
    const prefix = client.length === 4 ? prefixes.ipv4 : prefixes.ipv6;
    return addresses.some((address) => isInNetwork(client, addressBytes(address) ?? [], prefix));
  }

  /** The names of the client whose addresses include its own (RFC 7208 §5.5). A failure of DNS means that there is none. */
  async #namesOfClient(): Promise<string[]> {
    if (this.#clientNames !== null) return this.#clientNames;
    const { client } = this.#values;
    const zone = client.length === 4 ? "in-addr.arpa" : "ip6.arpa";
    const reversed = `${dotted(client).split(".").toReversed().join(".")}.${zone}`;
    const found: string[] = [];
    const names = await this.#askCounted(reversed, "PTR").catch((error: unknown) => noneAfter(error));
    for (const name of names.slice(0, MAX_HOSTS)) {
      const exact = { ipv4: 32, ipv6: 128 };
      const isConfirmed = await this.#isAddressOf(name, exact, false).catch((error: unknown) => {
        noneAfter(error);
        return false;
      });
      if (isConfirmed) found.push(name.toLowerCase());
    }
    this.#clientNames = found;
    return found;
  }

  #expanded(spec: string, domain: string): Promise<string> {
    return expanded(spec, { ...this.#values, domain }, async (tested) => {
      const names = await this.#namesOfClient();
      const own = tested.toLowerCase();
      return (
        names.find((name) => name === own) ??
        names.find((name) => name.endsWith(`.${own}`)) ??
        names[0] ??
        "unknown"
      );
    });
  }

  #countLookup(): void {
    this.#lookups += 1;
    if (this.#lookups > MAX_LOOKUPS) throw new Ended("permerror");
  }

  /** Records of a name that a term gives; none counts as a void lookup. */
  async #askCounted(name: string, type: RecordType): Promise<readonly string[]> {
    const records = await this.#ask(name, type);
    if (records.length > 0) return records;
    this.#voids += 1;
    if (this.#voids > MAX_VOID) throw new Ended("permerror");
    return records;
  }

  async #ask(name: string, type: RecordType): Promise<readonly string[]> {
    if (!isAskable(name)) return [];
    try {
      return (await this.#look(name, type)).records;
    } catch {
      throw new Ended("temperror");
    }
  }
}

/** Only a failure of DNS is passed over. */
function noneAfter(error: unknown): string[] {
  if (error instanceof Ended && error.result === "temperror") return [];
  throw error;
}
