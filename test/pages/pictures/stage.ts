import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { DIST } from "../../../scripts/build-worker.ts";
import type { StartedClaim } from "../../../src/contract/claim.ts";
import type { Twin, TwinMailbox } from "../../../src/twin/api.ts";
import { startTwin } from "../../../src/twin/start.ts";
import { CHROMIUM } from "../browser.ts";
import { fillMailbox, MAIL_SERVER } from "./mails.ts";
import { pictureFonts } from "./fonts.ts";

/** The address that the pages show, whatever the port of the twin. */
const SHOWN = "127.0.0.1:8787";
/** The address of the service whose operator alone approves claims. */
const STRICT_SHOWN = "127.0.0.1:8788";
const START = "2026-11-20T08:00:00Z";
const DESK = { width: 1280, height: 800 };

/** Who looks at a page. */
export const VARIANTS = {
  desk: { viewport: DESK, colorScheme: "light" },
  dark: { viewport: DESK, colorScheme: "dark" },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: "light" },
} as const;
export type Variant = keyof typeof VARIANTS;

/** A service whose pages are the same in every run, and a browser that shows them alike on every machine. */
export class Stage {
  readonly twin: Twin;
  /** A service whose operator alone approves claims. */
  readonly strict: Twin;
  readonly browser: Browser;
  /** A mailbox with mail, and an empty one. */
  readonly mailbox: TwinMailbox;
  readonly empty: TwinMailbox;
  /** Claims of agents: one came too late, one is for approving, one wants the same name, one is for denying, and one waits. */
  readonly claims: Record<"expired" | "approved" | "taken" | "denied" | "open", StartedClaim>;
  /** The URL of a claim that waits for the operator. */
  readonly strictClaim: string;
  readonly #pages = new Map<Variant, Promise<Page>>();
  readonly #nowMs: number;

  private constructor(
    parts: Pick<Stage, "twin" | "strict" | "browser" | "mailbox" | "empty" | "claims" | "strictClaim">,
    nowMs: number,
  ) {
    this.twin = parts.twin;
    this.strict = parts.strict;
    this.browser = parts.browser;
    this.mailbox = parts.mailbox;
    this.empty = parts.empty;
    this.claims = parts.claims;
    this.strictClaim = parts.strictClaim;
    this.#nowMs = nowMs;
  }

  static async open(): Promise<Stage> {
    const start = (settings: Record<string, string>): Promise<Twin> =>
      startTwin(DIST, {
        seed: "pictures",
        now: START,
        settings: { TRUST_CLIENT_ADDRESS: "true", DAILY_SEND_LIMIT: "100", ...settings },
      });
    const [twin, strict] = await Promise.all([
      start({ AUTHSERV_ID: MAIL_SERVER }),
      start({ CLAIM_APPROVAL: "operator" }),
    ]);
    const browser = await chromium.launch({
      executablePath: CHROMIUM ?? undefined,
      args: [
        "--disable-gpu",
        "--font-render-hinting=none",
        "--force-color-profile=srgb",
        `--host-resolver-rules=MAP ${SHOWN} ${new URL(twin.url).host},MAP ${STRICT_SHOWN} ${new URL(strict.url).host}`,
      ],
      env: { ...process.env, LC_ALL: "C.UTF-8", FONTCONFIG_FILE: pictureFonts() },
    });
    const mailbox = await fillMailbox(twin);
    const empty = await twin.mailbox({ name: "new-agent" });
    const expired = await startClaim(twin, "late");
    await twin.clock.advance("11m");
    const [approved, open] = [await startClaim(twin, "invoices"), await startClaim(twin, "travel")];
    const [taken, denied] = [await startClaim(twin, "invoices"), await startClaim(twin, "stranger")];
    const claims = { expired, approved, taken, denied, open };
    const strictClaim = `http://${STRICT_SHOWN}${pathOf(await startClaim(strict, "travel"))}`;
    const parts = { twin, strict, browser, mailbox, empty, claims, strictClaim };
    return new Stage(parts, (await twin.clock.now()).getTime());
  }

  async close(): Promise<void> {
    await this.browser.close();
    await Promise.all([this.twin.stop(), this.strict.stop()]);
  }

  /** The page of a variant. All its pictures are of one page, which stays signed in. */
  page(variant: Variant): Promise<Page> {
    let page = this.#pages.get(variant);
    if (page === undefined) {
      page = this.reader(variant).then((context) => context.newPage());
      this.#pages.set(variant, page);
    }
    return page;
  }

  /** A new reader of a variant. */
  async reader(variant: Variant): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      ...VARIANTS[variant],
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "UTC",
      baseURL: `http://${SHOWN}`,
    });
    await context.clock.setFixedTime(this.#nowMs);
    return context;
  }
}

/** The path of a claim's page. */
export const pathOf = ({ verification_uri_complete }: StartedClaim): string => {
  const { pathname, search } = new URL(verification_uri_complete);
  return pathname + search;
};

async function startClaim(twin: Twin, name: string): Promise<StartedClaim> {
  const response = await fetch(`${twin.url}/v1/claim/start`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "CF-Connecting-IP": "198.51.100.7",
      "User-Agent": "travel-agent/2.1 (linux)",
    },
    body: JSON.stringify({ name }),
  });
  if (response.status !== 201) throw new Error(`The claim was not started: ${response.status}`);
  return (await response.json()) as StartedClaim;
}
