import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MailboxKey } from "../served/client.ts";
import { message, newMessageId } from "../served/messages.ts";
import { answer, Target } from "../served/target.ts";
import { expectAccessible, expectFits, expectLegible, keepScreen, NO_BROWSER, Site } from "./browser.ts";
import { deliver, htmlMail, line, reading, signIn } from "./viewer-rig.ts";

const NEWSLETTER = `<html><head><style>
  body { background: #f2efe9 } .card { background: #fff; max-width: 560px; margin: 0 auto; padding: 24px; font-family: Georgia, serif }
  h1 { color: #7a3b2e; font-size: 26px } .button { background: #7a3b2e; color: #fff; padding: 10px 18px; text-decoration: none; display: inline-block }
</style></head><body><div class="card"><h1>Your order is on its way</h1>
<p>Hello Ann,</p><p>we handed parcel <b>1Z 999 AA1 01</b> to the carrier this morning. It should be with you on Thursday.</p>
<p><a class="button" href="https://shop.example/track/1Z999AA101">Follow your parcel</a></p>
<img src="https://shop.example/banner.png" alt="A van on a country road" width="480" height="90">
<table width="100%"><tr><td>Two lamps</td><td align="right">€ 84.00</td></tr><tr><td>Postage</td><td align="right">€ 4.90</td></tr></table>
<p><small>Shop Ltd, 1 High Street</small></p></div></body></html>`;

const TRUSTED =
  "Authentication-Results: mx.mailkeep.test; spf=pass smtp.mailfrom=shop.example; dkim=pass header.d=shop.example; dmarc=pass header.from=shop.example";

/** Views of which screens are kept; the others are built of the same parts. */
const KEPT: ReadonlySet<string> = new Set([
  "sign-in",
  "inbox",
  "code",
  "html",
  "thread",
  "sent",
  "compose",
  "settings",
]);
/** Of the others the dark ones differ in nothing but the colours. */
const KEPT_IN_THE_DARK: ReadonlySet<string> = new Set(["inbox", "html"]);

