import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";

const FOLDER = path.resolve(import.meta.dirname, "../../../docs/screens");
const IN_BROWSER = path.join(import.meta.dirname, "in-browser.mjs");
/** The share of a picture's pixels that may differ from what is stored: a cursor-sized spot, and no word. */
const MAX_SHARE = 0.0005;
const UPDATE = "SCREENS=update npm test -- test/pages/screens.test.ts";
const isUpdate = Reflect.get(process.env, "SCREENS") === "update";

/** The part of a page that a picture shows. */
interface Shot {
  /** The whole page, or what the window shows. */
  fullPage: boolean;
  /** A selector of parts that are painted over. */
  masked?: string;
}

interface Comparison {
  share: number;
  /** Both sizes, where they are not the same. */
  sizes: string[] | null;
  /** The new picture with what differs in red. */
  difference: string;
}

/** The stored pictures of the pages, and a page of the browser that reads and writes them. */
export class Pictures {
  readonly #workshop: Page;
  readonly #taken = new Set<string>();

  private constructor(workshop: Page) {
    this.#workshop = workshop;
  }

  static async open(browser: Browser): Promise<Pictures> {
    const workshop = await browser.newPage();
    await workshop.evaluate(readFileSync(IN_BROWSER, "utf8"));
    return new Pictures(workshop);
  }

  /**
   * Compares a page with its stored picture. Answers null if it looks the same, and otherwise a sentence, which names the temporary
   * folder with the new picture and the difference. With `SCREENS=update` it stores the new picture instead, if it differs.
   */
  async fault(page: Page, name: string, { fullPage, masked }: Shot): Promise<string | null> {
    this.#taken.add(`${name}.webp`);
    const mask = masked === undefined ? [] : [page.locator(masked)];
    const png = await page.screenshot({
      fullPage,
      mask,
      maskColor: "#888",
      animations: "disabled",
      caret: "hide",
    });
    const shown = await this.#call<string>("stored", dataUrl("image/png", png));
    const file = path.join(FOLDER, `${name}.webp`);
    const stored = read(file);
    const found =
      stored === null ? null : await this.#call<Comparison>("compare", dataUrl("image/webp", stored), shown);
    if (found !== null && found.share <= MAX_SHARE) return null;
    const picture = bytesOf(shown);
    if (isUpdate) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, picture);
      return null;
    }
    const folder = mkdtempSync(path.join(tmpdir(), `mailkeep-screens-${name}-`));
    writeFileSync(path.join(folder, "now.webp"), picture);
    if (found !== null) writeFileSync(path.join(folder, "difference.webp"), bytesOf(found.difference));
    const said = found === null ? `docs/screens has no picture ${name}` : `${name} ${saidOf(found)}`;
    return `${said}. Look at the pictures in ${folder}. If the page is right, store how it looks: ${UPDATE}`;
  }

  /** Pictures of no screen; with `SCREENS=update` they are removed. */
  leftOver(): string[] {
    const unused = readdirSync(FOLDER).filter((name) => !this.#taken.has(name));
    if (!isUpdate) return unused;
    for (const name of unused) rmSync(path.join(FOLDER, name));
    return [];
  }

  /** Bytes of all stored pictures. */
  bytes(): number {
    return readdirSync(FOLDER).reduce((sum, name) => sum + statSync(path.join(FOLDER, name)).size, 0);
  }

  #call<Result>(name: string, ...urls: string[]): Promise<Result> {
    return this.#workshop.evaluate<Result>(`pictures.${name}(${JSON.stringify(urls).slice(1, -1)})`);
  }
}

function saidOf({ share, sizes }: Comparison): string {
  if (sizes !== null) return `is stored with ${sizes[0]} pixels and is shown with ${sizes[1]}`;
  return `differs from what is stored in ${(share * 100).toFixed(2)} % of its pixels`;
}

const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;

const bytesOf = (url: string): Buffer => Buffer.from(url.slice(url.indexOf(",") + 1), "base64");

/** Null: there is no such file. */
function read(file: string): Buffer | null {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? null : readFileSync(file);
}
