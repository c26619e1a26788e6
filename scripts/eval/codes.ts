import path from "node:path";
import { findCode } from "../../src/mail/code/find-code.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { prepareMail, type Envelope } from "../../src/mail/prepare.ts";
import type { Evaluation } from "./evaluation.ts";

const ENVELOPE: Envelope = {
  from: "bounces@corpus.example",
  to: "agent@mailkeep.test",
  via: "smtp",
  clientAddress: null,
  helo: null,
};

/** Verification codes and links: of a hundred answers one may be wrong, of a hundred codes three may be missed. */
export const CODES: Evaluation = {
  name: "codes",
  folder: path.join(import.meta.dirname, "../../test/fixtures/codes"),
  fields: ["code", "link"],
  together: false,
  floors: { precision: 0.99, recall: 0.97 },
  strangersFloors: { precision: 0.96, recall: 0.86 },
  least: { mails: 300, decoys: 80, languages: 17 },
  measures: () => true,
  async read(raw) {
    const { code, link } = prepareMail(raw, await parseMail(raw), ENVELOPE, null);
    return { code, link };
  },
  readText(text) {
    findCode({ subject: text, text, html: text, fromAddress: text });
  },
};
