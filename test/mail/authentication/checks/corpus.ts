import type { Client } from "../../../../src/mail/authentication/checks/spf/spf.ts";
import { keyRecord, publicKey, sealed, signed, type KeyName, type SignOptions } from "./signer.ts";

/** A message of the corpus. Its name begins with its kind. */
export interface Case {
  name: string;
  /** A character for each byte. */
  raw: string;
  client: Client;
}

/** Records as a zone file has them, by `<type> <name>`, and the names that fail. */
export interface CorpusZone {
  records: Record<string, string[]>;
  broken: string[];
}

export interface Corpus {
  cases: Case[];
  zone: CorpusZone;
}

const FORMS = ["simple/simple", "simple/relaxed", "relaxed/simple", "relaxed/relaxed"] as const;
const KEYS = ["rsa1024", "rsa2048", "rsa4096", "ed25519"] as const satisfies KeyName[];
/** Allowed to send for every domain of the corpus but those of the kind `spf`. */
const OWN_CLIENT: Client = { address: "192.0.2.1", helo: "mail.example.org", mailFrom: "bounce@example.org" };
const FOREIGN_CLIENT: Client = { ...OWN_CLIENT, address: "198.51.100.9" };

const HEADER =
  "From: Ann <ann@example.org>\r\nTo: bob@example.net\r\nSubject: Lunch on  Friday\r\n" +
  "Date: Sun, 22 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n";
const BODY = "Hello Bob,\r\n\r\nsee you \t at noon.  \r\n-- \r\nAnn\r\n";
const PLAIN = `${HEADER}\r\n${BODY}`;

const BODIES: Record<string, string> = {
  plain: BODY,
  empty: "",
  "only line ends": "\r\n\r\n\r\n",
  "blank lines at the end": `${BODY}\r\n \r\n\t\r\n\r\n`,
  "no line end": "Hello",
  "8-bit": "Gr\xc3\xbc\xc3\x9fe \xff\xfe\r\n",
  "a bare CR and NUL": "one\rtwo\0three\r\n",
  "a long line": `${"x ".repeat(5_000)}\r\n`,
  "only blanks": "   \r\n\t\r\n",
};

/** Makes the whole corpus; `now` in seconds since 1970. */
export function makeCorpus(now: number): Corpus {
  const zone: CorpusZone = { records: {}, broken: [] };
  for (const key of ["rsa512", ...KEYS] as const) {
    for (const domain of [
      "example.org",
      "mail.example.org",
      "other.example",
      "forward.example",
      "list.example",
    ]) {
      zone.records[`TXT ${key}._domainkey.${domain}`] = [keyRecord(key)];
    }
  }
  zone.records["TXT example.org"] = ["v=spf1 ip4:192.0.2.0/24 -all"];
  zone.records["TXT _dmarc.example.org"] = ["v=DMARC1; p=reject"];
  const cases = [
    ...canonical(),
    ...changed(),
    ...lengths(),
    ...times(now),
    ...identities(zone),
    ...covers(),
    ...keyRecords(zone),
    ...malformed(),
    ...several(),
    ...alignments(zone),
    ...dmarcRecords(zone),
    ...senders(zone),
    ...arcs(),
    ...shapes(),
    ...authors(),
  ];
  return { cases, zone };
}

const own = (name: string, raw: string): Case => ({ name, raw, client: OWN_CLIENT });
const foreign = (name: string, raw: string): Case => ({ name, raw, client: FOREIGN_CLIENT });

function canonical(): Case[] {
  return FORMS.flatMap((c) =>
    KEYS.flatMap((key) =>
      Object.entries(BODIES).map(([body, text]) =>
        foreign(`canonical: ${c} ${key} ${body}`, signed(`${HEADER}\r\n${text}`, { key, c })),
      ),
    ),
  );
}

