import type { ExpectationBody, Rejection } from "../../../src/contract/expectation.ts";
import type { Fixture } from "../fixtures.ts";
import { signedMail } from "./honest.ts";
import { AUTOMATIC_ANSWER, NAMING_A_STRANGER } from "./header-lines.ts";
import { GATEWAY, type Scene, type SceneMail, type Step } from "./scene.ts";

type Asked = Partial<ExpectationBody> & { from_domain: string };

const OTHER: readonly Rejection[] = ["other_domain"];
const UNPROVEN: readonly Rejection[] = ["unverified_sender"];
/** Programs read such a From field in different ways; what counts is that nobody is proven by it. */
const EITHER: readonly Rejection[] = ["other_domain", "unverified_sender"];

/** Domains that a person takes for another, each with mail that is signed and passes DMARC. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  "github.com":
    "github.com.evil.example github-com.example githubcom.example gıthub.com gíthub.com ɡithub.com githuḃ.com githuЬ.com " +
    "github.co github.org github.net github.com.co github.community notgithub.com githubb.com gitub.com githup.com qithub.com " +
    "g1thub.com github-login.com login-github.com github.com-login.example secure.github.com.evil.example " +
    "GITHUB.COM.EVIL.EXAMPLE evil.example. xn--gthub-n4a.com ghub.com github.io hub.com com.github.evil.example",
  "paypal.com": "paypai.com ρaypal.com раураl.com paypal.com.verify.example paypal-secure.com paypa1.com",
  "microsoft.com":
    "rnicrosoft.com micros0ft.com microsoft.support.example mlcrosoft.com account-microsoft.com",
  "google.com": "googie.com goog1e.com accounts-google.com google.com.mail-auth.example google.cm",
  "bücher.example":
    "bucher.example xn--bcher-kva.evil.example bûcher.example bücher.example.evil.example büсher.example",
  "brand.co.uk": "other.co.uk brand.uk brand.co.uk.evil.example brand.org.uk xbrand.co.uk",
  "alice.github.io": "bob.github.io github.io alice.github.io.evil.example alice.gitlab.io malice.github.io",
  "accounts.brand.example":
    "brand.example mail.brand.example accounts-brand.example accounts.brand.example.com",
};

const EVIL = "dkim=pass header.d=evil.example; dmarc=pass header.from=evil.example";
/** A gateway that took the other one of two authors for the sender. */
const FOOLED = "dkim=pass header.d=evil.example; dmarc=pass header.from=github.com";

