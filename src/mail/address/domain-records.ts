import type { CheckedRecord, DnsRecord, RecordName, RecordResult } from "../../contract/domain.ts";

/** The values that the DNS records of a domain need so that it can receive and send mail here. */
export interface DomainSetup {
  /** Canonical. */
  domain: string;
  /** The hosts that receive its mail: the first is shown, any of them counts. */
  mailHosts: readonly [string, ...string[]];
  /** The SPF mechanisms (RFC 7208 §5) of the servers that may send for it, separated by blanks. */
  spfMechanisms: string;
  selector: string;
  /** SubjectPublicKeyInfo in Base64. */
  publicKey: string;
}

export type DnsRecords = Record<RecordName, DnsRecord>;
export type RecordResults = Record<RecordName, RecordResult>;

export const RECORD_NAMES: readonly RecordName[] = ["mx", "spf", "dkim", "dmarc"];

/**
 * The records that verify a domain. The DKIM key belongs to this mailbox alone, so publishing it proves that the owner means
 * this mailbox; the MX record shows that mail is to come here, and only the owner of the domain can set it. SPF is checked for
 * the return path, which is at the deployment's domain, and DMARC is the owner's policy: both are only reported.
 */
export const REQUIRED_RECORDS: readonly RecordName[] = ["mx", "dkim"];

/** The preference of the MX record: lower ones are tried first (RFC 5321 §5.1). */
const MX_PREFERENCE = 10;

/** Limits of what is shown of the records found. */
const MAX_SHOWN = 10;
const MAX_SHOWN_CHARS = 500;

/** The DNS records that the owner of a domain has to set. */
export function recordsOf(setup: DomainSetup): DnsRecords {
  const { domain, mailHosts, spfMechanisms, selector, publicKey } = setup;
  return {
    mx: {
      type: "MX",
      host: domain,
      value: mailHosts[0],
      priority: MX_PREFERENCE,
      purpose: "Required: brings mail for the domain here",
    },
    spf: {
      type: "TXT",
      host: domain,
      value: `v=spf1 ${spfMechanisms} ~all`,
      purpose: "Recommended: names the servers that send for the domain",
    },
    dkim: {
      type: "TXT",
      host: `${selector}._domainkey.${domain}`,
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
      purpose: "Required: proves that the domain is yours, and signs the mail that you send from it",
    },
    dmarc: {
      type: "TXT",
      host: `_dmarc.${domain}`,
      value: "v=DMARC1; p=none",
      purpose: "Recommended: says what becomes of mail that only pretends to come from the domain",
    },
  };
}

/** Instructions for people on how to set the records. */
export function instructionsFor({ domain, mailHosts }: DomainSetup, id: string): string {
  const others =
    mailHosts.length === 1 ? "" : ` (beside it, with other priorities: ${mailHosts.slice(1).join(", ")})`;
  return (
    `At the DNS provider of ${domain}, set the MX record${others} and the TXT records of dns_records, then call ` +
    `POST /v1/domains/${id}/verify. MX and DKIM are required, SPF and DMARC recommended. A provider that adds the ` +
    `domain to host names itself takes them without it ("@" for the domain). The DKIM value is longer than 255 ` +
    `characters: where a provider does not split it itself, write it as several strings in quotes. If the domain has ` +
    `an SPF record already, add the mechanisms to it: there may be only one. Changes can take an hour to be seen.`
  );
}

/** Judges the answer to one DNS look-up. `answers` is null if the resolver could not tell. */
export function judgeRecord(
  setup: DomainSetup,
  record: RecordName,
  answers: readonly string[] | null,
): CheckedRecord {
  const { type, host, value } = recordsOf(setup)[record];
  const relevant = (answers ?? []).filter((answer) => isAbout(record, answer));
  const isRight = JUDGES[record](setup, relevant);
  const result = relevant.length === 0 ? "missing" : isRight ? "found" : "wrong";
  return {
    record,
    required: REQUIRED_RECORDS.includes(record),
    type,
    host,
    expected: value,
    found: relevant.slice(0, MAX_SHOWN).map((text) => text.slice(0, MAX_SHOWN_CHARS)),
    result: answers === null ? "unknown" : result,
  };
}

/**
 * The result of all records together: `good` if every required record is found, `gone` if one is certainly missing or wrong,
 * else `unknown`. A resolver that fails never makes a domain gone.
 */
export function verdictOf(results: RecordResults): "good" | "gone" | "unknown" {
  const required = REQUIRED_RECORDS.map((record) => results[record]);
  if (required.every((result) => result === "found")) return "good";
  return required.some((result) => result === "missing" || result === "wrong") ? "gone" : "unknown";
}

const VERSIONS: Partial<Record<RecordName, RegExp>> = {
  // RFC 7208 §4.5, RFC 7489 §6.6.3: what begins otherwise is some other text of the same name.
  spf: /^v=spf1(?: |$)/i,
  dmarc: /^v=DMARC1(?:\s*;|$)/i,
};

function isAbout(record: RecordName, answer: string): boolean {
  return VERSIONS[record]?.test(answer.trim()) ?? true;
}

/** Whether answers of one kind, at least one, say what they should. */
const JUDGES: Record<RecordName, (setup: DomainSetup, answers: readonly string[]) => boolean> = {
  mx: ({ mailHosts }, answers) => answers.some((answer) => mailHosts.includes(exchangeOf(answer))),
  // More than one SPF record is an error for receivers (RFC 7208 §4.5).
  spf: ({ spfMechanisms }, [policy = "", ...more]) => more.length === 0 && allows(policy, spfMechanisms),
  dkim: ({ publicKey }, answers) => answers.some((answer) => isKey(answer, publicKey)),
  dmarc: (_, [policy = "", ...more]) => more.length === 0 && /;\s*p\s*=/i.test(policy),
};

/** The host of an MX record (`<preference> <host>`), normalised for comparison. */
function exchangeOf(answer: string): string {
  return (answer.trim().split(/\s+/)[1] ?? "").toLowerCase().replace(/\.$/, "");
}

/** Whether an SPF policy has every one of `mechanisms`; without a qualifier they mean "pass" (RFC 7208 §4.6.2). */
function allows(policy: string, mechanisms: string): boolean {
  const terms = new Set(termsOf(policy));
  return termsOf(mechanisms).every((term) => terms.has(term));
}

function termsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((term) => term.replace(/^\+/, ""))
    .filter((term) => term !== "");
}

/** Whether a key record (RFC 6376 §3.6.1) holds `publicKey` and may be used for mail signed with rsa-sha256. */
function isKey(answer: string, publicKey: string): boolean {
  const tags = new Map(
    answer.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim(), value.join("=").replace(/\s/g, "")];
    }),
  );
  const among = (name: string, values: readonly string[]) =>
    !tags.has(name) ||
    (tags.get(name) ?? "").split(":").some((value) => values.includes(value.toLowerCase()));
  return (
    tags.get("p") === publicKey &&
    among("v", ["dkim1"]) &&
    among("k", ["rsa"]) &&
    among("h", ["sha256"]) &&
    among("s", ["*", "email"])
  );
}
