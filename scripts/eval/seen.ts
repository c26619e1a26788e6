// Compares the text of HTML mails that is judged to be visible with what Chromium lays out and paints of them. For each trick that
// hides text, the judgement must be exactly right.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type CDPSession, type Page } from "playwright-core";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { readStyled, type StyledReader } from "../../src/mail/text/html-document.ts";
import { withoutInvisible } from "../../src/mail/text/invisible-characters.ts";
import { seenMail } from "../../src/mail/view/seen-mail.ts";
import { RENDERED, TRICKS } from "../../test/fixtures/hiding/index.ts";
import { documentOf, NONE_HIDDEN, OTHER, SECRET } from "../../test/fixtures/hiding/trick.ts";
import { CORPORA } from "../../test/mail/corpora.ts";
import { findChromium } from "../../test/pages/find-chromium.ts";
import { SHOWN_IN_BROWSER } from "../../test/pages/shown-in-browser.ts";
import { STRANGERS_FIELDS } from "./evaluation.ts";
import { readFixtures } from "./fixtures.ts";
import { bodyHtml } from "./markup.ts";

const FIXTURES = path.join(import.meta.dirname, "../../test/fixtures");
/** Larger messages of the corpora are left out: most of their bytes are attached files. */
const MAX_CORPUS_BYTES = 1_000_000;
/** The least that must be reached. */
const FLOORS = { agreement: 0.99, tricks: 150 };

/** The visible characters of a text, runs of blanks as one. */
export const plainWords = (text: string): string => withoutInvisible(text).replaceAll(/\s+/g, " ").trim();

const split = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** Chromium, which lays out one document after another and loads nothing. */
export class Browsed {
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #camera: CDPSession;

  private constructor(browser: Browser, page: Page, camera: CDPSession) {
    this.#browser = browser;
    this.#page = page;
    this.#camera = camera;
  }

  static async open(executablePath: string | null): Promise<Browsed> {
    const browser = await chromium.launch({
      executablePath: executablePath ?? undefined,
      args: ["--disable-gpu"],
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.route("**/*", (route) => route.abort());
    return new Browsed(browser, page, await page.context().newCDPSession(page));
  }

  /** Whether a person sees the secret words of a document: its picture is another one with other words of the same letters. */
  async showsSecret(html: string): Promise<boolean> {
    return this.changes(html, SECRET, OTHER);
  }

  /** Whether the picture of a document is another one with other words. */
  async changes(html: string, words: string, others: string): Promise<boolean> {
    return (await this.#picture(html)) !== (await this.#picture(html.replaceAll(words, others)));
  }

  async #picture(html: string): Promise<string> {
    await this.#page.setContent(html, { waitUntil: "domcontentloaded" });
    const height = await this.#page.evaluate<number>("document.documentElement.scrollHeight");
    const clip = { x: 0, y: 0, width: 1280, height: Math.min(Math.max(height, 800), 4_000), scale: 1 };
    const { data } = await this.#camera.send("Page.captureScreenshot", {
      format: "png",
      optimizeForSpeed: true,
      captureBeyondViewport: true,
      clip,
    });
    return data;
  }

