import type { DnsRecord } from "../src/contract/domain.ts";

const TYPES: Record<string, number> = { A: 1, NS: 2, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 };
/** RFC 1035 §3.3: a string of a TXT record. */
const MAX_STRING_CHARS = 255;

/** The records of a test's DNS-over-HTTPS resolver. */
export class Zone {
  /** Each question that was asked, as `<type> <name>`. */
  readonly asked: string[] = [];
  /** Names that it answers with SERVFAIL. */
  readonly broken = new Set<string>();
  readonly #records = new Map<string, { type: string; data: string[] }>();

  /** Sets the records of one type and name, as a zone file has their data; none removes them. */
  set(type: string, name: string, ...data: string[]): void {
    const key = `${type} ${name}`;
    if (data.length === 0) this.#records.delete(key);
    else this.#records.set(key, { type, data });
  }

  /** Sets the records as the owner of a domain is asked to. */
  publish(records: Record<string, DnsRecord>, which = Object.keys(records)): void {
    for (const name of which) {
      const record = records[name];
      if (record === undefined) throw new Error(`There is no record ${name}`);
      const { type, host, value, priority = 0 } = record;
      this.set(type, host, type === "MX" ? `${priority} ${value}.` : quoted(value));
    }
  }

  /** All records, in the form that `set` takes. */
  records(): { type: string; name: string; data: string[] }[] {
    return [...this.#records].map(([key, { type, data }]) => ({
      type,
      name: key.slice(type.length + 1),
      data,
    }));
  }

  /** Forgets everything. */
  clear(): void {
    this.#records.clear();
    this.broken.clear();
  }

  /** The answer of a resolver, in `application/dns-json`. */
  answer(url: URL): object {
    const name = url.searchParams.get("name") ?? "";
    const type = url.searchParams.get("type") ?? "";
    this.asked.push(`${type} ${name}`);
    if (this.broken.has(name)) return { Status: 2 };
    const answers = [type, "CNAME"].flatMap((kind) => {
      const found = this.#records.get(`${kind} ${name}`);
      return (found?.data ?? []).map((data) => ({ name, type: TYPES[kind] ?? 0, TTL: 60, data }));
    });
    return answers.length === 0 ? { Status: 3 } : { Status: 0, TC: false, Answer: answers };
  }
}

/** A long text takes several strings. */
function quoted(text: string): string {
  const strings = text.match(new RegExp(`.{1,${MAX_STRING_CHARS}}`, "gs")) ?? [""];
  return strings.map((one) => `"${one.replace(/["\\]/g, "\\$&")}"`).join(" ");
}