/** Changes on the way, some of which a canonical form allows. */
const CHANGES: Record<string, (raw: string) => string> = {
  "a word of the body": (raw) => raw.replace("noon", "nine"),
  "the case of a letter of the body": (raw) => raw.replace("Hello", "hello"),
  "blanks within a line of the body": (raw) => raw.replace("you \t at", "you at"),
  "blanks at the end of a line": (raw) => raw.replace("noon.  \r\n", "noon.\r\n"),
  "a new blank in the body": (raw) => raw.replace("Hello Bob", "Hel lo Bob"),
  "empty lines at the end": (raw) => `${raw}\r\n\r\n`,
  "a footer of a list": (raw) => `${raw}_____\r\nTo unsubscribe, write to the list.\r\n`,
  "a prefix of a list in Subject": (raw) => raw.replace("Subject: ", "Subject: [list] "),
  "blanks in Subject": (raw) => raw.replace("on  Friday", "on Friday"),
  "Subject folded": (raw) => raw.replace("Subject: Lunch on", "Subject: Lunch\r\n on"),
  "the case of a field's name": (raw) => raw.replace("Subject:", "SUBJECT:"),
  "a field that is not signed": (raw) => raw.replace("Message-ID:", "X-List: yes\r\nMessage-ID:"),
  "a changed field that is not signed": (raw) => raw.replace("<1@", "<2@"),
  "a second Subject above": (raw) => `Subject: Free money\r\n${raw}`,
  "a second Subject below": (raw) => raw.replace("Message-ID:", "Subject: Free money\r\nMessage-ID:"),
  "a second To above": (raw) => `To: eve@example.com\r\n${raw}`,
  "another From": (raw) => raw.replace("ann@example.org", "eve@example.org"),
  "signed fields in another order": (raw) =>
    raw.replace(/(To: .*\r\n)(Subject: .*\r\n)/, (_, to: string, subject: string) => subject + to),
  "no To": (raw) => raw.replace(/To: .*\r\n/, ""),
  "trace fields": (raw) => `Received: from a by b; now\r\nReturn-Path: <x@example.org>\r\n${raw}`,
  "the signature folded anew": (raw) => raw.replace(/;\r\n\tbh=/, ";\r\n  bh="),
  "line ends without CR": (raw) => raw.replaceAll("\r\n", "\n"),
};

function changed(): Case[] {
  return FORMS.flatMap((c) =>
    (["rsa2048", "ed25519"] as const).flatMap((key) =>
      Object.entries(CHANGES).map(([what, change]) =>
        foreign(`changed: ${c} ${key} ${what}`, change(signed(PLAIN, { key, c }))),
      ),
    ),
  );
}

function lengths(): Case[] {
  return FORMS.flatMap((c) => {
    const whole = signed(PLAIN, { key: "rsa2048", c });
    const lengthOf = (form: string): number => (form.endsWith("relaxed") ? 44 : 49);
    const exact = lengthOf(c);
    const options = { key: "rsa2048", c } as const;
    return [
      foreign(`length: ${c} none`, whole),
      foreign(`length: ${c} exact`, signed(PLAIN, { ...options, tags: { l: String(exact) } })),
      foreign(`length: ${c} a part`, signed(PLAIN, { ...options, bodyLength: 10, tags: { l: "10" } })),
      foreign(`length: ${c} nothing`, signed(PLAIN, { ...options, bodyLength: 0, tags: { l: "0" } })),
      foreign(`length: ${c} too long`, signed(PLAIN, { ...options, tags: { l: "500" } })),
      foreign(
        `length: ${c} grown`,
        `${signed(PLAIN, { ...options, tags: { l: String(exact) } })}<b>buy</b>\r\n`,
      ),
      foreign(`length: ${c} no number`, signed(PLAIN, { ...options, tags: { l: "4x" } })),
    ];
  });
}

function times(now: number): Case[] {
  const hour = 3_600;
  const tags: Record<string, Record<string, string>> = {
    "signed an hour ago": { t: String(now - hour) },
    "expires in an hour": { t: String(now - hour), x: String(now + hour) },
    "expired an hour ago": { t: String(now - 2 * hour), x: String(now - hour) },
    "expired, without t=": { x: String(now - hour) },
    "signed tomorrow": { t: String(now + 24 * hour) },
    "expires before it was signed": { t: String(now - hour), x: String(now - 2 * hour) },
    "t= is a word": { t: "now" },
    "x= is negative": { x: "-1" },
    "t= of twelve digits": { t: "999999999999" },
  };
  return Object.entries(tags).flatMap(([name, more]) =>
    (["rsa2048", "ed25519"] as const).map((key) =>
      foreign(`time: ${name} ${key}`, signed(PLAIN, { key, tags: more })),
    ),
  );
}

function identities(zone: CorpusZone): Case[] {
  zone.records["TXT strict._domainkey.example.org"] = [`v=DKIM1; t=s; p=${publicKey("rsa2048")}`];
  zone.records["TXT testing._domainkey.example.org"] = [`v=DKIM1; t=y; p=${publicKey("rsa2048")}`];
  const values = {
    "no i=": null,
    "only the domain": "@example.org",
    "an address": "ann@example.org",
    "a subdomain": "@lists.example.org",
    "another domain": "@example.com",
    "a longer name with the same end": "@badexample.org",
    "the domain above": "@org",
    "no at sign": "example.org",
    "quoted-printable": "a=6Eb@example.org",
  };
  return Object.entries(values).flatMap(([name, i]) =>
    ["rsa2048", "strict", "testing"].map((s) =>
      foreign(`identity: ${name}, selector ${s}`, signed(PLAIN, { key: "rsa2048", s, tags: { i } })),
    ),
  );
}