  /** The text that a person sees of a document. */
  async text(html: string): Promise<string> {
    await this.#page.setContent(html, { waitUntil: "domcontentloaded" });
    return plainWords((await this.#page.evaluate<string[]>(SHOWN_IN_BROWSER)).join(" "));
  }

  /** The words that a person sees of the HTML of a mail. */
  async words(html: string): Promise<string[]> {
    return split(await this.text(/^\s*<!doctype/i.test(html) ? html : `<!doctype html>${html}`));
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** The words that are judged to be shown. */
export function ownWords(html: string): string[] {
  const texts: string[] = [];
  const reader: StyledReader = {
    text: (text, { style }) => {
      if (style.hidden === null) texts.push(text);
    },
    start: () => {},
    end: () => {},
    comment: () => {},
  };
  readStyled(html.toWellFormed(), reader, {
    isLeftOut: ({ attributes }) => attributes.get("aria-hidden") === "true",
  });
  return split(plainWords(texts.join(" ")));
}

/** Characters of the words that both have, and of all words. */
export interface Agreement {
  same: number;
  all: number;
}

/** Compares mails, each laid out once. */
export async function measureAgreement(browsed: Browsed, mails: readonly string[]): Promise<Agreement> {
  const sum = { same: 0, all: 0 };
  for (const html of mails) addAgreement(sum, await browsed.words(html), ownWords(html));
  return sum;
}

function addAgreement(sum: Agreement, theirs: readonly string[], own: readonly string[]): void {
  const left = new Map<string, number>();
  for (const word of theirs) left.set(word, (left.get(word) ?? 0) + 1);
  for (const word of own) {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    if (count > 0) sum.same += word.length;
    sum.all += word.length;
  }
  for (const [word, count] of left) if (count > 0) sum.all += count * word.length;
}

/** The HTML of one of `everyFixture` fixtures, and of all mails of the corpora that lie here. */
export async function htmlMails({ everyFixture }: { everyFixture: number }): Promise<string[]> {
  const fixtures = ["codes", "extraction", "strangers/open"].flatMap((folder) =>
    readFixtures(path.join(FIXTURES, folder), STRANGERS_FIELDS),
  );
  const composed = fixtures.filter(({ layout }) => layout !== "text").map(bodyHtml);
  return [...composed.filter((_, at) => at % everyFixture === 0), ...(await corpusMails())];
}

async function corpusMails(): Promise<string[]> {
  if (!existsSync(CORPORA)) {
    console.warn("No shared/corpus here: only the fixtures are compared with Chromium.");
    return [];
  }
  const files = readdirSync(CORPORA, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:json|md)$/.test(entry.name))
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)))
    .filter(({ byteLength }) => byteLength <= MAX_CORPUS_BYTES);
  const mails = await Promise.all(files.map((bytes) => parseMail(bytes)));
  return mails.flatMap(({ html }) => (html.trim() === "" ? [] : [html]));
}

/** Prints how the judgement of hidden text does. Returns what is below its floor, in words. */
export async function measureSeen(): Promise<string[]> {
  const tricks = Object.values(TRICKS).flat();
  const wrong = tricks.filter((trick) => {
    const { text, hidden } = seenMail({ subject: "", text: "", html: documentOf(trick) });
    const isShown = plainWords(text) === plainWords(`Before ${trick.shown ?? ""} After`);
    return !isShown || JSON.stringify(hidden) !== JSON.stringify({ ...NONE_HIDDEN, ...trick.hidden });
  });
  for (const { name } of wrong) console.log(`  ${name}: another text or other counts`);
  const hiding = tricks.filter(({ hidden }) => Object.keys(hidden).length > 0).length;
  console.log(`\nseen: ${tricks.length - wrong.length} of ${tricks.length} tricks are answered exactly`);
  return [
    ...(wrong.length > 0 || hiding < FLOORS.tricks ? ["seen: tricks"] : []),
    ...(await compareWithChromium()),
  ];
}

/** Paints every trick, and counts those whose words nobody sees. */
async function measureLeaks(browsed: Browsed): Promise<string[]> {
  const tricks = Object.values(RENDERED).flat();
  let [hidden, leaked] = [0, 0];
  for (const { name, html } of tricks) {
    if (await browsed.showsSecret(html)) continue;
    hidden += 1;
    if (!seenMail({ subject: "", text: "", html }).text.includes(SECRET)) continue;
    leaked += 1;
    console.log(`  shown, though no picture has it: ${name}`);
  }
  console.log(
    `seen: ${leaked} of ${hidden} texts that Chromium does not paint are shown (${tricks.length} tricks)`,
  );
  return leaked > 0 ? ["seen: text that nobody sees"] : [];
}

async function compareWithChromium(): Promise<string[]> {
  const program = findChromium();
  if (program === null) {
    console.log("seen: no Chromium here, so nothing is compared with it (apt-get install chromium)");
    return [];
  }
  const browsed = await Browsed.open(program);
  try {
    const mails = await htmlMails({ everyFixture: 1 });
    const { same, all } = await measureAgreement(browsed, mails);
    const share = same / all;
    console.log(
      `seen: ${(100 * share).toFixed(3)} % of ${all} characters of ${mails.length} HTML mails are judged as Chromium shows them`,
    );
    const leaks = await measureLeaks(browsed);
    return [...(share < FLOORS.agreement ? ["seen: agreement with Chromium"] : []), ...leaks];
  } finally {
    await browsed.close();
  }
}
