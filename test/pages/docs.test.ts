import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToLoad, expectLegible, keepScreen, NO_BROWSER, Site } from "./browser.ts";

describe.skipIf(NO_BROWSER)("the documentation", () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.open();
  });
  afterAll(() => site.close());

  it("is legible, on a phone, on a desktop and in dark mode", async () => {
    const page = await site.visit("/docs/rules");
    await expectLegible(page, (shown, isDark) => keepScreen(shown, isDark ? "docs-dark" : "docs", false));
    await page.goto("/docs/threats#webhooks");
    await expectLegible(page, () => undefined);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("leads from page to page, also without scripts", async () => {
    const page = await site.visit("/docs", { javaScriptEnabled: false });
    await page.locator(".guides").getByRole("link", { name: "Sending", exact: true }).click();
    expect(new URL(page.url()).pathname).toBe("/docs/sending");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sending");
    expect(await page.locator(".guides [aria-current=page]").textContent()).toBe("Sending");
    expect(await page.getByLabel("Search the documentation").isVisible()).toBe(false);
    await page.context().close();
  });

  it("is searched without another server, by keyboard alone", async () => {
    const page = await site.visit("/docs/rules");
    await page.getByLabel("Search the documentation").focus();
    await page.keyboard.type("totp secret");
    const found = page.locator(".found a");
    await found.first().waitFor();
    expect(await found.first().getAttribute("href")).toMatch(/^\/docs\//);
    expect(await page.locator(".guide").isVisible()).toBe(false);
    await expectLegible(page, () => undefined);
    await found.first().press("Enter");
    await page.waitForURL(/\/docs\/(?!rules)/);
    expect(await page.locator(".guide").isVisible()).toBe(true);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("has a button that copies each example", async () => {
    const page = await site.visit("/docs/rules");
    const examples = await page.locator(".guide pre").count();
    expect(await page.getByRole("button", { name: "Copy the example" }).count()).toBe(examples);
    await page.context().close();
  });

  it("shows its pictures, from the deployment, each in a place of its size", async () => {
    const page = await site.visit("/docs/people");
    const picture = page.locator(".guide img").first();
    await picture.scrollIntoViewIfNeeded();
    const sizes = "[one.naturalWidth, one.naturalHeight]";
    await expect
      .poll(() => page.evaluate(`((one) => ${sizes})(document.querySelector('.guide img'))`))
      .toEqual([Number(await picture.getAttribute("width")), Number(await picture.getAttribute("height"))]);
    await expectLegible(page, () => undefined);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("costs under 60 KB for a page", async () => {
    const page = await (await site.reader()).newPage();
    expect(await bytesToLoad(page, "/docs/limits")).toBeLessThan(60_000);
    await page.context().close();
  });
});