/** The names in `h=`. */
function covers(): Case[] {
  const trace = `Received: from c by d; now\r\nReceived: from b by c; now\r\nReceived: from a by b; now\r\n${PLAIN}`;
  const lists: Record<string, string> = {
    "without From": "to:subject",
    "From alone": "from",
    "From in capitals": "FROM:To:SUBJECT",
    "folded, with blanks": "from :\r\n\t to : subject",
    "a field that is not there": "from:to:cc:reply-to",
    "From twice": "from:from:to",
    "Subject three times": "from:subject:subject:subject",
    "one of several": "from:received",
    "two of several": "from:received:received",
    "more than there are": "from:received:received:received:received",
    "an empty name": "from::to",
    "a name with a blank": "from:to bob",
    "the signature itself": "from:subject:dkim-signature",
    "a colon at the end": "from:to:",
  };
  return Object.entries(lists).flatMap(([name, h]) =>
    FORMS.slice(0, 4).flatMap((c) => {
      const raw = signed(trace, { key: "rsa2048", c, h });
      return [
        foreign(`cover: ${c} ${name}`, raw),
        foreign(`cover: ${c} ${name}, with a From above`, `From: eve@example.org\r\n${raw}`),
      ];
    }),
  );
}

function keyRecords(zone: CorpusZone): Case[] {
  const p = publicKey("rsa2048");
  const records: Record<string, string[]> = {
    "only p=": [`p=${p}`],
    "v= at the end": [`p=${p}; v=DKIM1`],
    "another version": [`v=DKIM2; p=${p}`],
    "lower-case version": [`v=dkim1; p=${p}`],
    revoked: ["v=DKIM1; p="],
    "without p=": ["v=DKIM1; k=rsa"],
    empty: [""],
    "no tags": ["hello"],
    "another type": [`v=DKIM1; k=ed25519; p=${p}`],
    "an unknown type": [`v=DKIM1; k=dsa; p=${p}`],
    "SHA-1 only": [`v=DKIM1; h=sha1; p=${p}`],
    "SHA-1 and SHA-256": [`v=DKIM1; h=sha1 : sha256; p=${p}`],
    "an unknown hash": [`v=DKIM1; h=sha3; p=${p}`],
    "for email": [`v=DKIM1; s=email; p=${p}`],
    "for everything": [`v=DKIM1; s=*; p=${p}`],
    "for another service": [`v=DKIM1; s=tlsrpt; p=${p}`],
    "for email among others": [`v=DKIM1; s=other:email; p=${p}`],
    "in testing": [`v=DKIM1; t=y; p=${p}`],
    "unknown tags and flags": [`v=DKIM1; t=z; n=some notes; q=9; p=${p}`],
    "blanks in the key": [`v=DKIM1; p=${p.replace(/.{50}/g, "$& ")}`],
    "several strings": [`v=DKIM1; p=${p}`],
    "a tag twice": [`v=DKIM1; p=${p}; p=${p}`],
    "a semicolon at the end": [`v=DKIM1;p=${p};`],
    "damaged base64": [`v=DKIM1; p=${p.slice(0, 100)}!${p.slice(101)}`],
    "cut off": [`v=DKIM1; p=${p.slice(0, 200)}`],
    "the key of another": [keyRecord("rsa1024")],
    "too short a key": [keyRecord("rsa512")],
    RSAPublicKey: [`v=DKIM1; p=${publicKey("rsa2048", "pkcs1")}`],
    "two keys": [`v=DKIM1; p=${p}`, keyRecord("rsa1024")],
    "a key and a text": ["some text", `v=DKIM1; p=${p}`],
    huge: [`v=DKIM1; n=${"x".repeat(9_000)}; p=${p}`],
  };
  const cases = Object.entries(records).map(([name, data], index) => {
    const s = `k${index}`;
    zone.records[`TXT ${s}._domainkey.example.org`] = data;
    return foreign(
      `key: ${name}`,
      signed(PLAIN, { key: name === "too short a key" ? "rsa512" : "rsa2048", s }),
    );
  });
  zone.records["CNAME alias._domainkey.example.org"] = ["rsa2048._domainkey.other.example."];
  zone.broken.push("broken._domainkey.example.org");
  const of = (name: string, more: Partial<SignOptions>): Case =>
    foreign(`key: ${name}`, signed(PLAIN, { key: "rsa2048", ...more }));
  return [
    ...cases,
    of("an alias", { s: "alias" }),
    of("a failure of DNS", { s: "broken" }),
    of("a name that does not exist", { s: "nobody" }),
    of("a domain in capitals", { d: "EXAMPLE.ORG" }),
    of("a selector in capitals", { s: "RSA2048" }),
    of("a selector of two labels", { s: "a.b" }),
    of("a selector that is none", { s: "a..b" }),
    of("a domain that is none", { d: "exa mple.org" }),
    of("no domain", { tags: { d: null } }),
    of("an Ed25519 signature and an RSA key", { key: "ed25519", s: "rsa2048" }),
    of("an RSA signature and an Ed25519 key", { s: "ed25519" }),
  ];
}

