import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inParallel } from "../served/client.ts";
import { message, newMessageId } from "../served/messages.ts";
import { bytesToLoad, expectAccessible, NO_BROWSER, Site } from "./browser.ts";
import { deliver, htmlMail, line, lines, openViewer, reading, signIn } from "./viewer-rig.ts";

/** Lines that the list loads at a time. */
const PAGE_ROWS = 50;

/** Every byte there is, so that a fault in coding shows. */
const FILE = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256));
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A mail with a text, HTML that shows an image of its own, and a file. */
function fullMail(subject: string): Buffer {
  const part = (headers: string[], body: string): string => ["--part", ...headers, "", body].join("\n");
  const base64 = "Content-Transfer-Encoding: base64";
  return message({
    subject,
    headers: ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=part"],
    body: [
      part(
        ["Content-Type: text/html; charset=utf-8"],
        '<p>See <b>this</b>: <img alt="A pixel" src="cid:pixel@example.com" width="40" height="40"></p>',
      ),
      part(
        [
          "Content-Type: image/png; name=pixel.png",
          "Content-ID: <pixel@example.com>",
          "Content-Disposition: inline",
          base64,
        ],
        PIXEL.toString("base64"),
      ),
      part(
        [
          "Content-Type: application/pdf",
          'Content-Disposition: attachment; filename="Report für Ann.pdf"',
          base64,
        ],
        FILE.toString("base64"),
      ),
      "--part--",
      "",
    ].join("\n"),
  });
}