/** Header lines that show github.com to somebody, the results that a gateway finds, and what the agent is told. */
const TRICKS: readonly [
  name: string,
  head: readonly string[],
  found: string | null,
  told: readonly Rejection[],
][] = [
  ["an address as display name", ['From: "noreply@github.com" <x@evil.example>'], EVIL, OTHER],
  ["an address as bare display name", ["From: noreply@github.com <x@evil.example>"], EVIL, EITHER],
  ["a display name of the brand", ["From: GitHub Security <x@evil.example>"], EVIL, OTHER],
  [
    "an address with brackets as display name",
    ["From: GitHub <noreply@github.com> <x@evil.example>"],
    EVIL,
    EITHER,
  ],
  [
    "an address in an encoded word",
    ["From: =?utf-8?q?GitHub_=3Cnoreply=40github=2Ecom=3E?= <x@evil.example>"],
    EVIL,
    OTHER,
  ],
  [
    "an address in an encoded word of Base64",
    ["From: =?utf-8?b?bm9yZXBseUBnaXRodWIuY29t?= <x@evil.example>"],
    EVIL,
    OTHER,
  ],
  ["an encoded word alone", ["From: =?utf-8?q?noreply=40github=2Ecom?="], EVIL, EITHER],
  ["an encoded word in brackets", ["From: <=?utf-8?q?noreply=40github=2Ecom?=>"], "dmarc=none", EITHER],
  ["a right-to-left override", ["From: \u202Emoc.buhtig@ylperon <x@evil.example>"], EVIL, OTHER],
  ["a quoted local part", ['From: "noreply@github.com"@evil.example'], EVIL, EITHER],
  ["a quoted local part with brackets", ['From: "x <noreply@github.com>"@evil.example'], EVIL, EITHER],
  ["a quoted local part with a quote", ['From: "x\\" <noreply@github.com>"@evil.example'], EVIL, EITHER],
  ["a comment behind", ["From: x@evil.example (noreply@github.com)"], EVIL, OTHER],
  ["a comment in front", ["From: (noreply@github.com) x@evil.example"], EVIL, OTHER],
  ["a comment within", ["From: noreply@(github.com)evil.example"], EVIL, EITHER],
  ["a comment that never closes", ["From: noreply@github.com (<x@evil.example>"], EVIL, EITHER],
  ["a group of one", ["From: GitHub: noreply@github.com;"], FOOLED, EITHER],
  ["a group of two", ["From: GitHub: noreply@github.com, x@evil.example;"], FOOLED, EITHER],
  ["an empty group", ["From: noreply@github.com:;"], EVIL, EITHER],
  ["a source route through github.com", ["From: <@github.com:x@evil.example>"], EVIL, EITHER],
  ["a source route to github.com", ["From: <@evil.example:noreply@github.com>"], EVIL, EITHER],
  ["two addresses, its own last", ["From: noreply@github.com, x@evil.example"], EVIL, EITHER],
  ["two addresses, its own first", ["From: x@evil.example, noreply@github.com"], EVIL, EITHER],
  ["two addresses, and a fooled gateway", ["From: noreply@github.com, x@evil.example"], FOOLED, EITHER],
  [
    "two addresses the other way, and a fooled gateway",
    ["From: x@evil.example, noreply@github.com"],
    FOOLED,
    EITHER,
  ],
  ["two From fields, its own last", ["From: noreply@github.com", "From: x@evil.example"], EVIL, EITHER],
  ["two From fields, its own first", ["From: x@evil.example", "From: noreply@github.com"], EVIL, EITHER],
  [
    "two From fields, and a fooled gateway",
    ["From: noreply@github.com", "From: x@evil.example"],
    FOOLED,
    EITHER,
  ],
  [
    "two From fields the other way, and a fooled gateway",
    ["From: x@evil.example", "From: noreply@github.com"],
    FOOLED,
    EITHER,
  ],
  ["the same From field twice", ["From: noreply@github.com", "From: noreply@github.com"], FOOLED, EITHER],
  ["a blank before the colon", ["From : noreply@github.com", "From: x@evil.example"], FOOLED, EITHER],
  ["names of fields in other case", ["FROM: x@evil.example", "from: noreply@github.com"], FOOLED, EITHER],
  ["a field before From", ["Sender: noreply@github.com", "From: x@evil.example"], EVIL, OTHER],
  ["Reply-To", ["From: x@evil.example", "Reply-To: noreply@github.com"], EVIL, OTHER],
  ["Return-Path", ["Return-Path: <noreply@github.com>", "From: x@evil.example"], EVIL, OTHER],
  ["Resent-From", ["Resent-From: noreply@github.com", "From: x@evil.example"], EVIL, OTHER],
  ["X-Original-From", ["X-Original-From: noreply@github.com", "From: x@evil.example"], EVIL, OTHER],
  ["a List-Id", ["List-Id: <github.com>", "From: x@evil.example"], EVIL, OTHER],
  ["a folded address", ["From: noreply@github.com\r\n <x@evil.example>"], EVIL, EITHER],
  ["a folded second address", ["From: x@evil.example,\r\n noreply@github.com"], FOOLED, EITHER],
  ["a zero byte", ["From: noreply@github.com\0@evil.example"], EVIL, EITHER],
  ["an escaped zero byte", ["From: noreply@github.com%00.evil.example"], EVIL, EITHER],
  ["a bare CR", ["From: x@evil.example\rFrom: noreply@github.com"], EVIL, EITHER],
  ["a bare LF", ["From: x@evil.example\nFrom: noreply@github.com"], EVIL, EITHER],
  ["a bare LF in another field", ["X-A: a\nFrom: noreply@github.com", "From: x@evil.example"], EVIL, EITHER],
  ["two @ in brackets", ["From: <noreply@github.com@evil.example>"], EVIL, EITHER],
  ["two @", ["From: noreply@github.com@evil.example"], EVIL, EITHER],
  ["an escaped @", ["From: noreply\\@github.com@evil.example"], EVIL, EITHER],
  ["a semicolon", ["From: noreply@github.com;x@evil.example"], EVIL, EITHER],
  ["a percent hack", ["From: noreply%github.com@evil.example"], EVIL, OTHER],
  ["a domain literal", ["From: noreply@[192.0.2.1]"], "dmarc=none", EITHER],
  ["no From field", ["Sender: noreply@github.com"], "dmarc=none", EITHER],
  ["an empty From field", ["From: "], "dmarc=none", EITHER],
  ["empty brackets", ["From: noreply@github.com <>"], "dmarc=none", EITHER],
  ["a From field of 5,000 characters", [`From: "${"a".repeat(5_000)}" <noreply@github.com>`], FOOLED, EITHER],
  ["another author than the gateway judged", ["From: noreply@github.com"], EVIL, UNPROVEN],
  ["other full stops", ["From: noreply@github。com"], "dmarc=none", UNPROVEN],
  ["wide letters", ["From: noreply@ｇｉｔｈｕｂ.com"], "dmarc=none", UNPROVEN],
];

