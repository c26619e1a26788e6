import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inParallel, type MailboxKey } from "../served/client.ts";
import { message, newMessageId } from "../served/messages.ts";
import { expectAccessible, NO_BROWSER, Site } from "./browser.ts";
import { deliver, line, lines, openViewer, reading, signIn } from "./viewer-rig.ts";

/** More than the list loads at a time. */
const MAILS = 130;

const FOCUSED = "document.activeElement.textContent";
const TO_THE_END = "document.querySelector('[data-part=list]').scrollTo(0, 1e6)";

/** The pages of a list behind the first. */
const isLater = (url: URL): boolean => url.pathname.startsWith("/v1/") && url.searchParams.has("cursor");

describe.skipIf(NO_BROWSER)("the viewer, while answers are slow", () => {
  let site: Site;
  /** A mailbox with many mails, Number 0 to Number 129. Tests delete none. */
  let box: MailboxKey;
  let page: Page;
  beforeAll(async () => {
    site = await Site.open();
    const { service } = site.server;
    box = await service.createMailbox();
    await inParallel(Array.from({ length: MAILS }), 8, (_, index) =>
      deliver(service, box, message({ subject: `Number ${index}.`, body: "A common word.\n" })),
    );
  });
  afterEach(async () => {
    await page.context().close();
    site.faults();
  });
  afterAll(() => site.close());

  /** Holds requests until `release` is called. */
  async function hold(url: Parameters<Page["route"]>[0]): Promise<{ release: () => void }> {
    const held = Promise.withResolvers<undefined>();
    await page.route(url, async (route) => {
      await held.promise;
      // The page may have cancelled it.
      await route.continue().catch(() => {});
    });
    return { release: () => held.resolve(undefined) };
  }

  it("leaves the focus where the reader writes when a list arrives late", async () => {
    page = await openViewer(site, box);
    await lines(page).first().getByRole("link").click();
    await reading(page).getByRole("link", { name: "Reply", exact: true }).waitFor();
    const threads = await hold("**/v1/threads?*");
    await page.getByRole("link", { name: "Threads" }).click();
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("Text").fill("I write ");
    threads.release();
    await page.locator(".mails a[href^='#/thread/']").first().waitFor();
    await page.keyboard.type("here");
    expect(await page.getByLabel("Text").inputValue()).toBe("I write here");
  });

  it("says below the last line why the next ones are missing, and loads them when it is asked", async () => {
    page = await openViewer(site, box);
    await page.route(isLater, (route) => route.abort("connectionrefused"));
    await lines(page).first().waitFor();
    const notice = page.locator("[data-part=list]").getByRole("alert");
    await expect
      .poll(async () => {
        await page.evaluate(TO_THE_END);
        return notice.count();
      })
      .toBe(1);
    await page.evaluate(TO_THE_END);
    const [below, window] = await Promise.all([
      notice.boundingBox(),
      page.locator("[data-part=list]").boundingBox(),
    ]);
    expect((below?.y ?? 0) + (below?.height ?? 0)).toBeLessThanOrEqual(
      (window?.y ?? 0) + (window?.height ?? 0) + 1,
    );
    expect(below?.y).toBeGreaterThan((await lines(page).last().boundingBox())?.y ?? 0);
    await expectAccessible(page);
    await page.unroute(isLater);
    await notice.getByRole("button", { name: "Try again" }).click();
    await notice.waitFor({ state: "detached" });
    await page.evaluate(TO_THE_END);
    await expect
      .poll(async () => (await lines(page).last().getAttribute("aria-posinset")) ?? "")
      .not.toBe("50");
  });

  it("loads more of a list although the next page of the list before is still on its way", async () => {
    page = await openViewer(site, box);
    const inbox = await hold((url) => isLater(url) && url.pathname === "/v1/inbox");
    const asked = page.waitForRequest((request) => isLater(new URL(request.url())));
    await page.evaluate(TO_THE_END);
    await asked;
    await page.getByRole("link", { name: "Threads" }).click();
    await page.locator(".mails a[href^='#/thread/']").first().waitFor();
    await expect
      .poll(async () => {
        await page.evaluate(TO_THE_END);
        return Number(await lines(page).last().getAttribute("aria-posinset"));
      })
      .toBe(MAILS);
    inbox.release();
  });

  it("goes to the next line with j, although mail arrives above while that line is loaded", async () => {
    const { service } = site.server;
    const own = await service.createMailbox();
    await inParallel(Array.from({ length: 60 }), 8, (_, index) =>
      deliver(service, own, message({ subject: `Own ${index}.` })),
    );
    page = await openViewer(site, own);
    const later = await hold(isLater);
    await lines(page).first().waitFor();
    const inOrder = (await service.inbox(own.api_key)).map(({ subject }) => subject);
    await page.evaluate(TO_THE_END);
    await lines(page).last().getByRole("link").focus();
    expect(await page.evaluate(FOCUSED)).toContain(inOrder[49]);
    await page.keyboard.press("j");
    await deliver(service, own, message({ subject: "Just now" }));
    await page.getByRole("button", { name: "1 new mail · show" }).waitFor();
    later.release();
    await expect.poll(() => page.evaluate<string>(FOCUSED)).toContain(inOrder[50]);
  });

  it("keeps a mail that arrived while an older page of the list was on its way", async () => {
    const { service } = site.server;
    const own = await service.createMailbox();
    await deliver(service, own, message({ subject: "Before" }));
    // The service makes its first answer before the mail arrives, and the page reads that after it. The next one does not come.
    const [made, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let answers = 0;
    page = await site.visit("/mailbox");
    await page.route("**/v1/inbox?*", async (route) => {
      answers += 1;
      if (answers > 1) return;
      const response = await route.fetch();
      made.resolve(undefined);
      await held.promise;
      await route.fulfill({ response });
    });
    await signIn(page, own.api_key);
    await made.promise;
    await deliver(service, own, message({ subject: "Just now" }));
    await line(page, "Just now").waitFor();
    held.resolve(undefined);
    await line(page, "Before").waitFor();
    expect(await lines(page).allInnerTexts()).toEqual([
      expect.stringContaining("Just now"),
      expect.stringContaining("Before"),
    ]);
  });

  it("shows what was searched for last, whichever answer comes first", async () => {
    page = await openViewer(site, box);
    const first = await hold(/\/v1\/inbox\/search\?.*common/);
    const search = page.getByRole("combobox", { name: "Search this mailbox" });
    const asked = page.waitForRequest(/search\?.*common/);
    await search.fill("common");
    await page.keyboard.press("Enter");
    await asked;
    await search.fill('subject:"Number 7."');
    await page.keyboard.press("Enter");
    await line(page, "Number 7.").waitFor();
    first.release();
    await page.evaluate("new Promise((done) => setTimeout(done, 200))");
    await page.getByText('Found: subject:"Number 7."').waitFor();
    expect(await lines(page).count()).toBe(1);
  });

  it("is not busy for screen readers after the reader left a mail that was still loading", async () => {
    page = await openViewer(site, box);
    const mail = await hold(/\/v1\/emails\//);
    await lines(page).first().getByRole("link").click();
    await expect.poll(() => reading(page).getAttribute("aria-busy")).toBe("true");
    await page.getByRole("link", { name: "Inbox" }).click();
    await reading(page).getByText("Choose a mail").waitFor();
    expect(await reading(page).getAttribute("aria-busy")).toBeNull();
    mail.release();
  });

  it("takes an erased mail out of the conversation that shows it", async () => {
    const { service } = site.server;
    const own = await service.createMailbox();
    const first = newMessageId();
    const headers = [`In-Reply-To: ${first}`, `References: ${first}`];
    await deliver(service, own, message({ subject: "Lunch", messageId: first, body: "At noon?\n" }));
    await deliver(service, own, message({ subject: "Re: Lunch", headers, body: "At one.\n" }));
    page = await openViewer(site, own);
    await page.getByRole("link", { name: "Threads" }).click();
    await line(page, "2 mails").getByRole("link").click();
    const folds = reading(page).locator("details.folded");
    const erase = async (): Promise<void> => {
      await reading(page).getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    };
    await expect.poll(() => folds.count()).toBe(2);
    await erase();
    await expect.poll(() => folds.count()).toBe(1);
    await reading(page).getByText("At noon?").last().waitFor();
    await erase();
    await page.getByText("No conversations yet.").waitFor();
    await reading(page).getByText("Choose a mail").waitFor();
  });
});
