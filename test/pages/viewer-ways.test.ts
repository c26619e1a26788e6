import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MailboxKey } from "../served/client.ts";
import { message } from "../served/messages.ts";
import { expectAccessible, expectFits, NO_BROWSER, Site } from "./browser.ts";
import { deliver, htmlMail, line, openViewer, reading } from "./viewer-rig.ts";

/** Widths of telephones, tablets, laptops and desks. */
const WIDTHS = [360, 768, 1280, 1920] as const;
const HEIGHT = 800;
/** A window of 1280 by 800 pixels whose page is enlarged twice. */
const ENLARGED = { width: 640, height: 400 };

const LONG =
  "Quarterly figures of all departments, with the comments of the board and of the auditors ".repeat(3);
const ARABIC = "تأكيد عنوان بريدك الإلكتروني";

/** Controls and headings that reach beyond the window, or beyond a part that does not scroll sideways. */
const CUT_OFF = `
  [...document.querySelectorAll("main :is(a, button, input, textarea, select, summary, h2, h3, label)")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest(".sr") === null)
    .filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      for (let around = one.parentElement; around !== null; around = around.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(around).overflowX) && around.scrollWidth > around.clientWidth) return false;
      }
      return left < -1 || right > innerWidth + 1;
    })
    .map((one) => one.outerHTML.slice(0, 120))`;

describe.skipIf(NO_BROWSER)("the ways of using the viewer", () => {
  let site: Site;
  let box: MailboxKey;
  let friend: MailboxKey;
  beforeAll(async () => {
    site = await Site.open();
    const { service } = site.server;
    [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const body = `${ARABIC}: الرمز هو 482913.\n`;
    await deliver(service, box, message({ subject: ARABIC, from: "بنك <bank@example.com>", body }));
    await deliver(
      service,
      box,
      htmlMail(`<html dir="rtl"><body><p>${ARABIC}</p></body></html>`, { subject: "In HTML" }),
    );
    await deliver(service, box, message({ subject: LONG, body: `${"long-word-".repeat(40)}\n` }));
    const json = { to: box.mailbox, subject: "A question", text: "Which day?" };
    await service.ask("/v1/send?wait=10", { key: friend.api_key, json });
  });
  afterAll(() => site.close());

  const focused = (page: Page): Promise<string> =>
    page.evaluate<string>("document.activeElement.textContent || document.activeElement.id");

  it("signs in, reads, answers, and goes back to the list by keyboard alone", async () => {
    const page = await site.visit("/mailbox");
    await page.keyboard.insertText(box.api_key);
    await page.keyboard.press("Enter");
    await line(page, "A question").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await reading(page).getByText("Which day?").waitFor();
    await page.keyboard.press("r");
    await reading(page).getByRole("heading", { name: "Reply" }).waitFor();
    const text = page.getByLabel(/^Text/);
    for (let pressed = 0; pressed < 20; pressed += 1) {
      if (await text.evaluate((field) => field.matches(":focus"))) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.type("On Friday.");
    await page.keyboard.press("Control+Enter");
    await reading(page).getByText("delivered", { exact: true }).waitFor();
    await page.keyboard.press("u");
    await reading(page).getByText("Choose a mail").waitFor();
    // The answer is in another list: the line of the mail that it answers has the focus.
    await expect.poll(() => focused(page)).toContain("A question");
    await page.keyboard.press("j");
    await expect.poll(() => focused(page)).toContain("Quarterly");
    const [answer] = await site.server.service.inbox(friend.api_key);
    expect(answer?.subject).toBe("Re: A question");
    expect(answer?.snippet).toContain("On Friday.");
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("fits every width in light and dark, and cuts nothing off when the page is enlarged twice", async () => {
    const page = await openViewer(site, box);
    const look = async (): Promise<void> => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await expectFits(page);
      }
      await page.setViewportSize(ENLARGED);
      await expectFits(page);
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: "light" });
    };
    await line(page, "Quarterly").waitFor();
    await look();
    await line(page, "Quarterly").getByRole("link").click();
    await reading(page).getByRole("heading", { name: "Quarterly" }).waitFor();
    await look();
    for (const place of ["compose", "settings", "rules", "webhooks"]) {
      await page.evaluate(`location.hash = "#/${place}"`);
      await reading(page).locator("h2").first().waitFor();
      await expect.poll(() => reading(page).getAttribute("aria-busy")).toBe(null);
      await look();
    }
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("moves nothing by itself for a reader who asked for less motion", async () => {
    const page = await openViewer(site, box);
    await page.emulateMedia({ reducedMotion: "reduce" });
    const moving = (): Promise<number> => page.evaluate("document.getAnimations().length");
    await page.getByRole("link", { name: "Compose" }).hover();
    expect(await moving()).toBe(0);
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("Subject").focus();
    expect(await moving()).toBe(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await moving()).toBe(0);
    // The same control does move for other readers.
    await page.keyboard.press("Escape");
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.getByRole("button", { name: "Sign out" }).hover();
    await expect
      .poll(() =>
        page.evaluate("getComputedStyle(document.querySelector('.ways button')).transitionDuration"),
      )
      .not.toBe("0s");
    await page.context().close();
  });

  it("shows mail that is written from right to left that way, in the list and in the mail", async () => {
    const page = await openViewer(site, box);
    const expectDirection = (place: Locator, direction: "ltr" | "rtl"): Promise<void> =>
      expect
        .poll(() => place.evaluate((one, wanted) => one.matches(wanted), `:dir(${direction})`))
        .toBe(true);
    for (const part of [".who", ".subject", ".excerpt"]) {
      await expectDirection(line(page, "بنك").locator(part), "rtl");
    }
    await expectDirection(line(page, "A question").locator(".subject"), "ltr");
    await line(page, "بنك").getByRole("link").click();
    await expectDirection(reading(page).getByRole("heading", { name: ARABIC }), "rtl");
    await expectDirection(reading(page).locator(".text-part").first(), "rtl");
    await expectDirection(reading(page).getByText("Sender authentication", { exact: true }), "ltr");
    await line(page, "In HTML").getByRole("link").click();
    const paragraph = page.frameLocator("iframe.mail-frame").getByText(ARABIC);
    await expectDirection(paragraph, "rtl");
    await page.context().close();
  });
});