function malformed(): Case[] {
  const tags: Record<string, Record<string, string | null>> = {
    "no v=": { v: null },
    "v=2": { v: "2" },
    "v=1.0": { v: "1.0" },
    "no a=": { a: null },
    "an unknown algorithm": { a: "rsa-sha512" },
    "an algorithm in capitals": { a: "RSA-SHA256" },
    "no bh=": { bh: null },
    "bh= of another body": { bh: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
    "bh= that is no base64": { bh: "%%%" },
    "no h=": { h: null },
    "no s=": { s: null },
    "an unknown form": { c: "nofws/simple" },
    "three forms": { c: "relaxed/relaxed/relaxed" },
    "q= as it must be": { q: "dns/txt" },
    "an unknown q=": { q: "http/get" },
    "q= with an unknown one first": { q: "http/get:dns/txt" },
    "an unknown tag": { zz: "some value" },
    "z= with copied fields": { z: "From:ann|To:bob" },
    "a tag whose name is no name": { "1a": "x" },
    "a value with a control": { zz: "a\x01b" },
    "a value above ASCII": { zz: "\xc3\xa9" },
    "an empty tag": { "": "" },
  };
  const cases = Object.entries(tags).map(([name, more]) =>
    foreign(`malformed: ${name}`, signed(PLAIN, { key: "rsa2048", tags: more })),
  );
  const whole = signed(PLAIN, { key: "rsa2048" });
  return [
    ...cases,
    foreign("malformed: rsa-sha1", signed(PLAIN, { key: "rsa2048", hash: "sha1" })),
    foreign("malformed: simple header form alone", signed(PLAIN, { key: "rsa2048", c: "simple" })),
    foreign("malformed: relaxed header form alone", signed(PLAIN, { key: "rsa2048", c: "relaxed" })),
    foreign("malformed: no c=", signed(PLAIN, { key: "rsa2048", c: "simple/simple", tags: { c: null } })),
    foreign("malformed: v= twice", whole.replace("v=1;", "v=1; v=1;")),
    foreign("malformed: b= is empty", whole.replace(/b=[A-Za-z0-9+/=\s]+\r\nFrom/, "b=\r\nFrom")),
    foreign("malformed: b= is no base64", whole.replace(/\tb=..../, "\tb=!!!!")),
    foreign("malformed: b= of another length", whole.replace(/\tb=..../, "\tb=")),
    foreign("malformed: an empty field", `DKIM-Signature:\r\n${PLAIN}`),
    foreign("malformed: a field of semicolons", `DKIM-Signature: ;;;;\r\n${PLAIN}`),
    foreign("malformed: no signature", PLAIN),
  ];
}

function several(): Case[] {
  const both = signed(signed(PLAIN, { key: "rsa2048" }), { key: "ed25519" });
  const other = signed(PLAIN, { key: "rsa2048", d: "other.example" });
  const damaged = (raw: string): string => raw.replace(/bh=./, "bh=_");
  const twelve = Array.from({ length: 12 }).reduce<string>(
    (raw) => signed(raw, { key: "rsa1024", d: "other.example" }),
    signed(PLAIN, { key: "rsa1024" }),
  );
  return [
    foreign("several: RSA and Ed25519", both),
    foreign("several: the upper one damaged", damaged(both)),
    foreign("several: of another domain", other),
    foreign("several: another domain's and the own", signed(other, { key: "rsa2048" })),
    foreign(
      "several: the own damaged, another domain's whole",
      signed(damaged(signed(PLAIN, { key: "rsa2048" })), { key: "rsa2048", d: "other.example" }),
    ),
    foreign("several: the own signature below twelve", twelve),
    foreign(
      "several: one that signs the other",
      signed(signed(PLAIN, { key: "rsa2048" }), { key: "rsa1024", h: "from:dkim-signature" }),
    ),
    foreign(
      "several: one that signs the other, which was removed",
      signed(signed(PLAIN, { key: "rsa2048" }), { key: "rsa1024", h: "from:dkim-signature" }).replace(
        /(b=[^:]*\r\n)DKIM-Signature:[^:]*:[^:]*:[^:]*:[^:]*\r\n(From)/s,
        "$1$2",
      ),
    ),
  ];
}

/** Domains of From, of the signature and of the envelope against each other, by the modes of the record. */
function alignments(zone: CorpusZone): Case[] {
  const pairs: [string, string][] = [
    ["a.example", "a.example"],
    ["a.example", "mail.a.example"],
    ["news.a.example", "a.example"],
    ["news.a.example", "mail.a.example"],
    ["a.example", "nota.example"],
    ["a.example", "a.example.evil.example"],
    ["a.co.uk", "mail.a.co.uk"],
    ["a.co.uk", "b.co.uk"],
    ["a.co.uk", "co.uk"],
    ["alice.github.io", "mallory.github.io"],
    ["alice.github.io", "mail.alice.github.io"],
    ["a.b.kawasaki.jp", "c.b.kawasaki.jp"],
  ];
  // The organisational domain is the same for all modes here, so only one can have it.
  const exceptions: Record<string, [string, string][]> = {
    relaxed: [["x.city.kawasaki.jp", "y.city.kawasaki.jp"]],
  };
  const modes = {
    relaxed: "v=DMARC1; p=reject",
    strict: "v=DMARC1; p=reject; adkim=s; aspf=s",
    mixed: "v=DMARC1; p=none; adkim=s; aspf=r",
    none: null,
  };
  return Object.entries(modes).flatMap(([mode, record], index) =>
    [...pairs, ...(exceptions[mode] ?? [])].flatMap(([author, signer]) => {
      // Each mode has domains of its own, because a name has one record.
      const named = (domain: string): string =>
        domain
          .replace(/(^|\.)(a|alice|b|nota|mallory|city)\./, `$1$2${index}.`)
          .replace("city" + index, "city");
      const [from, d] = [named(author), named(signer)];
      zone.records[`TXT rsa1024._domainkey.${d}`] = [keyRecord("rsa1024")];
      zone.records[`TXT ${d}`] ??= ["v=spf1 ip4:192.0.2.0/24 -all"];
      const organization = from
        .split(".")
        .slice(
          /\.(co\.uk|github\.io)$/.test(from)
            ? -3
            : /kawasaki/.test(from)
              ? /city/.test(from)
                ? -3
                : -4
              : -2,
        )
        .join(".");
      if (record !== null) zone.records[`TXT _dmarc.${organization}`] = [record];
      const raw = PLAIN.replaceAll("ann@example.org", `ann@${from}`);
      const whole = signed(raw, { key: "rsa1024", d });
      const client = { address: "192.0.2.1", helo: `mail.${d}`, mailFrom: `bounce@${d}` };
      return [
        foreign(`alignment: ${mode} ${from} signed by ${d}`, whole),
        { name: `alignment: ${mode} ${from} sent by ${d}`, raw, client },
        foreign(`alignment: ${mode} ${from} signed by ${d}, changed`, `${whole}more\r\n`),
      ];
    }),
  );
}

function dmarcRecords(zone: CorpusZone): Case[] {
  const records: Record<string, string[]> = {
    "p=none": ["v=DMARC1; p=none"],
    "p=quarantine with pct": ["v=DMARC1; p=quarantine; pct=10"],
    "p=reject with pct=0": ["v=DMARC1; p=reject; pct=0"],
    "all tags": ["v=DMARC1; p=reject; sp=none; adkim=r; aspf=r; fo=1; ri=3600; rua=mailto:d@example.org"],
    "blanks everywhere": ["v = DMARC1 ;  p = reject ; "],
    "a key and another text": ["some text", "v=DMARC1; p=reject"],
    "two records": ["v=DMARC1; p=reject", "v=DMARC1; p=none"],
    "another version": ["v=DMARC2; p=reject"],
    "lower-case version": ["v=dmarc1; p=reject"],
    "v= not first": ["p=reject; v=DMARC1"],
    "no p=, no rua=": ["v=DMARC1; sp=reject"],
    "a broken p=, with rua=": ["v=DMARC1; p=nothing; rua=mailto:d@example.org"],
    "a broken p=, without rua=": ["v=DMARC1; p=nothing"],
    "p= in capitals": ["v=DMARC1; p=REJECT"],
    "a broken adkim=": ["v=DMARC1; p=reject; adkim=x"],
    "an unknown tag": ["v=DMARC1; p=reject; foo=bar"],
    "only the version": ["v=DMARC1"],
    "only text": ["hello"],
  };
  const cases = Object.entries(records).flatMap(([name, data], index) => {
    const domain = `d${index}.example`;
    zone.records[`TXT _dmarc.${domain}`] = data;
    zone.records[`TXT rsa1024._domainkey.${domain}`] = [keyRecord("rsa1024")];
    zone.records[`TXT ${domain}`] = ["v=spf1 ip4:192.0.2.0/24 -all"];
    const raw = PLAIN.replace("ann@example.org", `ann@${domain}`);
    const below = PLAIN.replace("ann@example.org", `ann@news.${domain}`);
    const client = { address: "192.0.2.1", helo: `mail.${domain}`, mailFrom: `bounce@${domain}` };
    return [
      foreign(`dmarc: ${name}, signed`, signed(raw, { key: "rsa1024", d: domain })),
      { name: `dmarc: ${name}, sent`, raw, client },
      foreign(`dmarc: ${name}, forged`, raw),
      foreign(`dmarc: ${name}, a subdomain signed`, signed(below, { key: "rsa1024", d: domain })),
      foreign(`dmarc: ${name}, a subdomain forged`, below),
    ];
  });
  zone.broken.push("_dmarc.broken.example");
  zone.records["TXT rsa1024._domainkey.broken.example"] = [keyRecord("rsa1024")];
  const raw = PLAIN.replace("ann@example.org", "ann@broken.example");
  return [
    ...cases,
    foreign("dmarc: a failure of DNS, signed", signed(raw, { key: "rsa1024", d: "broken.example" })),
    foreign("dmarc: a failure of DNS, forged", raw),
  ];
}

/** Policies of SPF for the client 192.0.2.1 (or 2001:db8::1) and what they need. */
function senders(zone: CorpusZone): Case[] {
  const many = (count: number): string =>
    Array.from({ length: count }, (_, index) => `a:h${index}.hosts.example`).join(" ");
  const policies: Record<string, string> = {
    everybody: "v=spf1 +all",
    nobody: "v=spf1 -all",
    "softly nobody": "v=spf1 ~all",
    neutral: "v=spf1 ?all",
    "no term": "v=spf1",
    "the address": "v=spf1 ip4:192.0.2.1 -all",
    "the network": "v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all",
    "another network": "v=spf1 ip4:198.51.100.0/24 ip6:2001:db9::/32 -all",
    "a network of 0 bits": "v=spf1 ip4:0.0.0.0/0 -all",
    a: "v=spf1 a:host.hosts.example -all",
    "a with a prefix": "v=spf1 a:other.hosts.example/24//32 -all",
    mx: "v=spf1 mx:hosts.example -all",
    "too many mail hosts": "v=spf1 mx:crowd.hosts.example -all",
    include: "v=spf1 include:good.hosts.example -all",
    "include that fails": "v=spf1 include:bad.hosts.example ?all",
    "include of nothing": "v=spf1 include:nothing.hosts.example -all",
    "include of itself": "v=spf1 include:loop.hosts.example -all",
    redirect: "v=spf1 redirect=good.hosts.example",
    "redirect to nothing": "v=spf1 redirect=nothing.hosts.example",
    "redirect behind all": "v=spf1 ?all redirect=good.hosts.example",
    "exists with macros": "v=spf1 exists:%{ir}.%{v}.%{l}.hosts.example -all",
    "a macro of the domain": "v=spf1 include:%{d2}.hosts.example -all",
    "a macro with digits": "v=spf1 a:%{h1r-}.hosts.example -all",
    ptr: "v=spf1 ptr:hosts.example -all",
    "ten lookups": `v=spf1 ${many(1)} ${"include:good2.hosts.example ".repeat(8)}-all`,
    "eleven lookups": `v=spf1 ${"a:other.hosts.example ".repeat(11)}-all`,
    "three void lookups": "v=spf1 a:v1.hosts.example a:v2.hosts.example a:v3.hosts.example -all",
    "two void lookups": "v=spf1 a:v1.hosts.example a:v2.hosts.example -all",
    "a failure of DNS": "v=spf1 a:broken.hosts.example -all",
    "a failure behind a match": "v=spf1 ip4:192.0.2.1 a:broken.hosts.example -all",
    "an unknown mechanism": "v=spf1 ip5:192.0.2.1 -all",
    "an unknown modifier": "v=spf1 foo=bar ip4:192.0.2.1 -all",
    "a broken address": "v=spf1 ip4:192.0.2 -all",
    "a broken prefix": "v=spf1 ip4:192.0.2.0/33 -all",
    "a prefix with a zero": "v=spf1 a/024 -all",
    "an error behind a match": "v=spf1 ip4:192.0.2.1 nonsense:x -all",
    capitals: "V=SPF1 IP4:192.0.2.1 -ALL",
    "two blanks": "v=spf1  ip4:192.0.2.1   -all ",
    "a tab": "v=spf1\tip4:192.0.2.1 -all",
    "another version": "v=spf10 -all",
    "an explanation": "v=spf1 ip4:198.51.100.0/24 exp=why.hosts.example -all",
    "redirect twice": "v=spf1 redirect=good.hosts.example redirect=good.hosts.example",
    "an unknown macro": "v=spf1 exists:%{x}.hosts.example -all",
    "a lonely percent sign": "v=spf1 exists:50%.hosts.example -all",
  };
  Object.assign(zone.records, {
    "A host.hosts.example": ["192.0.2.1"],
    "AAAA host.hosts.example": ["2001:db8::1"],
    "A other.hosts.example": ["192.0.2.77"],
    "AAAA other.hosts.example": ["2001:db8:7::7"],
    "MX hosts.example": ["10 other.hosts.example.", "20 host.hosts.example."],
    "MX crowd.hosts.example": Array.from({ length: 11 }, (_, index) => `${index} h${index}.hosts.example.`),
    "TXT good.hosts.example": ["v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all"],
    "TXT good2.hosts.example": ["v=spf1 -all"],
    "TXT bad.hosts.example": ["v=spf1 -all"],
    "TXT loop.hosts.example": ["v=spf1 include:loop.hosts.example -all"],
    "A 1.2.0.192.in-addr.ann.hosts.example": ["127.0.0.2"],
    "PTR 1.2.0.192.in-addr.arpa": ["host.hosts.example."],
    "A h0.hosts.example": ["203.0.113.5"],
    "AAAA h0.hosts.example": ["2001:db8:5::5"],
  });
  zone.broken.push("broken.hosts.example", "s-broken.example");
  const clients = ["192.0.2.1", "203.0.113.200", "2001:db8::1"];
  const cases = Object.entries(policies).flatMap(([name, policy], index) => {
    const domain = `s${index}.example`;
    zone.records[`TXT ${domain}`] = [policy];
    return clients.map((address) => ({
      name: `spf: ${name}, from ${address}`,
      raw: PLAIN.replace("ann@example.org", `ann@${domain}`),
      client: { address, helo: "host.hosts.example", mailFrom: `ann@${domain}` },
    }));
  });
  zone.records["TXT s-two.example"] = ["v=spf1 -all", "v=spf1 +all"];
  zone.records["TXT s-mixed.example"] = ["other text", "v=spf1 +all"];
  zone.records["TXT helo.example"] = ["v=spf1 ip4:192.0.2.1 -all"];
  const of = (name: string, client: Client): Case => ({ name: `spf: ${name}`, raw: PLAIN, client });
  const base = { address: "192.0.2.1", helo: "host.hosts.example" };
  return [
    ...cases,
    of("two records", { ...base, mailFrom: "a@s-two.example" }),
    of("a record among other texts", { ...base, mailFrom: "a@s-mixed.example" }),
    of("a failure of DNS", { ...base, mailFrom: "a@s-broken.example" }),
    of("no record", { ...base, mailFrom: "a@s-none.example" }),
    of("the null sender", { ...base, helo: "helo.example", mailFrom: "" }),
    of("the null sender and a HELO that is no name", { ...base, helo: "[192.0.2.1]", mailFrom: "" }),
    of("a mapped address", { ...base, address: "::ffff:192.0.2.1", mailFrom: "a@helo.example" }),
    of("a domain of one label", { ...base, mailFrom: "a@localhost" }),
    of("a sender in capitals", { ...base, mailFrom: "A@HELO.EXAMPLE" }),
    of("a local part that is quoted", { ...base, mailFrom: '"a b@c"@helo.example' }),
  ];
}

function arcs(): Case[] {
  const start = signed(PLAIN, { key: "rsa2048" });
  const one = sealed(start, { key: "rsa2048", instance: 1, chain: "none" });
  const two = sealed(one, { key: "rsa1024", instance: 2, chain: "pass", d: "list.example" });
  const three = sealed(two, { key: "rsa2048", instance: 3, chain: "pass" });
  const footer = `${one}A footer of the list\r\n`;
  return Object.entries({
    "one set": one,
    "two sets": two,
    "three sets": three,
    "a footer before the second set": sealed(footer, {
      key: "rsa2048",
      instance: 2,
      chain: "pass",
      d: "list.example",
    }),
    "a changed body": `${two}more\r\n`,
    "a changed Subject": two.replace("Lunch", "Dinner"),
    "changed results": two.replace("dkim=pass", "dkim=fail"),
    "the first set says pass": sealed(start, { key: "rsa2048", instance: 1, chain: "pass" }),
    "the second set says none": sealed(one, { key: "rsa2048", instance: 2, chain: "none" }),
    "the second set says fail": sealed(one, { key: "rsa2048", instance: 2, chain: "fail" }),
    "the first set is missing": sealed(start, { key: "rsa2048", instance: 2, chain: "pass" }),
    "a set twice": sealed(one, { key: "rsa2048", instance: 1, chain: "none" }),
    "no seal": two.replace(/^ARC-Seal:[^]*?\r\n(?=ARC-)/, ""),
    "no message signature": two.replace(/ARC-Message-Signature:[^]*?\r\n(?=ARC-Auth)/, ""),
    "a seal with a damaged signature": two.replace(/b=[A-Za-z0-9]{4}/, "b=AAAA"),
    "no key": sealed(start, { key: "rsa2048", instance: 1, chain: "none", d: "nokey.example" }),
  }).map(([name, raw]) => foreign(`arc: ${name}`, raw));
}

/** Messages of odd shapes, each signed as it stands. */
function shapes(): Case[] {
  const raws: Record<string, string> = {
    "a header of 100 KB": `X-Long: ${"word ".repeat(20_000)}\r\n${PLAIN}`,
    "a signed field of 100 KB": PLAIN.replace("Subject: ", `Subject: ${"word ".repeat(20_000)}`),
    "a field of 1,000 lines": PLAIN.replace("Subject: ", `Subject: ${"word\r\n ".repeat(1_000)}`),
    "500 fields": `${Array.from({ length: 500 }, (_, index) => `X-${index}: ${index}\r\n`).join("")}${PLAIN}`,
    "a blank before the colon": PLAIN.replace("Subject:", "Subject \t:"),
    tabs: PLAIN.replace("Subject: Lunch on  Friday", "Subject:\tLunch\t\ton\tFriday\t"),
    "an empty Subject": PLAIN.replace(/Subject: .*\r\n/, "Subject:\r\n"),
    "a Subject of blanks": PLAIN.replace(/Subject: .*\r\n/, "Subject:  \t \r\n"),
    "a folded line of blanks": PLAIN.replace("Subject: Lunch", "Subject: Lunch\r\n \t\r\n too"),
    "8-bit Subject": PLAIN.replace("Lunch", "M\xc3\xbcsli \xff"),
    "an encoded Subject": PLAIN.replace("Lunch", "=?utf-8?q?M=C3=BCsli?="),
    "colons in the value": PLAIN.replace("Lunch", "Re: Fw: a:b"),
    "no body and no empty line": HEADER,
    "no empty line before the end": HEADER.slice(0, -2),
    "NUL in Subject": PLAIN.replace("Lunch", "Lu\0nch"),
    "a bare CR in Subject": PLAIN.replace("Lunch", "Lu\rnch"),
    "a body of one dot": `${HEADER}\r\n.\r\n`,
    "a body of 200 KB": `${HEADER}\r\n${"0123456789 abcdef\t\r\n".repeat(10_000)}`,
    "1,000 empty lines at the end": `${PLAIN}${"\r\n".repeat(1_000)}`,
    "1,000 empty lines within": `${PLAIN}${"\r\n".repeat(1_000)}end\r\n`,
    "a line of 100,000 blanks": `${PLAIN}${" ".repeat(100_000)}\r\n`,
  };
  return Object.entries(raws).flatMap(([name, raw]) =>
    FORMS.map((c) => foreign(`shape: ${c} ${name}`, signed(raw, { key: "rsa1024", c }))),
  );
}

/** Forms of From; all but the first are signed by example.org. */
function authors(): Case[] {
  const values: Record<string, string> = {
    "an address alone": "ann@example.org",
    "a name that is another address": '"ceo@bank.example" <ann@example.org>',
    "a name that is another address, not quoted": "ceo@bank.example <ann@example.org>",
    "another domain, with ours as its name": '"ann@example.org" <eve@bank.example>',
    "two addresses": "ann@example.org, eve@bank.example",
    "two addresses of one domain": "ann@example.org, eve@example.org",
    "a group": "Team: ann@example.org;",
    "an empty group": "undisclosed:;",
    "a comment": "ann@example.org (the real (one))",
    "a comment inside the address": "ann(eve@bank.example)@example.org",
    "an encoded name": "=?utf-8?q?ceo=40bank.example?= <ann@example.org>",
    capitals: "ANN@EXAMPLE.ORG",
    "a quoted local part with an at sign": '"ann@bank.example"@example.org',
    "no address": "Ann",
    empty: "",
    "a dot at the end": "ann@example.org.",
    folded: "Ann\r\n <ann@example.org>",
    "a route": "<@bank.example:ann@example.org>",
    "a domain literal": "ann@[192.0.2.1]",
  };
  return [
    ...Object.entries(values).map(([name, value]) =>
      foreign(`author: ${name}`, signed(PLAIN.replace("Ann <ann@example.org>", value), { key: "rsa1024" })),
    ),
    foreign("author: no From", PLAIN.replace(/From: .*\r\n/, "")),
    foreign(
      "author: two From, both signed",
      signed(`From: eve@bank.example\r\n${PLAIN}`, { key: "rsa1024", h: "from:from" }),
    ),
    foreign(
      "author: a From of another domain above",
      `From: ceo@bank.example\r\n${signed(PLAIN, { key: "rsa1024" })}`,
    ),
    foreign(
      "author: a From of another domain below",
      signed(PLAIN, { key: "rsa1024" }).replace("To:", "From: ceo@bank.example\r\nTo:"),
    ),
    own(
      "author: Sender of another domain",
      `Sender: ceo@bank.example\r\n${signed(PLAIN, { key: "rsa1024" })}`,
    ),
  ];
}
