import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inParallel } from "../served/client.ts";
import { message } from "../served/messages.ts";
import { expectAccessible, NO_BROWSER, Site } from "./browser.ts";
import { deliver, line, lines, openViewer, reading, requestsOf, signIn } from "./viewer-rig.ts";

describe.skipIf(NO_BROWSER)("the viewer's session and connection", () => {
  let site: Site;
  let open: Page | null = null;
  beforeAll(async () => {
    // A port that it keeps, as it is killed and started again.
    site = await Site.open();
  });
  afterEach(async () => {
    await open?.context().close();
    open = null;
    site.faults();
  });
  afterAll(() => site.close());

  it("stores the key for its tab only, and puts it into no URL", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "Hello" }));
    const page = (open = await site.visit("/mailbox"));
    const requests = requestsOf(page.context());
    const addresses: string[] = [];
    page.on("framenavigated", (frame) => addresses.push(frame.url()));
    await signIn(page, box.api_key);
    await line(page, "Hello").getByRole("link").click();
    await reading(page).getByRole("heading", { name: "Hello" }).waitFor();
    await page.reload();
    await reading(page).getByRole("heading", { name: "Hello" }).waitFor();
    const secret = box.api_key.slice(3);
    for (const url of [...requests, ...addresses, page.url()]) expect(url).not.toContain(secret);
    expect(
      await page.evaluate("[localStorage.length, document.cookie, document.title.includes('mk_'), name]"),
    ).toEqual([0, "", false, ""]);
    expect(await page.evaluate("indexedDB.databases().then((all) => all.length)")).toBe(0);
    expect(await page.content()).not.toContain(secret);
    // Another tab of the same browser knows nothing of it.
    const other = await page.context().newPage();
    await other.goto("/mailbox");
    await other.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
    expect(await other.evaluate("sessionStorage.length")).toBe(0);
    await other.close();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(await page.content()).not.toContain("Hello");
    await page.reload();
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
  });

  it("requests nothing but mails, whatever the URL's fragment contains", async () => {
    const { service } = site.server;
    const page = (open = await openViewer(site, await service.createMailbox()));
    const requests = requestsOf(page.context());
    for (const name of ["mail", "reply", "reply-all", "forward"]) {
      await page.evaluate(`location.hash = "#/${name}/..%2Fcode%3Fconsume%3Dtrue"`);
      await reading(page).getByText("Email not found").waitFor();
    }
    expect(requests.filter((url) => new URL(url).pathname === "/v1/code")).toEqual([]);
    site.faults(/404/);
  });

  it("explains why a key is refused", async () => {
    const page = (open = await site.visit("/mailbox"));
    const key = page.getByLabel("Key", { exact: true });
    const enter = page.getByRole("button", { name: "Open the mailbox" });
    await enter.click();
    await page.getByText("Paste a key first.").waitFor();
    await key.fill(`mk_${"0".repeat(64)}`);
    await enter.click();
    await page.getByText("Unknown key").waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  it("asks for another key when this one is revoked", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const made = await service.ask<{ id: string; api_key: string }>("/v1/keys", {
      key: box.api_key,
      json: {},
    });
    const page = (open = await openViewer(site, { ...box, api_key: made.body.api_key }));
    await service.ask(`/v1/keys/${made.body.id}`, { key: box.api_key, method: "DELETE" });
    // Its stream is ended, and the next one refused: nothing need be pressed.
    await page.getByText("The key is no longer valid").waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await signIn(page, box.api_key);
  });

  it("shows any mailbox to the operator, who names it", async () => {
    const { service, token } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "For the box" }));
    const page = (open = await site.visit("/mailbox"));
    await page.getByLabel("Key", { exact: true }).fill(token);
    await page.getByRole("button", { name: "Open the mailbox" }).click();
    await page.getByLabel("Mailbox", { exact: true }).fill(box.mailbox);
    await page.getByRole("button", { name: "Open the mailbox" }).click();
    await line(page, "For the box").getByRole("link").click();
    await reading(page).getByRole("heading", { name: "For the box" }).waitFor();
    await deliver(service, box, message({ subject: "Live for the operator" }));
    await line(page, "Live for the operator").waitFor();
    expect(site.faults()).toEqual([]);
  });

  it("stays with the mailbox of the key when a link names it", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = (open = await openViewer(site, box));
    await writeDraft(page, "Not lost");
    await page.goto(`/mailbox?address=${encodeURIComponent(box.mailbox.toUpperCase())}#/compose`);
    await expect.poll(() => reading(page).getByLabel("Subject").inputValue()).toBe("Not lost");
    await page.goto("/mailbox?address=#/compose");
    await expect.poll(() => reading(page).getByLabel("Subject").inputValue()).toBe("Not lost");
  });

  it("asks for a key when a link names another mailbox than that of the key", async () => {
    const { service } = site.server;
    const [box, other] = [await service.createMailbox(), await service.createMailbox()];
    const page = (open = await site.visit(`/mailbox?address=${encodeURIComponent(box.mailbox)}`));
    await signIn(page, box.api_key);
    await page.goto(`/mailbox?address=${encodeURIComponent(other.mailbox)}`);
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
    expect(await page.getByLabel("Mailbox", { exact: true }).inputValue()).toBe(other.mailbox);
    // The tab has no use for the first key any more.
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await page.goto("/mailbox");
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
  });

  it("keeps the key of a tab while another tab is led to another mailbox", async () => {
    const { service } = site.server;
    const [box, other] = [await service.createMailbox(), await service.createMailbox()];
    const page = (open = await openViewer(site, box));
    // A window that a page opens begins with a copy of its session storage.
    const [copy] = await Promise.all([page.waitForEvent("popup"), page.evaluate("void open('/mailbox')")]);
    await copy.locator(".whose").getByText(box.mailbox).waitFor();
    await copy.goto(`/mailbox?address=${encodeURIComponent(other.mailbox)}`);
    await signIn(copy, other.api_key);
    await copy.locator(".whose").getByText(other.mailbox).waitFor();
    await page.reload();
    await page.locator(".whose").getByText(box.mailbox).waitFor();
    await copy.getByRole("button", { name: "Sign out" }).click();
    await copy.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
    await page.reload();
    await page.locator(".whose").getByText(box.mailbox).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('mailbox-session')")).toContain(box.api_key);
  });

  it("takes what is no address in a link for none, and says so", async () => {
    const { service, token } = site.server;
    const box = await service.createMailbox();
    const wrong = [
      `${box.mailbox}\nb@example.com`,
      `a\u202e${box.mailbox}`,
      `a\u0000@b`,
      "<b>x</b>",
      "a b@c",
    ];
    const page = (open = await site.visit("/mailbox"));
    for (const text of wrong) {
      await page.goto(`/mailbox?address=${encodeURIComponent(text)}`);
      await page.getByText("The link to this page does not name a mailbox.").waitFor();
      expect(await page.getByLabel("Mailbox", { exact: true }).isVisible()).toBe(false);
    }
    await expectAccessible(page);
    await page.getByLabel("Key", { exact: true }).fill(token);
    await page.getByRole("button", { name: "Open the mailbox" }).click();
    await page.getByLabel("Mailbox", { exact: true }).fill(box.mailbox);
    await page.getByRole("button", { name: "Open the mailbox" }).click();
    await page.locator(".whose").getByText(box.mailbox).waitFor();
    // Whoever is signed in stays where they are.
    for (const text of wrong) {
      await page.goto(`/mailbox?address=${encodeURIComponent(text)}`);
      await page.locator(".whose").getByText(box.mailbox).waitFor();
      await page.reload();
      await page.locator(".whose").getByText(box.mailbox).waitFor();
    }
    expect(site.faults()).toEqual([]);
  });

  it("shows nothing of a mailbox after signing out, although an answer is still to come", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    for (const subject of ["First", "Second"]) await deliver(service, box, message({ subject }));
    const page = (open = await openViewer(site, box));
    await expect.poll(() => page.title()).toContain(`(2) ${box.mailbox}`);
    const held = Promise.withResolvers<undefined>();
    await page.route("**/v1/mailbox/seen", async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest("**/v1/mailbox/seen");
    await line(page, "First").getByRole("link").click();
    await asked;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
    const answer = page.waitForResponse("**/v1/mailbox/seen");
    held.resolve(undefined);
    await (await answer).finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await page.title()).not.toContain(box.mailbox);
    expect(await page.content()).not.toContain("Second");
    expect(await page.content()).not.toContain(box.mailbox);
  });

  it("waits for the time of Retry-After when there were too many requests", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "Hello" }));
    const page = (open = await openViewer(site, box));
    // No budget of the API is spent by reading; a proxy before it may have one.
    await page.route("**/v1/threads?**", (route) =>
      route.fulfill({ status: 429, headers: { "Retry-After": "120" }, json: { error: "Too many requests" } }),
    );
    await page.getByRole("link", { name: "Threads" }).click();
    await page.getByText("Too many requests. Try again in 2 minutes.").waitFor();
    await page.unroute("**/v1/threads?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await line(page, "Hello").waitFor();
    expect(await page.getByText("Too many requests").count()).toBe(0);
  });

  it("misses no mail while the service is down", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "Before" }));
    const page = (open = await openViewer(site, box));
    await line(page, "Before").waitFor();
    const killed = site.server.killWorkerd();
    await page.getByText("Offline", { exact: true }).waitFor();
    // Mail that was loaded can still be read.
    expect(await lines(page).count()).toBe(1);
    await killed;
    await site.server.answers();
    // Perhaps before the viewer is back, perhaps after.
    await inParallel(Array.from({ length: 12 }), 4, (_, index) =>
      deliver(service, box, message({ subject: `After ${index}.` })),
    );
    await page.getByText("Live", { exact: true }).waitFor();
    await expect.poll(() => lines(page).count()).toBe(13);
    expect(new Set(await lines(page).locator(".subject").allTextContents()).size).toBe(13);
  });

  it("shows the mail that came while its connection was interrupted", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = (open = await openViewer(site, box));
    const resumed: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/events")) resumed.push(request.headers()["last-event-id"]);
    });
    await deliver(service, box, message({ subject: "One" }));
    await line(page, "One").waitFor();
    await page.context().setOffline(true);
    await page.getByText("Offline", { exact: true }).waitFor();
    await deliver(service, box, message({ subject: "Two" }));
    await deliver(service, box, message({ subject: "Three" }));
    await page.context().setOffline(false);
    await line(page, "Three").waitFor();
    await line(page, "Two").waitFor();
    expect(await lines(page).count()).toBe(3);
    expect(resumed.at(-1)).toBe("1");
  });

  it("shows the mailbox once the service answers again", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "Hello" }));
    const page = (open = await openViewer(site, box));
    await page.route("**/v1/emails/**", (route) => route.abort("connectionrefused"));
    await line(page, "Hello").getByRole("link").click();
    await reading(page).getByText("The service cannot be reached.").waitFor();
    await page.unroute("**/v1/emails/**");
    await reading(page).getByRole("button", { name: "Try again" }).click();
    await reading(page).getByRole("heading", { name: "Hello" }).waitFor();
    expect(await reading(page).getByRole("alert").count()).toBe(0);
  });

  it("offers to load the page again where one of its scripts did not come", async () => {
    const page = (open = await openViewer(site, await site.server.service.createMailbox()));
    await page.route("**/screens*.js", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Keys" }).click();
    await reading(page).getByText("Something went wrong in this page. Load it again.").waitFor();
    expect(await reading(page).getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.unroute("**/screens*.js");
    await reading(page).getByRole("button", { name: "Reload the page" }).click();
    await reading(page).getByRole("heading", { name: "Keys" }).waitFor();
  });
});

/** Writes the subject of a new mail, which the tab then keeps. */
async function writeDraft(page: Page, subject: string): Promise<void> {
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("link", { name: "Compose" }).click();
  await reading(page).getByLabel("Subject").fill(subject);
  await expect.poll(() => page.evaluate("sessionStorage.getItem('mailbox-drafts')")).toContain(subject);
}
