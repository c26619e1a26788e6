import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveComponents, type ComponentServer } from "../../scripts/components/server.ts";
import { expectAccessible, expectFits, NO_BROWSER, Site, WIDTHS } from "./browser.ts";

/** The page is no part of the site, whose pages ask no other origin. */
const OTHER_ORIGIN = /^request: /;

describe.skipIf(NO_BROWSER)("the page of all components", () => {
  let site: Site;
  let components: ComponentServer;
  beforeAll(async () => {
    [site, components] = await Promise.all([Site.open(), serveComponents()]);
  });
  afterAll(async () => {
    components.close();
    await site.close();
  });

  it("is accessible and fits, on a phone, on a desktop and in dark mode", async () => {
    for (const dark of [false, true]) {
      const page = await site.visit(components.url, { dark });
      expect(await page.getByRole("heading", { name: "Things" }).count()).toBe(2);
      await expectAccessible(page);
      await page.setViewportSize({ width: WIDTHS.phone, height: 740 });
      await expectFits(page);
      await page.context().close();
    }
    expect(site.faults(OTHER_ORIGIN)).toEqual([]);
  });

  it("shows light and dark beside one another, whatever the reader prefers", async () => {
    const page = await site.visit(components.url, { dark: true });
    const grounds = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.schemes > section')].map((one) => getComputedStyle(one).backgroundColor)",
    );
    expect(grounds).toEqual(["rgb(255, 255, 255)", "rgb(20, 22, 27)"]);
    await page.context().close();
    site.faults();
  });

  it("is not on a deployment", async () => {
    expect((await site.server.service.call("/dev/components")).status).toBe(404);
    expect((await site.server.service.call("/dev/components.css")).status).toBe(404);
  });
});
