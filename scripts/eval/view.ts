// Measures the agent view over the mails of the corpora: how many tokens it takes, and whether every fact is still there.
import path from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { viewOf } from "../../src/mail/view/mail-view.ts";
import { compose } from "./compose.ts";
import { STRANGERS_FIELDS } from "./evaluation.ts";
import { readFixtures, type Fixture } from "./fixtures.ts";

const FIXTURES = path.join(import.meta.dirname, "../../test/fixtures");
const BUDGET = 800;
/** Facts that stand in a mail as the fixture writes them; others are names of ours, or made of several places. */
const VERBATIM = ["code", "order_id", "tracking_number", "total", "amount"];
/** A mail in a layout of newsletters: nested tables, styles, comments. */
const isNewsletter = ({ layout, template }: Fixture): boolean =>
  layout === "both" && /^(?:card|cells)$/.test(template);

/** The least that must be reached. */
const FLOORS = { facts: 0.99, share: 0.15, near: 0.5 };

const plain = (text: string): string => text.replaceAll(/[\s,.'’-]/g, "").toLowerCase();

/** The texts of an HTML. Facts that stand in data for programs or in addresses alone are no text. */
const wordsOf = (html: string): string =>
  html.replaceAll(/<(script|style)[^]*?<\/\1>/gi, " ").replaceAll(/<[^>]*>/g, " ");

/** Prints how the view does on the corpora. Returns what is below its floor, in words. */
export async function measureView(): Promise<string[]> {
  const fixtures = ["codes", "extraction", "extraction/held-out", "strangers/open"].flatMap((folder) =>
    readFixtures(path.join(FIXTURES, folder), STRANGERS_FIELDS),
  );
  const sum = { facts: 0, kept: 0, raw: 0, shown: 0, near: 0, mails: 0 };
  for (const fixture of fixtures) {
    const bytes = compose(fixture);
    const mail = await parseMail(bytes);
    const view = viewOf(mail, {
      budget: BUDGET,
      quoted: false,
      hidden: false,
      nonce: "730145592816",
      code: null,
    });
    const tokens = countTokens(view.text);
    sum.mails += 1;
    if (Math.abs(view.tokens / tokens - 1) <= 0.05) sum.near += 1;
    if (isNewsletter(fixture)) {
      sum.raw += countTokens(new TextDecoder().decode(bytes));
      sum.shown += tokens;
    }
    const everything = plain(`${mail.subject} ${mail.html === "" ? mail.text : wordsOf(mail.html)}`);
    for (const field of VERBATIM) {
      const value = plain(fixture.expected[field] ?? "");
      if (value === "" || !everything.includes(value)) continue;
      sum.facts += 1;
      if (plain(`${view.subject} ${view.text}`).includes(value)) sum.kept += 1;
      else console.log(`  ${fixture.id}: the view lacks ${field} ${fixture.expected[field]}`);
    }
  }
  return report(sum);
}

function report(sum: {
  facts: number;
  kept: number;
  raw: number;
  shown: number;
  near: number;
  mails: number;
}) {
  const [facts, share, near] = [sum.kept / sum.facts, sum.shown / sum.raw, sum.near / sum.mails];
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  console.log(`\nview: ${sum.kept} of ${sum.facts} facts are in the view (${percent(facts)})`);
  console.log(`view: newsletters are shown in ${percent(share)} of the tokens of the raw message`);
  console.log(`view: the count of tokens is within 5 % for ${percent(near)} of ${sum.mails} mails`);
  return [
    ...(facts < FLOORS.facts ? [`view: facts ${percent(facts)}`] : []),
    ...(share > FLOORS.share ? [`view: tokens ${percent(share)}`] : []),
    ...(near < FLOORS.near ? [`view: counts of tokens ${percent(near)}`] : []),
  ];
}
