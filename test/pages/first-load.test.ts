import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StartedClaim } from "../../src/contract/claim.ts";
import type { MailboxKey } from "../served/client.ts";
import { message } from "../served/messages.ts";
import { NO_BROWSER, Site, type Reader } from "./browser.ts";
import { deliver, line, signIn } from "./viewer-rig.ts";

/** All that a page loads before a reader does anything, compressed. */
const MAX_BYTES = 60_000;
/**
 * Scores of movements (Layout Instability) below this are nothing: a line at the edge of the window, where a browser paints between
 * two pieces of a page.
 */
const MIN_SHIFT = 0.0001;
/** A slow computer, on which a browser paints a page before it is complete. */
const SLOWNESS = 4;

/** How long the service takes to say what a key may do, in ms. */
const ANSWER_MS = 400;

/** Keeps what moved although the reader did nothing, with its places before and after. */
const WATCH = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
        (node?.nodeName ?? "?") + " ." + (node?.className ?? "") + " " + [from.x, from.y, "to", to.x, to.y].join(" "));
      if (!hadRecentInput && value >= ${MIN_SHIFT}) shifts.push(value + ": " + moved.join(", "));
    }
  }).observe({ type: "layout-shift", buffered: true });`;

/** Counts the formats of dates and times that the page makes. */
const COUNT_FORMATS = `
  window.formats = 0;
  Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
    construct: (...made) => { formats += 1; return Reflect.construct(...made); },
  });`;

/** Resolves when the page was painted, and what its scripts did then was painted too. */
const PAINTED =
  "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))))";

describe.skipIf(NO_BROWSER)("the first load of a page", () => {
  let site: Site;
  let box: MailboxKey;
  let claim: StartedClaim;
  beforeAll(async () => {
    site = await Site.open({ env: { CLAIM_APPROVAL: "open" } });
    const { service } = site.server;
    box = await service.createMailbox();
    for (const subject of ["First", "Second", "Third"]) await deliver(service, box, message({ subject }));
    const json = { name: "first-load" };
    claim = (await service.ask<StartedClaim>("/v1/claim/start", { json })).body;
  });
  afterAll(() => site.close());

  /** A reader whose browser stores nothing and is slow. */
  async function slowPage(reader: Reader): Promise<Page> {
    const context = await site.reader(reader);
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    const debug = await context.newCDPSession(page);
    await debug.send("Network.setCacheDisabled", { cacheDisabled: true });
    await debug.send("Emulation.setCPUThrottlingRate", { rate: SLOWNESS });
    return page;
  }

  /** Fails when anything moves in a page that `load` opens, or when it loads too much. */
  async function expectLightAndStill(page: Page, load: () => Promise<unknown>): Promise<void> {
    const sizes: Promise<number>[] = [];
    const weigh = (response: Response): void => void sizes.push(compressedBytes(response));
    page.on("response", weigh);
    await load();
    await page.evaluate(PAINTED);
    page.off("response", weigh);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(await page.evaluate("shifts")).toEqual([]);
  }

  const PAGES: readonly [string, () => string][] = [
    ["the start page", () => "/"],
    ["the page of a claim", () => claim.verification_uri_complete],
    ["the sign-in of the viewer", () => "/mailbox"],
    ["the sign-in of the console", () => "/operator"],
    ["the reference", () => "/docs"],
    ["a page of the documentation", () => "/docs/configuration"],
  ];

  it("moves nothing and weighs at most 60 KB, on a phone and on a desktop", async () => {
    for (const at of ["phone", "desk"] as const) {
      const page = await slowPage({ at });
      for (const [name, place] of PAGES) {
        await expectLightAndStill(page, () => page.goto(place(), { waitUntil: "load" })).catch(
          (error: unknown) => {
            throw new Error(`${name}, ${at}`, { cause: error });
          },
        );
      }
      await page.context().close();
    }
    expect(site.faults()).toEqual([]);
  });

  it("makes no format of dates, because a slow computer makes the first one in 100 ms", async () => {
    const context = await site.reader();
    await context.addInitScript(COUNT_FORMATS);
    const page = await context.newPage();
    for (const [name, place] of PAGES) {
      await page.goto(place(), { waitUntil: "load" });
      expect([name, await page.evaluate("formats")]).toEqual([name, 0]);
    }
    await context.close();
    expect(site.faults()).toEqual([]);
  });

  it("moves nothing and weighs at most 60 KB with a key in the tab, and shows no form to sign in", async () => {
    for (const at of ["phone", "desk"] as const) {
      const page = await slowPage({ at });
      // The page paints before it knows what the key may do.
      await page.route("**/v1/me", async (route) => {
        await setTimeout(ANSWER_MS);
        await route.continue();
      });
      await page.goto("/mailbox");
      await signIn(page, box.api_key);
      await page.locator(".whose").getByText(box.mailbox).waitFor();
      await expectLightAndStill(page, async () => {
        await page.reload();
        await page.getByText("Live", { exact: true }).waitFor();
        await line(page, "Third").locator(".unread").waitFor();
      });
      expect(await page.getByLabel("Key", { exact: true }).isVisible()).toBe(false);
      await line(page, "First").getByRole("link").click();
      await page.getByRole("heading", { name: "First" }).waitFor();
      await expectLightAndStill(page, async () => {
        await page.reload();
        await page.getByRole("heading", { name: "First" }).waitFor();
      });
      await page.context().close();
    }
    expect(site.faults()).toEqual([]);
  });
});

/** The bytes of a response as a network with compression carries it; none for a stream that goes on. */
async function compressedBytes(response: Response): Promise<number> {
  if (response.headers()["content-type"]?.startsWith("text/event-stream")) return 0;
  if (response.status() >= 300) return 0;
  // A response to the page before has no body any more.
  const body = await response.body().catch(() => Buffer.alloc(0));
  return gzipSync(body).byteLength;
}
