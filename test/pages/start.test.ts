import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bytesToLoad,
  expectAccessible,
  expectFits,
  keepScreen,
  NO_BROWSER,
  Site,
  type Reader,
} from "./browser.ts";

describe.skipIf(NO_BROWSER)("the start page", () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.open();
  });
  afterAll(() => site.close());

  const readers: [string, Reader][] = [
    ["on a telephone", { at: "phone" }],
    ["at a desk", { at: "desk" }],
    ["on a telephone, in the dark", { at: "phone", dark: true }],
    ["at a desk, in the dark", { at: "desk", dark: true }],
  ];
  it.each(readers)("is legible and links to every page, %s", async (_, reader) => {
    const page = await site.visit("/", reader);
    await expectAccessible(page);
    await expectFits(page);
    await keepScreen(page, reader.dark ? "start-dark" : "start");
    expect(
      await page.locator("main a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    ).toEqual(["/mailbox", "/operator", "/docs"]);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it.each(readers)("is linked from the 404 page, which is legible, %s", async (_, reader) => {
    const page = await site.visit("/mail-box", reader);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole("link", { name: "Start page" }).click();
    expect(new URL(page.url()).pathname).toBe("/");
    expect(site.faults(/status of 404/)).toEqual([]);
    await page.goto("/mailbox/?x=1#sign-in");
    expect(page.url()).toBe(`${site.url}/mailbox?x=1#sign-in`);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("can be used by keyboard, and begins with a link that skips the menu", async () => {
    const page = await site.visit("/");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the content" });
    expect(await skip.evaluate((link) => link.matches(":focus-visible"))).toBe(true);
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe("/mailbox");
  });

  it("costs under 50 KB altogether", async () => {
    const page = await (await site.reader()).newPage();
    const bytes = await bytesToLoad(page, "/");
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(50_000);
  });
});