describe.skipIf(NO_BROWSER)("the viewer", () => {
  let site: Site;
  let page: Page | null = null;
  beforeAll(async () => {
    // Verdicts of this border are believed, as a deployment sets it up.
    site = await Site.open({ env: { AUTHSERV_ID: "mx.mailkeep.test" } });
  });
  afterEach(async () => {
    await page?.context().close();
    page = null;
  });
  afterAll(() => site.close());

  it("marks mail as not sent, in the list and in the mail, if no relay is configured", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const to = [friend.mailbox, "someone@elsewhere.example"];
    const json = { to, subject: "Stays here", text: "Hello." };
    expect((await service.ask("/v1/send?wait=20", { key: box.api_key, json })).status).toBe(200);
    page = await openViewer(site, box);
    await page.getByRole("link", { name: "Sent" }).click();
    await line(page, "Stays here").getByText("not sent", { exact: true }).waitFor();
    await line(page, "Stays here").click();
    const delivery = reading(page).getByRole("region", { name: "Delivery" }).getByRole("listitem");
    const someone = delivery.filter({ hasText: "someone@elsewhere.example" });
    await someone.getByText("not sent", { exact: true }).waitFor();
    await someone.getByText("SMTP_URL").waitFor();
    await delivery.filter({ hasText: friend.mailbox }).getByText("delivered", { exact: true }).waitFor();
  });

  it("shows a mail as it arrives, with its code to copy", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    page = await openViewer(site, box);
    await page.getByText("No mail yet").waitFor();
    await deliver(service, box, message({ subject: "Your code", body: "Your code is 482913.\n" }));
    await line(page, "Your code").getByRole("button", { name: "Copy the code 482913" }).waitFor();
    expect(await lines(page).count()).toBe(1);
    await expect
      .poll(() => page?.getByRole("status").first().textContent())
      .toBe("New mail from ann@example.com: Your code");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await line(page, "Your code").getByRole("link").click();
    await reading(page).getByRole("button", { name: "Copy the code" }).click();
    await reading(page).getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("482913");
    expect(site.faults()).toEqual([]);
  });

  it("shows the verification link of a mail with its host, and copies it", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const link = "https://shop.example/verify?token=8f3a9c2e7b1d4f60a5";
    await deliver(
      service,
      box,
      message({ subject: "Please verify your email address", body: `Verify your email address:\n${link}\n` }),
    );
    page = await openViewer(site, box);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await line(page, "verify").getByRole("link").click();
    const card = reading(page).getByRole("region", { name: "Link to follow" });
    const open = card.getByRole("link");
    expect(await open.textContent()).toBe("Open shop.example");
    expect(await open.getAttribute("href")).toBe(link);
    expect(await open.getAttribute("rel")).toBe("noopener noreferrer");
    await card.getByRole("button", { name: "Copy the link" }).click();
    await card.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(link);
  });

  it("says in a sentence whether a mail is really from whom it names, and why; the results beside it", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const verdicts = (spf: string, dkim: string, dmarc: string): string =>
      `Authentication-Results: mx.mailkeep.test; spf=${spf} smtp.mailfrom=example.com; dkim=${dkim} header.d=example.com; dmarc=${dmarc} header.from=example.com`;
    await deliver(service, box, message({ subject: "Honest", headers: [verdicts("pass", "pass", "pass")] }));
    await deliver(
      service,
      box,
      message({ subject: "Forged", headers: [verdicts("softfail", "none", "fail")] }),
    );
    await deliver(service, box, message({ subject: "Unchecked" }));
    page = await openViewer(site, box);
    const said = async (subject: string): Promise<string> => {
      await line(page as Page, subject)
        .getByRole("link")
        .click();
      await reading(page as Page)
        .getByRole("heading", { name: subject })
        .waitFor();
      await reading(page as Page)
        .getByText("Sender authentication", { exact: true })
        .click();
      return reading(page as Page).innerText();
    };
    expect(await said("Honest")).toMatch(
      /Really from example\.com: signed by example\.com\.[^]*pass The mail is authenticated for the author's domain/,
    );
    expect(await said("Forged")).toMatch(
      /It could not be confirmed that this is from example\.com: no valid signature, and example\.com says that its mail is always proven\.[^]*softfail The sending server is probably not authorised[^]*none The mail is not signed[^]*fail The mail is not authenticated for the author's domain/,
    );
    expect(await said("Unchecked")).toMatch(
      /Nobody checked whether this is from example\.com: anybody can write this address\.[^]*No trusted server has checked/,
    );
  });

  it("shows images that came with a mail, and saves its files and its raw bytes exactly", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const raw = fullMail("With files");
    await deliver(service, box, raw);
    page = await openViewer(site, box);
    await line(page, "With files").getByRole("link").click();
    const image = page.frameLocator("iframe.mail-frame").getByAltText("A pixel");
    await expect.poll(() => image.evaluate((element) => Reflect.get(element, "naturalWidth"))).toBe(1);
    expect(await image.getAttribute("src")).toMatch(/^blob:/);

    const saved = async (button: string): Promise<{ name: string; bytes: Buffer }> => {
      const [download] = await Promise.all([
        (page as Page).waitForEvent("download"),
        reading(page as Page)
          .getByRole("button", { name: button })
          .click(),
      ]);
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const file = await saved("Download Report für Ann.pdf");
    expect(file.name).toBe("Report für Ann.pdf");
    expect(file.bytes.equals(FILE)).toBe(true);
    await reading(page).getByRole("button", { name: "Raw message" }).click();
    await page.getByLabel("Raw message", { exact: true }).getByText("Subject: With files").waitFor();
    expect((await saved("Save the raw message")).bytes.equals(raw)).toBe(true);
    expect(site.faults()).toEqual([]);
  });

  it("shows the text if the HTML cannot be loaded", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, htmlMail("<p>Plainly said</p>", { subject: "Designed" }));
    page = await openViewer(site, box);
    await page.route("**/mailbox/frame", (route) => route.abort("connectionrefused"));
    await line(page, "Designed").getByRole("link").click();
    await reading(page).getByText("Plainly said").waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    site.faults();
  });

  it("finds mails, and goes back from a found mail to the results", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    for (const what of ["apples", "pears", "plums"]) {
      await deliver(service, box, message({ subject: `About ${what}`, body: `We have ${what} today.\n` }));
    }
    page = await openViewer(site, box);
    await line(page, "plums").waitFor();
    await page.getByRole("combobox", { name: "Search this mailbox" }).fill("pears");
    await page.keyboard.press("Enter");
    await expect.poll(() => lines(page as Page).count()).toBe(1);
    await line(page, "About pears").getByRole("link").click();
    await reading(page).getByText("We have pears today.").waitFor();
    await page.goBack();
    await reading(page).getByText("Choose a mail").waitFor();
    expect(await lines(page).count()).toBe(1);
    await page.getByRole("combobox", { name: "Search this mailbox" }).fill("nothing like it");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing found.").waitFor();
  });

  it("shows a thread, oldest first, and offers mail that arrives while it is read", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const first = newMessageId();
    const answer = (text: string): Buffer =>
      message({
        subject: "Re: Lunch",
        headers: [`In-Reply-To: ${first}`, `References: ${first}`],
        body: `${text}\n`,
      });
    await deliver(service, box, message({ subject: "Lunch", messageId: first, body: "At noon?\n" }));
    await deliver(service, box, answer("At one."));
    page = await openViewer(site, box);
    await page.getByRole("link", { name: "Threads" }).click();
    await line(page, "2 mails").getByRole("link").click();
    await reading(page).getByText("At one.", { exact: true }).last().waitFor();
    const folds = reading(page).locator("details.folded");
    expect(await folds.evaluateAll((all) => all.map((one) => one.hasAttribute("open")))).toEqual([
      false,
      true,
    ]);
    await folds.first().locator("summary").first().click();
    await reading(page).getByText("At noon?", { exact: true }).last().waitFor();
    await deliver(service, box, answer("At two, then."));
    await reading(page)
      .getByRole("button", { name: /New mail/ })
      .click();
    await expect.poll(() => folds.count()).toBe(3);
    await line(page, "3 mails").waitFor();
  });

  it("can be used with j, k, Enter, r, / and ?, except while the reader types", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    for (const number of [1, 2, 3])
      await deliver(service, box, htmlMail(`<p>Number ${number}</p>`, { subject: `Mail ${number}` }));
    page = await openViewer(site, box);
    await line(page, "Mail 3").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Mail 2");
    await page.keyboard.press("k");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Mail 3");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await reading(page).getByRole("heading", { name: "Mail 2" }).waitFor();
    await page.keyboard.press("j");
    await reading(page).getByRole("heading", { name: "Mail 1" }).waitFor();
    // The mail itself has the focus.
    await page.frameLocator("iframe.mail-frame").getByText("Number 1").click();
    await page.keyboard.press("k");
    await reading(page).getByRole("heading", { name: "Mail 2" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("The next mail").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Escape");
    await reading(page).getByRole("heading", { name: "Mail 2" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("jkr/?");
    expect(await page.getByRole("combobox", { name: "Search this mailbox" }).inputValue()).toBe("jkr/?");
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await reading(page).getByRole("heading", { name: "Reply" }).waitFor();
    await page.keyboard.press("u");
    await reading(page).getByText("Choose a mail").waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Mail 2");
    expect(site.faults()).toEqual([]);
  });

  it("shows a long list as one, with a bounded number of elements in the document", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const total = 4 * PAGE_ROWS + 10;
    await inParallel(Array.from({ length: total }), 8, (_, index) =>
      deliver(service, box, message({ subject: `Number ${index}.` })),
    );
    page = await openViewer(site, box);
    const shown = page;
    await lines(shown).first().waitFor();
    const seen = new Set<string>();
    let mostLines = 0;
    await shown.evaluate(
      "window.added = document.querySelectorAll('.mails > li').length; new MutationObserver((changes) => { for (const { addedNodes } of changes) added += addedNodes.length; }).observe(document.querySelector('.mails'), { childList: true })",
    );
    const scrolled = async (): Promise<number> => {
      for (const text of await lines(shown).locator(".subject").allTextContents()) seen.add(text);
      mostLines = Math.max(mostLines, await lines(shown).count());
      await shown.evaluate(
        "document.querySelector('[data-part=list]').scrollBy(0, 500); new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
      );
      return seen.size;
    };
    await expect.poll(scrolled, { interval: 10, timeout: 30_000 }).toBe(total);
    expect(mostLines).toBeLessThanOrEqual(70);
    // On the way down each line is put into the document once: a step lays out those that come into sight and no others.
    expect(await shown.evaluate("added")).toBe(total);
    // Each line is said to screen readers with its place among all.
    const last = lines(shown).last();
    expect([await last.getAttribute("aria-posinset"), await last.getAttribute("aria-setsize")]).toEqual(
      Array.from({ length: 2 }, () => String(total)),
    );
    // After a jump the first frame puts few lines into the document, and the next ones add the others.
    const counts = await shown.evaluate<number[]>(`new Promise((done) => {
      const list = document.querySelector("[data-part=list]");
      const counts = [];
      const count = () => counts.push(document.querySelectorAll(".mails > li").length);
      new MutationObserver(count).observe(document.querySelector(".mails"), { childList: true });
      list.scrollTop = list.scrollHeight / 2;
      const frame = (left) => (left === 0 ? done(counts) : requestAnimationFrame(() => frame(left - 1)));
      frame(4);
    })`);
    expect(counts).toHaveLength(2);
    expect(counts[0]).toBeLessThan((counts[1] ?? 0) - 20);
    await shown.evaluate("document.querySelector('[data-part=list]').scrollTo(0, 1e6)");
    await expect.poll(() => lines(shown).last().getAttribute("aria-posinset")).toBe(String(total));
    // Mail that arrives while the end is read is announced, and moves no line.
    const top = async (): Promise<string> =>
      shown.evaluate<string>(
        "(() => { const { left, top } = document.querySelector('[data-part=list]').getBoundingClientRect(); return document.elementFromPoint(left + 60, top + 90).closest('li').textContent; })()",
      );
    const before = await top();
    await deliver(service, box, message({ subject: "Just now" }));
    await shown.getByRole("button", { name: "1 new mail · show" }).waitFor();
    expect(await top()).toBe(before);
    await shown.getByRole("button", { name: "1 new mail · show" }).click();
    await line(shown, "Just now").waitFor();
    // By keyboard, the selection stays in sight beyond what was loaded at first.
    const focused = (): Promise<string> => shown.evaluate<string>("document.activeElement.textContent");
    await expect.poll(focused).toContain("Just now");
    for (let step = 1; step <= PAGE_ROWS + 5; step += 1) {
      await shown.keyboard.press("j");
      await expect.poll(focused, { interval: 5 }).toContain(`Number ${await numberAt(step)}.`);
    }
    expect(
      await shown.evaluate(
        "(() => { const list = document.querySelector('[data-part=list]').getBoundingClientRect(); const line = document.activeElement.getBoundingClientRect(); return line.top >= list.top && line.bottom <= list.bottom + 1; })()",
      ),
    ).toBe(true);
    expect(await lines(shown).count()).toBeLessThanOrEqual(70);

    async function numberAt(index: number): Promise<string> {
      const { emails } = await service.get<{ emails: { subject: string }[] }>(
        `/v1/inbox?direction=inbound&limit=1&offset=${index}`,
        box.api_key,
      );
      return /\d+/.exec(emails[0]?.subject ?? "")?.[0] ?? "";
    }
  });

  it("loses no line when many mails arrive at once", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    page = await openViewer(site, box);
    const shown = page;
    const total = PAGE_ROWS + 15;
    await inParallel(Array.from({ length: total }), 8, (_, index) =>
      deliver(service, box, message({ subject: `Burst ${index}.` })),
    );
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          for (const text of await lines(shown).locator(".subject").allTextContents()) seen.add(text);
          await shown.evaluate("document.querySelector('[data-part=list]').scrollBy(0, 400)");
          return seen.size;
        },
        { timeout: 30_000 },
      )
      .toBe(total);
    await shown.evaluate("document.querySelector('[data-part=list]').scrollTo(0, 0)");
    const inOrder = (await service.inbox(box.api_key)).map(({ subject }) => subject).slice(0, 20);
    await expect
      .poll(async () => (await lines(shown).locator(".subject").allTextContents()).slice(0, 20))
      .toEqual(inOrder);
  });

  it("shows what the reader has not read yet, in every browser of the reader", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    for (const subject of ["First", "Second", "Third"]) await deliver(service, box, message({ subject }));
    page = await openViewer(site, box);
    const unread = (shown: Page) => lines(shown).locator(".unread");
    await expect.poll(() => unread(page as Page).count()).toBe(3);
    expect(await page.title()).toBe(`(3) ${box.mailbox} – Mailbox`);
    await page.getByRole("link", { name: "Inbox 3 unread" }).waitFor();
    await line(page, "Second").getByRole("link").click();
    await reading(page).getByRole("heading", { name: "Second" }).waitFor();
    await expect.poll(() => unread(page as Page).count()).toBe(2);
    await page.keyboard.press("m");
    await reading(page).getByText("Choose a mail").waitFor();
    await expect.poll(() => unread(page as Page).count()).toBe(3);
    await page.keyboard.press("m");
    await expect.poll(() => unread(page as Page).count()).toBe(2);

    const stored = () => service.get<{ seen: string[] }>("/v1/mailbox/seen", box.api_key);
    await expect.poll(async () => (await stored()).seen.length).toBe(1);
    const other = await openViewer(site, box);
    await expect.poll(() => unread(other).count()).toBe(2);
    expect(await line(other, "Second").locator(".unread").count()).toBe(0);
    await other.getByRole("button", { name: "Mark all read" }).click();
    await expect.poll(() => unread(other).count()).toBe(0);
    expect(await other.title()).toBe(`${box.mailbox} – Mailbox`);
    await deliver(service, box, message({ subject: "Fourth" }));
    await expect.poll(() => other.title()).toBe(`(1) ${box.mailbox} – Mailbox`);
    await other.context().close();
    await page.reload();
    await expect.poll(() => unread(page as Page).count()).toBe(1);
    expect(site.faults()).toEqual([]);
  });

  it("keeps a mark that could not be sent, and sends it with the next", async () => {
    const { service } = site.server;
    const box = await service.bootstrap();
    for (const subject of ["One", "Two"]) await deliver(service, box, message({ subject }));
    page = await openViewer(site, box);
    await expect
      .poll(() =>
        lines(page as Page)
          .locator(".unread")
          .count(),
      )
      .toBe(2);
    await page.route("**/v1/mailbox/seen", (route) => route.abort("connectionrefused"));
    await line(page, "One").getByRole("link").click();
    await expect
      .poll(() =>
        lines(page as Page)
          .locator(".unread")
          .count(),
      )
      .toBe(1);
    await page.unroute("**/v1/mailbox/seen");
    await line(page, "Two").getByRole("link").click();
    await expect
      .poll(async () => (await service.get<{ seen: string[] }>("/v1/mailbox/seen", box.api_key)).seen.length)
      .toBe(2);
    site.faults();
  });

  it("puts labels on a mail, takes them off, and leads to the mails that carry one", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "Invoice 17" }));
    await deliver(service, box, message({ subject: "Something else" }));
    page = await openViewer(site, box);
    await line(page, "Invoice 17").getByRole("link").click();
    await reading(page).getByRole("button", { name: "Add label" }).click();
    await page.getByLabel("New label").fill("to pay");
    await page.keyboard.press("Enter");
    await reading(page).getByRole("link", { name: "to pay" }).click();
    await page.getByText('Found: label:"to pay"').waitFor();
    await expect.poll(() => lines(page as Page).count()).toBe(1);
    await line(page, "Invoice 17").locator(".chip").getByText("to pay").waitFor();
    await page.getByRole("navigation", { name: "Labels" }).getByRole("link", { name: "to pay" }).waitFor();
    await line(page, "Invoice 17").getByRole("link").click();
    await reading(page).getByRole("button", { name: "Remove the label to pay" }).click();
    await reading(page).getByRole("link", { name: "to pay" }).waitFor({ state: "detached" });
    expect(site.faults()).toEqual([]);
  });

  it("shows two labels of a mail in its line, and how many more there are", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const id = await deliver(service, box, message({ subject: "Sorted well" }));
    const add_labels = Array.from({ length: 30 }, (_, index) => `label ${index}`);
    const json = { add_labels };
    expect((await service.ask(`/v1/emails/${id}`, { key: box.api_key, method: "PATCH", json })).status).toBe(
      200,
    );
    page = await openViewer(site, box);
    await line(page, "Sorted well").getByText("+28", { exact: true }).waitFor();
    expect(await line(page, "Sorted well").locator(".chip").count()).toBe(2);
    expect(await line(page, "Sorted well").locator(".subject").isVisible()).toBe(true);
  });

  it("suggests operators of the search, by keyboard and by mouse", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "From the shop", from: "Shop <a@shop.example>" }));
    await deliver(service, box, message({ subject: "From the bank", from: "Bank <a@bank.example>" }));
    page = await openViewer(site, box);
    await line(page, "From the bank").waitFor();
    const search = page.getByRole("combobox", { name: "Search this mailbox" });
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await page.keyboard.press("/");
    expect(await options.count()).toBe(8);
    expect(await search.getAttribute("aria-expanded")).toBe("true");
    await expectAccessible(page);
    await page.keyboard.type("fr");
    expect(await options.count()).toBe(1);
    await page.keyboard.press("ArrowDown");
    expect(await search.getAttribute("aria-activedescendant")).toBe(await options.first().getAttribute("id"));
    await page.keyboard.press("Enter");
    expect(await search.inputValue()).toBe("from:");
    await page.keyboard.type("shop");
    await page.keyboard.press("Enter");
    await expect.poll(() => lines(page as Page).count()).toBe(1);
    await line(page, "From the shop").waitFor();
    await search.fill("bank h");
    await options.getByText("has:attachment", { exact: true }).click();
    expect(await search.inputValue()).toBe("bank has:attachment ");
    await page.keyboard.press("Escape");
    expect(await search.getAttribute("aria-expanded")).toBe("false");
  });

  it("shows what is new in a mail, and what it quotes when it is asked", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const body = "Yes, gladly.\n\nOn Monday Ann wrote:\n> Would you like to come?\n";
    await deliver(service, box, message({ subject: "Re: Party", body }));
    page = await openViewer(site, box);
    await line(page, "Re: Party").getByRole("link").click();
    await reading(page).getByText("Yes, gladly.").waitFor();
    expect(await reading(page).getByText("Would you like to come?").count()).toBe(0);
    await reading(page).getByRole("button", { name: "Show quoted text" }).click();
    await reading(page).getByText("> Would you like to come?").waitFor();
    await reading(page).getByRole("button", { name: "Hide quoted text" }).click();
    expect(await reading(page).getByText("Would you like to come?").count()).toBe(0);
  });

  it("leads to lists and screens, writes and deletes by single keys", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const id = await deliver(service, box, message({ subject: "Short-lived" }));
    page = await openViewer(site, box);
    await line(page, "Short-lived").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByText("No mail was sent from this mailbox yet.").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await reading(page).getByRole("heading", { name: "Keys", exact: true }).waitFor();
    await page.keyboard.press("c");
    await reading(page).getByRole("heading", { name: "New mail" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await line(page, "Short-lived").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("#");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await service.call(`/v1/emails/${id}`, { key: box.api_key })).status).toBe(200);
    await page.keyboard.press("e");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No mail yet").waitFor();
    expect((await service.call(`/v1/emails/${id}`, { key: box.api_key })).status).toBe(404);
    expect(site.faults()).toEqual([]);
  });

  it("erases a mail after the reader confirms", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const id = await deliver(service, box, message({ subject: "Away with it" }));
    page = await openViewer(site, box);
    await line(page, "Away with it").getByRole("link").click();
    await reading(page).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await service.call(`/v1/emails/${id}`, { key: box.api_key })).status).toBe(200);
    await reading(page).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No mail yet").waitFor();
    expect((await service.call(`/v1/emails/${id}`, { key: box.api_key })).status).toBe(404);
  });

  it("needs under 48 KB, all of which the page itself names, and what is loaded later under 16 KB each", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    await deliver(service, box, message({ subject: "Hello" }));
    page = await (await site.reader()).newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const bytes = await bytesToLoad(page, "/mailbox");
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(48_000);
    const html = await (await page.request.get("/mailbox")).text();
    for (const path of asked.slice(1)) expect(html).toContain(path);
    const later = [...html.matchAll(/data-(?:html|screens|write)="([^"]+)"/g)].map(([, path = ""]) => path);
    expect(later).toHaveLength(3);
    for (const path of later) {
      expect(asked).not.toContain(path);
      expect(gzipSync(await (await page.request.get(path)).body()).byteLength).toBeLessThan(16_000);
    }
    await signIn(page, box.api_key);
    // With a key in the tab everything that the first view needs is asked for at once: no answer is waited for.
    const answered: string[] = [];
    asked.length = 0;
    let release = (): void => {};
    const all = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/v1/**", async (route) => {
      answered.push(new URL(route.request().url()).pathname);
      await all;
      await route.continue();
    });
    await page.reload();
    await expect
      .poll(() => answered.toSorted())
      .toEqual(["/v1/events", "/v1/inbox", "/v1/mailbox/seen", "/v1/me"]);
    release();
    await line(page, "Hello").waitFor();
  });
});