describe.skipIf(NO_BROWSER)("the viewer's looks", () => {
  let site: Site;
  let target: Target;
  let box: MailboxKey;
  beforeAll(async () => {
    const env = { AUTHSERV_ID: "mx.mailkeep.test", ALLOW_PRIVATE_WEBHOOKS: "true" };
    [site, target] = await Promise.all([Site.open({ env }), Target.start()]);
    box = await fill();
  });
  afterAll(async () => {
    await site.close();
    await target.stop();
  });

  /** A mailbox as one looks after some days. */
  async function fill(): Promise<MailboxKey> {
    const { service, token } = site.server;
    const made = await service.ask<MailboxKey>("/v1/mailboxes", {
      key: token,
      json: { name: "travel-desk" },
    });
    const { body: own } = made;
    const url = target.plan(
      "/hook",
      answer(200, "ok"),
      answer(503, "Busy, come back later"),
      answer(200, "ok"),
    );
    await service.ask("/v1/mailbox", {
      key: own.api_key,
      method: "PATCH",
      json: { webhook_url: url, display_name: "Travel Desk" },
    });
    const lunch = newMessageId();
    await deliver(
      service,
      own,
      message({
        subject: "Lunch on Friday?",
        from: "Bob Baker <bob@baker.example>",
        messageId: lunch,
        body: "Would one o'clock suit you? The place at the corner, https://corner.example/menu, has a table.\n\nBob\n",
      }),
    );
    await deliver(
      service,
      own,
      message({
        subject: "The report you asked for",
        from: "Carla Núñez <carla@reports.example>",
        headers: ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=p"],
        body: [
          "--p",
          "Content-Type: text/plain; charset=utf-8",
          "",
          "Here are the numbers of the third quarter, and the table they come from.",
          "--p",
          "Content-Type: application/pdf",
          'Content-Disposition: attachment; filename="Report Q3.pdf"',
          "Content-Transfer-Encoding: base64",
          "",
          Buffer.alloc(48_000, 7).toString("base64"),
          "--p",
          "Content-Type: text/csv",
          "Content-Disposition: attachment; filename=table.csv",
          "",
          "a,b,c",
          "--p--",
          "",
        ].join("\n"),
      }),
    );
    await deliver(
      service,
      own,
      htmlMail(NEWSLETTER, {
        subject: "Your order 4711 is on its way",
        from: "Shop <orders@shop.example>",
        headers: [TRUSTED],
      }),
    );
    await deliver(
      service,
      own,
      message({
        subject: "Your verification code",
        from: "Account team <login@bank.example>",
        body: "Your verification code is 482913. It is valid for ten minutes.\n\nIf you did not ask for it, do nothing.\n",
      }),
    );
    await deliver(
      service,
      own,
      message({
        subject: "Please confirm your email address",
        from: "Flights <hello@flights.example>",
        body: "Confirm your email address to finish your booking:\nhttps://flights.example/confirm?token=f2b7c19e84d0a6357e1b\n",
      }),
    );
    await deliver(
      service,
      own,
      message({
        subject: "Re: Lunch on Friday?",
        from: "Bob Baker <bob@baker.example>",
        headers: [`In-Reply-To: ${lunch}`, `References: ${lunch}`],
        body: "One o'clock it is, then.\n",
      }),
    );
    const rules = { mode: "everyone", block: [{ match: "*.ads.example" }] };
    const put = { key: own.api_key, method: "PUT", json: { receive: rules } };
    await service.ask("/v1/mailbox/rules", put);
    await service.handOver(own.mailbox, message({ subject: "Our offers", from: "Ads <a@x.ads.example>" }));
    await service.ask("/v1/send?wait=10", {
      key: own.api_key,
      json: {
        to: [own.mailbox, "Ann <ann@elsewhere.example>"],
        subject: "Itinerary",
        text: "Attached is nothing yet; the tickets follow.\n",
      },
    });
    return own;
  }

  it("is legible and accessible, on a phone, on a desktop and in dark mode", async () => {
    const page = await site.visit("/mailbox", { at: "phone" });
    const look = (name: string): Promise<void> =>
      expectLegible(page, async (shown, isDark) => {
        if (KEPT.has(name) && !isDark) await keepScreen(shown, `viewer-${name}`);
        if (KEPT_IN_THE_DARK.has(name) && isDark) await keepScreen(shown, `viewer-${name}-dark`);
      });
    const list = async (name: string): Promise<void> => {
      const back = reading(page).getByText("Back to the list");
      if (await back.isVisible()) await back.click();
      await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
    };
    const read = async (subject: string): Promise<void> => {
      await line(page, subject).last().getByRole("link").click();
      await reading(page).locator("h2").first().waitFor();
    };
    await look("sign-in");
    await signIn(page, box.api_key);
    await line(page, "Itinerary").waitFor();
    await look("inbox");
    await read("Your verification code");
    await look("code");
    await list("Inbox");
    await read("Your order 4711");
    await page.frameLocator("iframe.mail-frame").getByText("Follow your parcel").waitFor();
    await reading(page).getByText("Sender authentication", { exact: true }).click();
    await look("html");
    await list("Inbox");
    await read("The report you asked for");
    await look("files");
    await list("Inbox");
    await read("Please confirm");
    await look("link");
    await list("Threads");
    await read("Re: Lunch on Friday?");
    await look("thread");
    await list("Sent");
    await read("Itinerary");
    await look("sent");
    await list("Sent");
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("Files").waitFor();
    await look("compose");
    await list("Inbox");
    const screen = async (name: string, text: string): Promise<void> => {
      await page.getByRole("link", { name, exact: true }).click();
      await reading(page).getByText(text, { exact: true }).first().waitFor();
      await look(name.toLowerCase().replace(" ", "-"));
      await list("Inbox");
    };
    await screen("Settings", "Pause the mailbox");
    await screen("Webhooks", "delivered");
    await screen("Rules", "Save the rules");
    await screen("Refused", "Our offers");
    await screen("Label routes", "No label has a route.");
    await screen("Suppressions", "No address is suppressed.");
    await screen("Keys", "Make a key");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await look("keys");
    await page.keyboard.press("Escape");
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("can be used by keyboard alone: each control can be focused, and the focus is visible", async () => {
    const page = await site.visit("/mailbox");
    await page.keyboard.insertText(box.api_key);
    await page.keyboard.press("Enter");
    await line(page, "Itinerary").waitFor();
    const reached = new Set<string>();
    for (let step = 0; step < 70; step += 1) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus-visible");
      if ((await focused.count()) === 0) continue;
      const name = (await focused.textContent()) || (await focused.getAttribute("placeholder")) || "";
      reached.add(name.trim());
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
    }
    for (const name of [
      "Copy",
      "Compose",
      "Rules",
      "Settings",
      "Sign out",
      "Inbox",
      "Sent",
      "Threads",
      "Search",
      "Keyboard",
    ]) {
      expect([...reached].some((one) => one.startsWith(name))).toBe(true);
    }
    expect([...reached].filter((name) => name.includes("Lunch on Friday?"))).toHaveLength(2);
    await page.context().close();
  });

  it("names the key that leads to the search where there are keys", async () => {
    for (const at of ["desk", "phone"] as const) {
      const page = await site.visit("/mailbox", { at });
      await signIn(page, box.api_key);
      const search = page.getByRole("combobox", { name: "Search this mailbox" });
      const key = page.locator(".search > kbd");
      expect(await key.isVisible()).toBe(at === "desk");
      await search.fill("from:");
      expect(await key.isVisible()).toBe(false);
      await page.context().close();
    }
  });

  it("fits windows of every width, and a page that is enlarged twice", async () => {
    const page = await site.visit(`/mailbox`);
    await signIn(page, box.api_key);
    await line(page, "Your order 4711").getByRole("link").click();
    await page.frameLocator("iframe.mail-frame").getByText("Follow your parcel").waitFor();
    // A window of 1280 by 800 pixels has half of both when its page is enlarged twice.
    for (const [width, height] of [
      [768, 1024],
      [1920, 1080],
      [640, 400],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expectFits(page);
      await expectAccessible(page);
    }
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("marks new and chosen mails by more than colour", async () => {
    const page: Page = await site.visit("/mailbox");
    await signIn(page, box.api_key);
    await line(page, "Itinerary").waitFor();
    await deliver(site.server.service, box, message({ subject: "Fresh" }));
    const link = line(page, "Fresh").getByRole("link");
    await link.getByText("New:").waitFor({ state: "attached" });
    await link.click();
    await reading(page).getByRole("heading", { name: "Fresh" }).waitFor();
    expect(await link.getAttribute("aria-current")).toBe("true");
    expect(await link.getByText("New:").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Fresh");
    await page.context().close();
  });
});