/** Results for a mail whose From field says github.com and nothing else: none of them proves it. */
const RESULTS: readonly (string | null)[] = [
  null,
  "",
  "dmarc=none header.from=github.com",
  "dmarc=fail header.from=github.com",
  "dmarc=temperror header.from=github.com",
  "dmarc=permerror header.from=github.com",
  "spf=pass smtp.mailfrom=github.com; dkim=none; dmarc=none",
  "dkim=pass header.d=evil.example; dmarc=none",
  "dkim=fail header.d=github.com; dmarc=none",
  "dkim=pass header.d=evilgithub.com; dmarc=none",
  "dkim=pass header.d=github.com.evil.example; dmarc=none",
  "dkim=temperror header.d=github.com; dmarc=temperror",
  "spf=softfail; dkim=neutral header.d=github.com; dmarc=none",
  "dkim=policy header.d=github.com; dmarc=none",
  "dmarc=pass header.from=github.com; dmarc=fail header.from=github.com",
  "dmarc=fail header.from=github.com; dmarc=pass header.from=github.com",
  "dmarc=bestguesspass header.from=github.com",
  "dmarc=pass=fail",
  "dkim=pass (header.d=github.com) header.d=evil.example; dmarc=none",
  "auth=pass; iprev=pass; x-dmarc=pass",
  "arc=pass; dmarc=fail",
  'dmarc=fail reason="dmarc=pass"',
  "dmarc=fail (; dmarc=pass)",
  "dmarc=pass header.from=evil.example",
];

/** Fields that a sender writes below, or beside, that of the gateway. */
const FORGED: readonly [field: string, found: string | null][] = [
  [`Authentication-Results: ${GATEWAY}; dmarc=pass header.from=github.com`, "dmarc=fail"],
  [`Authentication-Results: ${GATEWAY}; dkim=pass header.d=github.com; dmarc=pass`, "dmarc=none"],
  ["Authentication-Results: mx.google.com; dmarc=pass header.from=github.com", null],
  [`Authentication-Results: ${GATEWAY}.evil.example; dmarc=pass header.from=github.com`, null],
  [`Authentication-Results: (${GATEWAY}) evil.example; dmarc=pass header.from=github.com`, null],
  [`ARC-Authentication-Results: i=1; ${GATEWAY}; dmarc=pass header.from=github.com`, null],
  [`X-Authentication-Results: ${GATEWAY}; dmarc=pass header.from=github.com`, null],
  [`X-A: a\r\n Authentication-Results: ${GATEWAY}; dmarc=pass header.from=github.com`, null],
  ["Received-SPF: pass (domain of github.com)", null],
];

/** Where the link of a genuine mail leads instead: `PATH` stands for its path. */
const ELSEWHERE: readonly string[] = [
  "https://evil.example/PATH",
  "https://DOMAIN.evil.example/PATH",
  "https://evil-DOMAIN/PATH",
  "https://DOMAIN@evil.example/PATH",
  "https://user:secret@DOMAIN/PATH",
  "https://DOMAIN:8443/PATH",
  "https://192.0.2.7/PATH",
  "https://xn--brnd-5na.example/PATH",
  "https://evil.example/DOMAIN/PATH",
  "https://evil.example/PATH?host=DOMAIN",
  "https://evil.example/PATH#DOMAIN",
  "https://u42.ct.sendgrid.net/PATH",
  "https://www.google.com/url?q=https://DOMAIN/PATH",
  "https://DOMAIN/PATH?continue=https://evil.example/in",
  "https://DOMAIN/PATH?continue=https%3A%2F%2Fevil.example%2Fin",
  "https://DOMAIN/PATH?continue=%252F%252Fevil.example",
  "https://DOMAIN/PATH?next=//evil.example",
  "https://DOMAIN/PATH?next=javascript:alert(1)",
  "https://DOMAIN/PATH?next=%09//evil.example/in",
  "https://DOMAIN/PATH?next=%20//evil.example/in",
  "https://DOMAIN/PATH?next=%2509//evil.example/in",
  "https://DOMAIN/PATH?next=+//evil.example/in",
  "https://DOMAIN/PATH?next=ht%09tps://evil.example/in",
  "https://DOMAIN/PATH?next=evil.example/in",
];

