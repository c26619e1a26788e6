import path from "node:path";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContext, type Page, type Request } from "playwright-core";
import { expect } from "vitest";
import { Server, type ServerOptions } from "../served/server.ts";
import { findChromium } from "./find-chromium.ts";

/** Pictures for whoever works on a page; those that tests compare are in docs/screens. */
const SCREENS = path.resolve(import.meta.dirname, "../../dist/screens");
/** The browser these tests drive: `CHROMIUM` of the environment, or the first of its names on PATH; null: there is none. */
export const CHROMIUM = findChromium();

if (CHROMIUM === null) {
  console.warn(
    "No Chromium here: the pages are NOT tested. Install it (apt-get install chromium) or set CHROMIUM.",
  );
}

/** For `describe.skipIf`: every suite in a browser. */
export const NO_BROWSER = CHROMIUM === null;

/** A telephone, and a desk. */
export const WIDTHS = { phone: 360, desk: 1280 } as const;
const HEIGHTS = { phone: 740, desk: 800 } as const;

/** How one reader comes: `desk`, light and with scripts, unless said. */
export interface Reader {
  at?: keyof typeof WIDTHS;
  dark?: boolean;
  userAgent?: string;
  javaScriptEnabled?: boolean;
}

/** A served bundle and a browser that reads it. */
export class Site {
  readonly server: Server;
  readonly #browser: Browser;
  /** Things that no page may do: faults in the console, and requests to other hosts. Tests end with {@link assertQuiet}. */
  readonly #faults: string[] = [];

  private constructor(server: Server, browser: Browser) {
    this.server = server;
    this.#browser = browser;
  }

  static async open(options: ServerOptions = {}): Promise<Site> {
    const [server, browser] = await Promise.all([
      Server.start(options),
      chromium.launch({
        executablePath: CHROMIUM ?? undefined,
        args: ["--disable-gpu"],
        // In the C locale of a bare machine Chromium saves no file under a name that is not ASCII.
        env: { ...process.env, LC_ALL: "C.UTF-8" },
      }),
    ]);
    return new Site(server, browser);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.server.stop();
  }

  get url(): string {
    return this.server.url;
  }

  /** A reader of its own: no cookies or storage of another. */
  async reader({ at = "desk", dark = false, ...rest }: Reader = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      ...rest,
      viewport: { width: WIDTHS[at], height: HEIGHTS[at] },
      colorScheme: dark ? "dark" : "light",
      baseURL: this.url,
    });
    context.on("weberror", (error) => this.#faults.push(`error: ${String(error.error())}`));
    context.on("console", (message) => {
      if (message.type() === "error") this.#faults.push(`console: ${message.text()}`);
    });
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (/^https?:$/.test(url.protocol) && url.origin !== this.url)
        this.#faults.push(`request: ${url.href}`);
    });
    return context;
  }

  /** Opens a page as a new reader. */
  async visit(place: string, reader: Reader = {}): Promise<Page> {
    const page = await (await this.reader(reader)).newPage();
    await page.goto(place);
    return page;
  }

  /** Throws what the pages did wrong since the last call. */
  assertQuiet(expected?: RegExp): void {
    const faults = this.faults(expected);
    if (faults.length > 0) throw new Error(`A page was not quiet:\n${faults.join("\n")}`);
  }

  /** The faults of the pages since the last call. A refusal that a page shows as such is told by the console too: filter it. */
  faults(expected: RegExp = /^$/): string[] {
    return this.#faults.splice(0).filter((fault) => !expected.test(fault));
  }
}

/** Rules of axe-core that depend on the colours: the others find the same in dark mode. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Fails with what axe-core finds serious or critical (WCAG 2.2 A and AA, best practices), by some rules or by all. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // As the debugger's script: the page's own policy would refuse it. A document that stays keeps it.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: { type: "rule", values: rules } }),
  };
  const found = await page.evaluate<axe.AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  const serious = found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`);
  expect(serious).toEqual([]);
}

/** Fails when the page is wider than the window, so that a reader would have to scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
  expect(wide).toBeLessThanOrEqual(0);
}

/**
 * Fails when a page, as it is now, is not accessible or does not fit on a phone, on a desktop, or in dark mode. No style
 * depends on both the width and the colours, so dark mode is checked at one width. Then the page is as it was before.
 */
export async function expectLegible(
  page: Page,
  keep: (page: Page, isDark: boolean) => unknown,
): Promise<void> {
  const before = page.viewportSize();
  for (const at of ["desk", "phone"] as const) {
    await page.setViewportSize({ width: WIDTHS[at], height: HEIGHTS[at] });
    await expectFits(page);
    await expectAccessible(page);
  }
  await keep(page, false);
  // Without motion: a colour that is still changing would be judged half-way.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page, COLOUR_RULES);
  await keep(page, true);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
  if (before !== null) await page.setViewportSize(before);
}

/** Opens `place` and returns the bytes of all responses that it loads, headers and bodies. */
export async function bytesToLoad(page: Page, place: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  const weigh = (request: Request) => void sizes.push(bytesOf(request));
  page.on("requestfinished", weigh);
  await page.goto(place, { waitUntil: "networkidle" });
  // A later request belongs to no page: its size might be wanted when the page is closed.
  page.off("requestfinished", weigh);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function bytesOf(request: Request): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  return responseBodySize + responseHeadersSize;
}

/**
 * Stores screenshots of a page at both widths in `dist/screens`, when `SCREENS=write` asks for it: of the whole page, or of
 * what the window shows.
 */
export async function keepScreen(page: Page, name: string, fullPage = true): Promise<void> {
  if (Reflect.get(process.env, "SCREENS") !== "write") return;
  const before = page.viewportSize();
  for (const at of ["phone", "desk"] as const) {
    await page.setViewportSize({ width: WIDTHS[at], height: HEIGHTS[at] });
    await page.screenshot({ path: path.join(SCREENS, `${name}-${WIDTHS[at]}.png`), fullPage });
  }
  if (before !== null) await page.setViewportSize(before);
}
