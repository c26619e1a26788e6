import type { Locator, Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { MailboxKey } from "../served/client.ts";
import { message, newMessageId } from "../served/messages.ts";
import { SmtpPeer } from "../transport/smtp-peer.ts";
import { NO_BROWSER, Site } from "./browser.ts";
import { deliver, line, lines, openViewer, reading, signIn } from "./viewer-rig.ts";

/** The path of one mail. */
const MAIL = /\/v1\/emails\/[^/?]+$/;

/** An answer that the page reads late. */
interface Late {
  /** Resolves when the service has made it. */
  made: Promise<unknown>;
  /** Resolves when the page has read it. */
  arrive: () => Promise<void>;
}

describe.skipIf(NO_BROWSER)("a page that reads an older answer after it knows better", () => {
  let site: Site;
  let relay: SmtpPeer;
  let page: Page;
  beforeAll(async () => {
    relay = await SmtpPeer.start();
    site = await Site.open({ env: { SMTP_URL: relay.url() } });
  });
  afterEach(async () => {
    await page.context().close();
    relay.plan.end = undefined;
    site.faults();
  });
  afterAll(async () => {
    await site.close();
    relay.stop();
  });

  /** Holds the answer to the first such request. */
  async function late(url: string | RegExp, method = "GET"): Promise<Late> {
    const [made, held] = [Promise.withResolvers<Request>(), Promise.withResolvers<undefined>()];
    let isFirst = true;
    await page.route(url, async (route) => {
      if (!isFirst || route.request().method() !== method) return route.fallback();
      isFirst = false;
      const response = await route.fetch();
      made.resolve(route.request());
      await held.promise;
      await route.fulfill({ response });
    });
    const arrive = async (): Promise<void> => {
      const request = await made.promise;
      const answered = page.waitForResponse((response) => response.request() === request);
      held.resolve(undefined);
      await (await answered).finished();
      // The page reads answers in their order: after this one it has read the late one.
      await page.evaluate("fetch('/mailbox').then((response) => response.text())");
    };
    return { made: made.promise, arrive };
  }

  const button = (name: string): Locator => reading(page).getByRole("button", { name, exact: true });

  async function withMails(...subjects: string[]): Promise<MailboxKey> {
    const box = await site.server.service.createMailbox();
    for (const subject of subjects) await deliver(site.server.service, box, message({ subject }));
    return box;
  }

  it("keeps a mail read that was opened while the older marks were on their way", async () => {
    const box = await withMails("One", "Two");
    page = await site.visit("/mailbox");
    const marks = await late("**/v1/mailbox/seen");
    await signIn(page, box.api_key);
    await marks.made;
    const marked = page.waitForResponse(
      (response) => response.request().method() !== "GET" && response.url().endsWith("/seen"),
    );
    await line(page, "One").getByRole("link").click();
    await (await marked).finished();
    await marks.arrive();
    await expect.poll(() => lines(page).locator(".unread").count()).toBe(1);
    expect(await line(page, "One").locator(".unread").count()).toBe(0);
  });

  it("counts the unread mails of the inbox while it loads as it did before, without those that were erased", async () => {
    const box = await withMails("One", "Two", "Three");
    page = await openViewer(site, box);
    const count = page.getByRole("link", { name: "Inbox 3 unread" });
    await count.waitFor();
    await page.getByRole("link", { name: "Threads" }).click();
    await lines(page).first().waitFor();
    const inbox = await late("**/v1/inbox?*");
    await page.locator("[data-list=inbox]").click();
    await inbox.made;
    expect(await count.isVisible()).toBe(true);
    await inbox.arrive();
    await page.getByRole("combobox", { name: "Search this mailbox" }).fill("subject:two");
    await page.keyboard.press("Enter");
    await expect.poll(() => lines(page).count()).toBe(1);
    await lines(page).getByRole("link").focus();
    await page.keyboard.press("#");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "Inbox 2 unread" }).waitFor();
  });

  it("takes both labels off, and leaves what is written of the next one", async () => {
    const box = await withMails("Labelled");
    const { service } = site.server;
    const [mail] = await service.inbox(box.api_key);
    await service.mail(box.api_key).emails.label(mail?.id ?? "", { add_labels: ["red", "green"] });
    page = await openViewer(site, box);
    await line(page, "Labelled").getByRole("link").click();
    const chips = reading(page).locator(".labels-part > .chip");
    await button("Remove the label red").waitFor();
    const all = await chips.count();
    const first = await late(MAIL, "PATCH");
    await button("Remove the label red").click();
    await first.made;
    await button("Remove the label green").click();
    await button("Add label").click();
    await page.getByLabel("New label").fill("blu");
    await first.arrive();
    await expect.poll(() => chips.count()).toBe(all - 2);
    await page.keyboard.type("e");
    expect(await page.getByLabel("New label").inputValue()).toBe("blue");
    await page.keyboard.press("Enter");
    await reading(page).getByRole("link", { name: "blue" }).waitFor();
    await button("Add label").waitFor();
  });

  /** Sends a mail that the relay takes when `take` is called, and opens it with a clock that stands; `hold` is called before. */
  async function openSent<Held>(hold: () => Promise<Held>) {
    const box = await withMails();
    const taken = Promise.withResolvers<undefined>();
    relay.plan.end = (talk) => void taken.promise.then(() => talk.write("250 2.0.0 taken\r\n"));
    const json = { to: "ann@elsewhere.example", subject: "On its way", text: "Hello.\n" };
    await site.server.service.ask("/v1/send", { key: box.api_key, json });
    page = await site.visit("/mailbox");
    // Without the reloads that a mail under way has every few seconds.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goto("/mailbox#/sent");
    await page.reload();
    await signIn(page, box.api_key);
    await line(page, "On its way").getByText("queued").waitFor();
    const mail = await hold();
    await line(page, "On its way").getByRole("link").click();
    const delivery = reading(page).getByRole("region", { name: "Delivery" });
    const state = (word: string): Locator => delivery.getByText(word, { exact: true });
    return { take: () => taken.resolve(undefined), state, mail };
  }

  it("shows a mail as sent whose event came while the mail was on its way", async () => {
    const { take, state, mail } = await openSent(() => late(MAIL));
    await mail.made;
    take();
    await line(page, "On its way").getByText("sent", { exact: true }).waitFor();
    await mail.arrive();
    await state("sent").waitFor();
    expect(await state("queued").count()).toBe(0);
  });

  it("shows a mail as sent although an older answer says that it is queued", async () => {
    const { take, state } = await openSent(() => Promise.resolve(null));
    await state("queued").waitFor();
    const older = await late(MAIL);
    await page.clock.runFor(5_000);
    await older.made;
    take();
    await state("sent").waitFor();
    await older.arrive();
    expect(await state("sent").count()).toBe(1);
  });

  it("offers the mail of a conversation that came while an older page of it was on its way", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const first = newMessageId();
    const answer = (text: string): Buffer =>
      message({ subject: "Re: Lunch", headers: [`In-Reply-To: ${first}`], body: `${text}\n` });
    await deliver(service, box, message({ subject: "Lunch", messageId: first }));
    await deliver(service, box, answer("At one."));
    page = await openViewer(site, box);
    await page.getByRole("link", { name: "Threads" }).click();
    const conversation = await late("**/v1/threads/*");
    await line(page, "2 mails").getByRole("link").click();
    await conversation.made;
    await deliver(service, box, answer("At two."));
    await line(page, "3 mails").waitFor();
    await conversation.arrive();
    const folds = reading(page).locator("details.folded");
    expect(await folds.count()).toBe(2);
    await page.unroute("**/v1/threads/*");
    const older = await late("**/v1/threads/*");
    await button("New mail · show").click();
    await older.made;
    await deliver(service, box, answer("At three."));
    await line(page, "4 mails").waitFor();
    await older.arrive();
    await expect.poll(() => folds.count()).toBe(3);
    await button("New mail · show").click();
    await expect.poll(() => folds.count()).toBe(4);
    expect(await button("New mail · show").count()).toBe(0);
  });

  it("leaves out the keys that were revoked since", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    for (const _ of [1, 2]) await service.ask("/v1/keys", { key: box.api_key, json: {} });
    page = await openViewer(site, box);
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    const rows = reading(page).getByRole("listitem");
    const revoke = async (): Promise<void> => {
      await rows.filter({ hasText: "never used" }).first().getByRole("button").click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    };
    await expect.poll(() => rows.count()).toBe(3);
    const older = await late("**/v1/keys");
    await rows.filter({ hasText: "never used" }).last().getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await older.made;
    await revoke();
    await expect.poll(() => rows.count()).toBe(1);
    await older.arrive();
    expect(await rows.count()).toBe(1);
  });

  it("leaves out the refused mails that were deleted since", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await service.mail(box.api_key).rules.put({ receive: { mode: "listed" } });
    for (const subject of ["One", "Two"]) await service.handOver(box.mailbox, message({ subject }));
    page = await openViewer(site, box);
    await page.evaluate("location.hash = '#/refused'");
    const rows = reading(page).getByRole("listitem");
    const erase = async (subject: string): Promise<void> => {
      await rows.filter({ hasText: subject }).getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    };
    await expect.poll(() => rows.count()).toBe(2);
    const older = await late("**/v1/refused?*");
    await erase("One");
    await older.made;
    await erase("Two");
    await expect.poll(() => rows.count()).toBe(0);
    await older.arrive();
    expect(await rows.count()).toBe(0);
  });

  it("leaves out the addresses that were allowed since", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const to = ["one", "two"].map((name) => `no-${name}@${box.mailbox.split("@")[1]}`);
    await service.ask("/v1/send?wait=10", {
      key: box.api_key,
      json: { to, subject: "Hello", text: "Hello." },
    });
    page = await openViewer(site, box);
    await page.getByRole("link", { name: "Suppressions" }).click();
    const rows = reading(page).getByRole("listitem");
    const allow = (name: string): Promise<void> =>
      rows.filter({ hasText: name }).getByRole("button", { name: "Allow again" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    const older = await late("**/v1/suppressions?*");
    await allow("no-one");
    await older.made;
    await allow("no-two");
    await expect.poll(() => rows.count()).toBe(0);
    await older.arrive();
    expect(await rows.count()).toBe(0);
  });

  it("takes no input while it saves, so that the answer overwrites nothing", async () => {
    const box = await withMails();
    page = await openViewer(site, box);
    await page.getByRole("link", { name: "Rules", exact: true }).click();
    const blocked = page.getByLabel("Blocked");
    await blocked.fill("ads.example");
    const saved = await late("**/v1/mailbox/rules", "PUT");
    await button("Save the rules").click();
    await saved.made;
    await blocked.focus();
    await page.keyboard.type("more.example");
    await saved.arrive();
    await reading(page).getByText("Saved.").waitFor();
    expect(await blocked.inputValue()).toBe("ads.example");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Save the rules");
    await blocked.fill("ads.example\nmore.example");
    await button("Save the rules").click();
    const { rules } = site.server.service.mail(box.api_key);
    await expect.poll(async () => (await rules.get()).receive.block.length).toBe(2);
  });

  it("opens the sent mail where the reader opened the draft again before the answer came", async () => {
    // To another mailbox: a mail that arrived here would move the line that is clicked.
    const [box, friend] = [await withMails("To read"), await withMails()];
    page = await openViewer(site, box);
    const form = page.locator(".compose form");
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill(friend.mailbox);
    await page.getByLabel("Subject").fill("Meanwhile");
    await page.getByLabel("Text").fill("Hello.");
    const sent = await late("**/v1/send", "POST");
    await button("Send").click();
    await sent.made;
    await line(page, "To read").getByRole("link").click();
    await reading(page).getByRole("heading", { name: "To read" }).waitFor();
    await page.getByRole("link", { name: "Compose" }).click();
    await reading(page).getByText("Sending…").waitFor();
    expect(await form.evaluate((one) => one.hasAttribute("inert"))).toBe(true);
    await sent.arrive();
    await reading(page).getByRole("heading", { name: "Meanwhile" }).waitFor();
    await expect.poll(() => page.evaluate("sessionStorage.getItem('mailbox-drafts')")).toBeNull();
  });

  it("keeps the session of a tab that signed in while another asked for its old one", async () => {
    page = await site.visit("/operator");
    await page.evaluate(`localStorage.setItem("operator-session", "${"0".repeat(64)}")`);
    const asked = await late("**/operator/session");
    await page.goto("/operator");
    await asked.made;
    const other = await page.context().newPage();
    await other.goto("/operator");
    await other.getByLabel("Operator key").fill(site.server.service.operator);
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.locator("h1").getByText("Overview").waitFor();
    const token = "localStorage.getItem('operator-session')";
    // The script of the page keeps the new session, after the page is shown.
    await expect.poll(() => other.evaluate(token)).toEqual(expect.stringMatching(/[^0]/));
    const known = await other.evaluate(token);
    await asked.arrive();
    expect(await page.evaluate(token)).toBe(known);
  });
});