/** Attacks on a sign-up: in none of them may anything be released but what the expected service sent. */
export function phishingScenes(codes: readonly Fixture[], links: readonly Fixture[]): Scene[] {
  const next = turns(codes);
  return [
    ...lookalikes(next),
    ...TRICKS.map(([name, head, found, told]) =>
      attack(name, { from_domain: "github.com" }, { of: next(), head, found }, told),
    ),
    ...unproven(next),
    ...inTime(next),
    ...withoutProof(next),
    ...forwarded(next),
    ...replayed(next),
    ...answered(next),
    ...ofLinks(links),
  ];
}

/** The mails of a list in turn, without an end. */
function turns(fixtures: readonly Fixture[]): () => Fixture {
  let at = -1;
  return () => {
    const fixture = fixtures[(at += 1) % fixtures.length];
    if (fixture === undefined) throw new Error("There is no mail with a code");
    return fixture;
  };
}

function attack(name: string, asked: Asked, mail: SceneMail, told: readonly Rejection[]): Scene {
  return {
    name: `${name} (${mail.of.id})`,
    steps: [
      { do: "expect", asked },
      { do: "mail", mail },
    ],
    honest: [],
    told,
  };
}

function lookalikes(next: () => Fixture): Scene[] {
  return Object.entries(LOOKALIKES).flatMap(([domain, others]) =>
    others
      .split(" ")
      .map((other) =>
        attack(`${other} for ${domain}`, { from_domain: domain }, signedMail(next(), other), OTHER),
      ),
  );
}

function unproven(next: () => Fixture): Scene[] {
  const asked = { from_domain: "github.com" };
  const results = ["github.com", "mail.github.com"].flatMap((domain) =>
    RESULTS.map((found) =>
      attack(
        `${domain} with ${found ?? "no results"}`,
        asked,
        { of: next(), head: [`From: noreply@${domain}`], found },
        UNPROVEN,
      ),
    ),
  );
  const forged = FORGED.map(([field, found]) =>
    attack(
      `a field of the sender's own: ${field}`,
      asked,
      { of: next(), head: [field, "From: noreply@github.com"], found },
      UNPROVEN,
    ),
  );
  return [...results, ...forged];
}

/** Mail of the expected domain itself, proven, at a time at which it does not count, or to another address. */
function inTime(next: () => Fixture): Scene[] {
  const asked = { from_domain: "brand.example" };
  const expected: Step = { do: "expect", asked };
  const exclusive: Step = { do: "expect", asked: { ...asked, exclusive: true } };
  const mail = (of = next()): Step => ({ do: "mail", mail: signedMail(of, "brand.example") });
  const to = (...to: string[]): Step => ({
    do: "mail",
    mail: { ...signedMail(next(), "brand.example"), to },
  });
  const wait = (ms: number): Step => ({ do: "wait", ms });
  const nothing = { honest: [] };
  return [
    { ...nothing, name: "a code of before", steps: [mail(), expected], told: ["too_early"] },
    {
      ...nothing,
      name: "a code of nine minutes before",
      steps: [mail(), wait(540_000), expected],
      told: ["too_early"],
    },
    { ...nothing, name: "a code of an hour before", steps: [mail(), wait(3_600_000), expected] },
    { ...nothing, name: "a code after the time", steps: [expected, wait(600_000), mail()] },
    {
      ...nothing,
      name: "a code after the time, by a clock that jumped back",
      steps: [expected, wait(600_000), { do: "ask" }, wait(-590_000), mail()],
    },
    { ...nothing, name: "a code after the end", steps: [expected, { do: "cancel" }, mail()] },
    { ...nothing, name: "a code to the mailbox", steps: [exclusive, to("box")] },
    { ...nothing, name: "a code to another tag", steps: [exclusive, to("box+0000000000@mailkeep.test")] },
    {
      ...nothing,
      name: "a stranger's code to the tag",
      steps: [exclusive, { do: "mail", mail: signedMail(next(), "evil.example") }],
      told: OTHER,
    },
    ...secondCodes(next),
  ];
}

/** The expected code, and mail that would have passed for it. */
function secondCodes(next: () => Fixture): Scene[] {
  const expected: Step = { do: "expect", asked: { from_domain: "brand.example" } };
  const mail = (of = next()): Step => ({ do: "mail", mail: signedMail(of, "brand.example") });
  const wait = (ms: number): Step => ({ do: "wait", ms });
  const first = next();
  const code = first.expected["code"] ?? "";
  return [
    {
      name: "a second code",
      steps: [expected, mail(first), mail()],
      honest: [code],
      told: ["second_code"],
    },
    {
      name: "a second code after the first was answered",
      steps: [expected, mail(first), { do: "ask" }, mail(), wait(61_000), { do: "ask" }],
      honest: [code],
      told: ["second_code"],
    },
    {
      name: "a second code after the process died",
      steps: [expected, mail(first), { do: "die" }, mail()],
      honest: [code],
      told: ["second_code"],
    },
    {
      name: "a code of a stranger in front of the honest one",
      steps: [expected, { do: "mail", mail: signedMail(next(), "evil.example") }, mail(first)],
      honest: [code],
      told: OTHER,
    },
  ];
}

