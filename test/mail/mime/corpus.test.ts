import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CORPORA } from "../corpora.ts";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import type { ParsedMail } from "../../../src/mail/mime/parsed-mail.ts";

const isThere = existsSync(CORPORA);

const messages = (folder: string): string[] =>
  isThere ? readdirSync(join(CORPORA, folder)).filter((name) => name.endsWith(".eml")) : [];
const parseFile = (folder: string, name: string): Promise<ParsedMail> =>
  parseMail(new Uint8Array(readFileSync(join(CORPORA, folder, name))));

/** The parts used here of what mail-parser expects. */
interface Expected {
  html_body: number[];
  text_body: number[];
  attachments: number[];
  parts: { headers: ExpectedHeader[]; body: Record<string, unknown> }[];
}
interface ExpectedHeader {
  name: unknown;
  value: {
    Text?: string;
    Address?: { List?: ExpectedAddress[]; Group?: { addresses: ExpectedAddress[] }[] };
  };
}
interface ExpectedAddress {
  address: string | null;
}

/** The values that the expectation and ours both have, in one shape. */
interface Comparable {
  subject: string;
  from: string;
  to: string[];
  hasText: boolean;
  hasHtml: boolean;
  attachments: number;
}

function expectedOf({ parts, text_body, html_body, attachments }: Expected): Comparable {
  const fields = (name: string): ExpectedHeader[] =>
    parts[0]?.headers.filter((each) => each.name === name) ?? [];
  const addresses = ({ value: { Address } }: ExpectedHeader): string[] =>
    (Address?.List ?? Address?.Group?.flatMap((group) => group.addresses) ?? []).map(
      ({ address }) => address ?? "",
    );
  const holds = (indexes: number[], kind: string): boolean =>
    indexes.some((index) => kind in (parts[index]?.body ?? {}));
  const hasHtml = holds(html_body, "Html");
  return {
    subject: fields("subject")[0]?.value.Text ?? "",
    from: fields("from").flatMap(addresses)[0] ?? "",
    to: fields("to").flatMap(addresses),
    hasText: holds(text_body, "Text") || hasHtml,
    hasHtml,
    attachments: attachments.length,
  };
}

function comparable(mail: ParsedMail): Comparable {
  return {
    subject: mail.subject,
    from: mail.from.address,
    to: mail.to.map(({ address }) => address),
    hasText: mail.text !== "",
    hasHtml: mail.html !== "",
    attachments: mail.attachments.length,
  };
}

/** Where we read a message otherwise than mail-parser does, on purpose. */
const KNOWN: Readonly<Record<string, Partial<Comparable>>> = {
  // charset=utf-7 in the subject: no runtime decodes it, and it stays as written.
  "legacy-001.eml": { subject: "Die Hasen und die Fr+APY-sche (Microsoft Outlook 00)" },
  "legacy-005.eml": { subject: "Die Hasen und die Fr+APY-sche (Microsoft Outlook 00)" },
  // Raw windows-1252 in the subject, which mail-parser replaces by U+FFFD.
  "legacy-010.eml": { subject: "Die Hasen und die Frösche" },
  "legacy-020.eml": { subject: "Die Hasen und die Frösche (Microsoft Outlook 00)" },
  "legacy-022.eml": { subject: "Die Hasen und die Frösche (Microsoft Outlook 00)" },
  "legacy-027.eml": { subject: "Die Hasen und die Frösche (Microsoft Outlook 00)" },
  "legacy-052.eml": { subject: "Die Hasen und die Frösche (Microsoft Outlook 00)" },
  // The text part is empty.
  "legacy-037.eml": { hasText: false },
  // Broken multiparts: lines under no delimiter, and unnamed texts after a nested part, are text to us, not files or nothing.
  "malformed-003.eml": { hasText: true, attachments: 0 },
  "malformed-007.eml": { attachments: 0, hasText: false },
  "malformed-009.eml": { attachments: 0 },
  "malformed-011.eml": { attachments: 0 },
  // A boundary that continues another one: the longer delimiter is found, and with it the HTML.
  "malformed-020.eml": { hasHtml: true },
  // Three forwarded messages; mail-parser runs them into one.
  "thirdparty-015.eml": { attachments: 3 },
};

describe.skipIf(!isThere)("the corpus", () => {
  it.each(["mail-parser", "ruby-mail", "bounces"])(
    "has no message of %s that fails to parse",
    async (folder) => {
      const names = messages(folder);
      expect(names.length).toBeGreaterThan(0);
      const faulty = [];
      for (const name of names) if ((await parseFile(folder, name)).faults.length > 0) faulty.push(name);
      expect(faulty).toEqual([]);
    },
  );

  it("leaves no part of a sound report unread", async () => {
    const empty = [];
    for (const name of messages("bounces")) {
      const mail = await parseFile("bounces", name);
      if (mail.text === "" && mail.html === "" && mail.attachments.length === 0) empty.push(name);
    }
    expect(empty).toEqual([]);
  });

  it.each(messages("mail-parser"))("is read as mail-parser reads it: %s", async (name) => {
    const expected = JSON.parse(
      readFileSync(join(CORPORA, "mail-parser", name.replace(/eml$/, "json")), "utf8"),
    ) as Expected;
    const mail = await parseFile("mail-parser", name);
    expect(comparable(mail)).toEqual({ ...expectedOf(expected), ...KNOWN[name] });
  });
});