/** An agent that asks for no proof: the domain is compared all the same. */
function withoutProof(next: () => Fixture): Scene[] {
  const asked = { from_domain: "github.com", strict: false };
  const mails: readonly [string, readonly string[], string | null][] = [
    ["another domain", ["From: x@evil.example"], null],
    ["a sub-domain trick", ["From: x@github.com.evil.example"], null],
    ["a display name", ['From: "noreply@github.com" <x@evil.example>'], null],
    ["two addresses", ["From: noreply@github.com, x@evil.example"], null],
    ["two From fields", ["From: noreply@github.com", "From: x@evil.example"], null],
    ["a mail that is known to be forged", ["From: noreply@github.com"], "dmarc=fail"],
  ];
  const siblings = { from_domain: "github.com", siblings: ["githubmail.example"] };
  const others = ["evilgithubmail.example", "githubmail.example.evil.example", "githubmails.example"];
  return [
    ...mails.map(([name, head, found]) =>
      attack(`${name}, without proof`, asked, { of: next(), head, found }, EITHER),
    ),
    ...others.map((other) => attack(`${other} for a sibling`, siblings, signedMail(next(), other), OTHER)),
  ];
}

const FORWARDS = [
  "---------- Forwarded message ---------\nFrom: GitHub <noreply@github.com>\nSubject: Your code\n\n",
  "Begin forwarded message:\n\nFrom: GitHub <noreply@github.com>\n\n",
  "-----Original Message-----\nFrom: noreply@github.com\nSent: Monday\n\n",
  "On Mon, GitHub <noreply@github.com> wrote:\n\n",
];

/** A stranger passes a code of the expected service on, such as one that he asked for himself. */
function forwarded(next: () => Fixture): Scene[] {
  return FORWARDS.map((opening) => {
    const fixture = next();
    const of = { ...fixture, subject: `Fwd: ${fixture.subject}`, body: `${opening}${fixture.body}` };
    return attack("a forwarded code", { from_domain: "github.com" }, signedMail(of, "evil.example"), OTHER);
  });
}

/** A stranger signs up for himself, and passes on the mail that he gets, as it is, to an agent that expects one. */
function replayed(next: () => Fixture): Scene[] {
  const asked = { from_domain: "brand.example" };
  return [false, true].flatMap((exclusive) =>
    NAMING_A_STRANGER.map((addressed) =>
      attack(
        `mail of a stranger, passed on with ${JSON.stringify(addressed)}${exclusive ? " to the tag" : ""}`,
        { ...asked, exclusive },
        { ...signedMail(next(), "brand.example"), addressed },
        UNPROVEN,
      ),
    ),
  );
}

/** The service answers a letter that a stranger wrote in the agent's name, and quotes it. */
function answered(next: () => Fixture): Scene[] {
  return AUTOMATIC_ANSWER.map((field) => {
    const fixture = next();
    const of = { ...fixture, headers: [...fixture.headers, field] };
    return attack(
      `an automatic answer, ${field}`,
      { from_domain: "brand.example" },
      signedMail(of, "brand.example"),
      UNPROVEN,
    );
  });
}

/** A mail of the expected service whose link leads elsewhere, because somebody else chose a part of its text. */
function ofLinks(links: readonly Fixture[]): Scene[] {
  const domain = "brand.example";
  return ELSEWHERE.map((pattern, index) => {
    const fixture = links[(index * 3) % links.length];
    if (fixture === undefined) throw new Error("There is no mail with a link");
    const link = fixture.expected["link"] ?? "";
    const path = `${URL.parse(link)?.pathname ?? ""}${URL.parse(link)?.search ?? ""}`.slice(1);
    const elsewhere = pattern.replace("DOMAIN", domain).replace("PATH", path);
    const of = { ...fixture, body: fixture.body.replaceAll(link, elsewhere) };
    const asked = { from_domain: domain, kind: "link" as const };
    // The reader finds no link at all in an address with a user name.
    const told: readonly Rejection[] = pattern.includes("@") ? [] : ["link_host"];
    return attack(`the link ${pattern}`, asked, signedMail(of, domain), told);
  });
}
