import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  bytesToLoad,
  expectAccessible,
  expectFits,
  expectLegible,
  keepScreen,
  NO_BROWSER,
  Site,
  type Reader,
} from "./browser.ts";

/** A string that must stay text wherever it is shown. */
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
/** Refused pages are shown as such, and told by the browser's console too. */
const REFUSED = /status of (400|403|404|409|429)/;
const FAILED_AFTER = 10;

describe.skipIf(NO_BROWSER)("the operator console", () => {
  let site: Site;
  const boxes = new Map<string, string>();

  beforeAll(async () => {
    site = await Site.open({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } });
    for (let n = 1; n <= 30; n += 1) await make(`agent-${String(n).padStart(2, "0")}`);
    for (const name of ["orders", "paused", "failing", "hostile"]) await make(name);
    await fill();
  }, 300_000);
  afterAll(() => site.close());

  async function make(name: string): Promise<void> {
    const { service } = site.server;
    const made = await service.ask<{ api_key: string }>("/v1/mailboxes", {
      key: service.operator,
      json: { name },
    });
    if (made.status !== 201) throw new Error(`The mailbox was not made: ${JSON.stringify(made.body)}`);
    boxes.set(name, made.body.api_key);
  }

  async function api(name: string, path: string, json: unknown, method = "POST"): Promise<void> {
    const { status, body } = await site.server.service.ask(path, { key: boxes.get(name), method, json });
    if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  }

  async function fill(): Promise<void> {
    const dead = { webhook_url: "http://127.0.0.1:1/hook" };
    await api("failing", "/v1/mailbox", dead, "PATCH");
    for (let n = 0; n < FAILED_AFTER; n += 1) {
      const to = encodeURIComponent("failing@mailkeep.test");
      await site.server.service.call(`/v1/inbound?to=${to}&from=a%40example.com`, {
        key: site.server.token,
        headers: { "Content-Type": "message/rfc822" },
        body: `From: a@example.com\r\nMessage-ID: <${n}@example.com>\r\nSubject: ${n}\r\n\r\nHello.\r\n`,
      });
    }
    await api("paused", "/v1/mailbox/pause", { reason: HOSTILE }, "PATCH");
    const text = "Your order 4711 is on its way.";
    const to = ["customer@shop.example", "warehouse@partner.example"];
    await api("orders", "/v1/send?wait=5", { to, subject: "Your order is on its way", text });
    await api("orders", "/v1/send?wait=5", { to: "ann@example.com", subject: "A second message", text });
    await api("hostile", "/v1/mailbox", { display_name: HOSTILE }, "PATCH");
    await api("hostile", "/v1/send?wait=5", { to: "x@example.com", subject: HOSTILE, text: HOSTILE });
  }

  async function signIn(page: Page, key = site.server.token): Promise<void> {
    await page.getByLabel("Operator key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  /** A reader who is signed in, at `place`. */
  async function operator(place: string, reader: Reader = {}): Promise<Page> {
    const page = await site.visit(place, reader);
    await signIn(page);
    return page;
  }

  /** Waits for the script of the first page to keep the session for addresses that do not tell of it. */
  async function untilStored(page: Page): Promise<void> {
    // Not `waitForFunction`: it polls by `eval`, which the Content-Security-Policy of the page forbids.
    await expect.poll(() => page.evaluate("localStorage.length")).toBe(1);
  }

  /** Opens a page of the console in the session that `page` is in. */
  async function go(page: Page, place: string): Promise<void> {
    await page.goto(inSession(page, place));
  }

  /** Fails when the page is not legible on a phone, on a desktop, or in dark mode. */
  function expectGood(page: Page, screen: string): Promise<void> {
    return expectLegible(page, (shown, isDark) => keepScreen(shown, isDark ? `${screen}-dark` : screen));
  }

  /** Reloads until the page says so: the directory hears of changes a second later. */
  async function eventually(page: Page, text: string): Promise<void> {
    await expect
      .poll(
        async () => {
          await page.reload();
          return page.locator("main").innerText();
        },
        { timeout: 90_000, interval: 500 },
      )
      .toContain(text);
  }

  it("asks for the key, legibly, on a phone, on a desktop and in dark mode", async () => {
    const page = await site.visit("/operator");
    await expectGood(page, "operator-sign-in");
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("plots what came, with numbers for everybody, and leads to findings and refusals", async () => {
    const { service } = site.server;
    const finding = {
      id: "dns.mx",
      level: "broken",
      title: HOSTILE,
      cost: "No mail arrives",
      fix: "Add an MX record",
    };
    const report = { key: service.operator, method: "PUT", json: { version: 1, findings: [finding] } };
    expect((await service.ask("/v1/doctor", report)).status).toBe(200);
    await service.call("/v1/inbound?to=nobody%40mailkeep.test", {
      key: service.operator,
      method: "POST",
      body: "From: a@example.com\r\n\r\nHello.\r\n",
    });
    const page = await operator("/operator");
    const main = page.locator("main");
    await expect.poll(() => main.innerText()).toMatch(/\d+ messages stored/);
    expect(await page.locator("svg[role=img] rect").count()).toBeGreaterThan(0);
    const plot = page.getByRole("figure").filter({ hasText: "Mail received" });
    await plot.getByText("Numbers").click();
    expect(await plot.getByRole("row").count()).toBeGreaterThan(1);
    await expectGood(page, "operator-overview");
    await page.getByRole("link", { name: "30 days" }).click();
    expect(await main.innerText()).toMatch(/\d+ messages stored/);
    await page.getByRole("link", { name: HOSTILE }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Doctor");
    expect(await main.innerText()).toContain(HOSTILE);
    expect(await page.getByRole("button", { name: "Copy it" }).count()).toBe(1);
    await expectGood(page, "operator-doctor");
    await page.getByRole("link", { name: "Refusals" }).click();
    expect(await page.getByRole("row", { name: /not_found http \d+/ }).count()).toBe(1);
    await expectGood(page, "operator-refusals");
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("shows in a row of the table what the mailbox holds", async () => {
    const page = await operator("/operator/mailboxes?q=failing");
    await eventually(page, "1 of 1");
    const names = await page.getByRole("columnheader").allInnerTexts();
    const [row] = await page.locator("tbody tr").all();
    const cells = (await row?.locator("th, td").allInnerTexts()) ?? [];
    const shown = Object.fromEntries(names.map((name, index) => [name, cells[index]]));
    const { body } = await site.server.service.ask<{ total_emails: number; storage_bytes: number }>(
      "/v1/stats",
      {
        key: boxes.get("failing"),
      },
    );
    expect(shown).toMatchObject({
      Address: "failing@mailkeep.test",
      Kind: "permanent",
      State: "active",
      Mails: String(FAILED_AFTER),
      "Last activity (UTC)": expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/),
      "Failing webhooks": "1 of 1",
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(body.total_emails).toBe(FAILED_AFTER);
    expect(shown["Storage"]).toBe(`${body.storage_bytes} bytes`);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("sorts the table by the columns that say so", async () => {
    const page = await operator("/operator/mailboxes?q=agent");
    const first = () => page.locator("tbody tr").first().getByRole("rowheader").innerText();
    expect(await page.getByRole("columnheader").getByRole("link").allInnerTexts()).toEqual([
      "Address",
      "Created",
    ]);
    expect(await first()).toBe("agent-01@mailkeep.test");
    await page.getByRole("link", { name: "Address" }).click();
    expect(await first()).toBe("agent-30@mailkeep.test");
    await page.getByRole("link", { name: "Next page" }).click();
    expect(await first()).toBe("agent-05@mailkeep.test");
    await page.getByRole("link", { name: "Created" }).click();
    expect(await first()).toBe("agent-01@mailkeep.test");
    expect(await page.locator("th[aria-sort=ascending]").innerText()).toBe("Created");
    // The search keeps the order.
    await page.getByLabel("Part of the address").fill("agent-2");
    await page.getByRole("button", { name: "Search" }).click();
    expect(await page.locator("th[aria-sort=ascending]").innerText()).toBe("Created");
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("acts on a mailbox from its row, by keyboard, on a telephone too", async () => {
    for (const at of ["desk", "phone"] as const) {
      const page = await operator("/operator/mailboxes?q=agent-12", { at });
      await page.waitForLoadState();
      await expectFits(page);
      await tabTo(page, "New key");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Save the key now" }).waitFor();
      const key = await page.locator("[data-copy]").innerText();
      expect((await site.server.service.ask("/v1/inbox", { key })).status).toBe(200);
      expect(await page.getByRole("button", { name: "Copy the key" }).isVisible()).toBe(true);
      await expectGood(page, "operator-key");

      await go(page, "/operator/mailboxes?q=agent-12");
      await tabTo(page, "Pause");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "agent-12@mailkeep.test" }).waitFor();
      await tabTo(page, "Reason (optional)");
      await page.keyboard.press("Enter");
      await page.getByText("The mailbox is paused.").waitFor();
      await go(page, "/operator/mailboxes?q=agent-12");
      expect(await page.locator("tbody tr").getByText("paused", { exact: true }).count()).toBe(1);
      await tabTo(page, "Resume");
      await page.keyboard.press("Enter");
      await page.getByText("The mailbox is active again.").waitFor();
      await page.context().close();
    }
    expect(site.faults()).toEqual([]);
  });

  it("opens a mailbox in the viewer, and the next one with the same key", async () => {
    const page = await operator("/operator/mailboxes?q=failing");
    const base = page.url();
    await page.getByRole("link", { name: "failing@mailkeep.test in the viewer" }).click();
    await expect
      .poll(() => page.getByLabel("Mailbox", { exact: true }).inputValue())
      .toBe("failing@mailkeep.test");
    await page.getByLabel("Key", { exact: true }).fill(site.server.token);
    await page.getByRole("button", { name: "Open the mailbox" }).click();
    await page.locator(".whose").getByText("failing@mailkeep.test").waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.goto(base.replace("failing", "orders"));
    await page.getByRole("link", { name: "orders@mailkeep.test in the viewer" }).click();
    await page.locator(".whose").getByText("orders@mailkeep.test").waitFor();
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("says first what needs attention, and leads to it", async () => {
    const page = await operator("/operator");
    await eventually(page, "1 mailbox has failing webhooks");
    await page.getByRole("link", { name: /failing webhooks/ }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Failing webhooks");
    await page.getByRole("link", { name: "Halted" }).click();
    expect(await page.getByRole("row", { name: /paused@mailkeep\.test/ }).innerText()).toContain(HOSTILE);
    await expectGood(page, "operator-halted");
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("halts all sending and resumes it by keyboard, on a telephone too", async () => {
    for (const at of ["desk", "phone"] as const) {
      const page = await operator("/operator/halted", { at });
      await page.waitForLoadState();
      await expectFits(page);
      await tabTo(page, "Reason (optional)");
      await page.keyboard.type("A key leaked.");
      // Without the confirmation the browser sends nothing, and leads to it.
      await page.keyboard.press("Enter");
      const confirmed = page.getByLabel("Halt the sending of all mailboxes");
      await expect.poll(() => confirmed.evaluate((box) => box.matches(":focus"))).toBe(true);
      await page.keyboard.press("Space");
      await tabTo(page, "Halt all sending");
      await page.keyboard.press("Enter");
      await page.getByText("Reason: A key leaked.").waitFor();
      await expectGood(page, "operator-all-halted");
      await api("orders", "/v1/send", { to: "agent-01@mailkeep.test", subject: "Held", text: "Held." });
      await go(page, "/operator");
      const [first] = await page.locator(".attention > li").allInnerTexts();
      expect(first).toContain("All sending is halted");
      await tabTo(page, "All sending is halted");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Halted" }).waitFor();
      await page.waitForLoadState();
      await tabTo(page, "Send everything that waits");
      await page.keyboard.press("Space");
      await tabTo(page, "Resume all sending");
      await page.keyboard.press("Enter");
      await page.getByText("Sending is resumed.").waitFor();
      await page.context().close();
    }
    expect(site.faults()).toEqual([]);
  });

  it("explains that a key is wrong, and opens the requested page with the right one", async () => {
    const page = await site.visit("/operator/settings");
    await signIn(page, boxes.get("orders"));
    expect(await page.getByRole("alert").innerText()).toContain("not the operator key");
    await expectAccessible(page);
    await signIn(page);
    expect(new URL(page.url()).pathname).toMatch(/^\/operator\/[0-9a-f]{64}\/settings$/);
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(site.faults(REFUSED)).toEqual([]);
    await page.context().close();
  });

  it("lists mailboxes by the page and finds one, on a phone, on a desktop and in dark mode", async () => {
    const page = await operator("/operator/mailboxes");
    expect(await page.locator("tbody tr").count()).toBe(25);
    await expectGood(page, "operator-mailboxes");
    await page.getByRole("link", { name: "Next page" }).click();
    expect(await page.locator("tbody tr").count()).toBe(9);
    await page.getByLabel("Part of the address").fill("T-07");
    await page.getByRole("button", { name: "Search" }).click();
    expect(await page.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringContaining("agent-07@mailkeep.test"),
    ]);
    await page.getByLabel("Part of the address").fill("nobody-has-this");
    await page.getByRole("button", { name: "Search" }).click();
    await expectGood(page, "operator-nothing-found");
    await page.getByRole("link", { name: "Show all mailboxes" }).click();
    expect(await page.locator("tbody tr").count()).toBe(25);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("creates a mailbox and shows its key once, on a phone, on a desktop and in dark mode", async () => {
    const page = await operator("/operator/mailboxes/new");
    await expectGood(page, "operator-create");
    await page.getByLabel("Name").fill("postmaster");
    await page.getByRole("button", { name: "Create" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("reserved");
    await expectAccessible(page);
    const name = `made-${Math.random().toString(36).slice(2, 8)}`;
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create" }).click();
    const key = await page.locator("[data-copy]").innerText();
    expect(key).toMatch(/^mk_[0-9a-f]{64}$/);
    expect(await page.getByRole("button", { name: "Copy the key" }).isVisible()).toBe(true);
    await expectGood(page, "operator-created");
    const { status } = await site.server.service.ask("/v1/inbox", { key });
    expect(status).toBe(200);
    await page.getByRole("link", { name: "Open the mailbox" }).click();
    expect(await page.content()).not.toContain(key);
    expect(site.faults(REFUSED)).toEqual([]);
    await page.context().close();
  });

  it("pauses, resumes and erases a mailbox, on a phone, on a desktop and in dark mode", async () => {
    const name = `life-${Math.random().toString(36).slice(2, 8)}`;
    await make(name);
    const address = `${name}@mailkeep.test`;
    const page = await operator(`/operator/mailboxes/${encodeURIComponent(address)}`);
    await expectGood(page, "operator-mailbox");
    await page.getByLabel("Reason (optional)").fill("It writes to strangers.");
    await page.getByRole("button", { name: "Pause the mailbox" }).click();
    expect(await page.locator("main").innerText()).toContain("It writes to strangers.");
    expect((await site.server.service.ask("/v1/inbox", { key: boxes.get(name) })).status).toBe(403);
    await expectGood(page, "operator-paused");
    await page.getByRole("button", { name: "Resume the mailbox" }).click();
    expect((await site.server.service.ask("/v1/inbox", { key: boxes.get(name) })).status).toBe(200);

    await page.getByText("Erase this mailbox").click();
    await page.getByLabel(/to confirm/).fill("another@mailkeep.test");
    await page.getByRole("button", { name: "Erase permanently" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("Nothing was erased");
    await expectGood(page, "operator-erase");
    await page.getByLabel(/to confirm/).fill(address);
    await page.getByRole("button", { name: "Erase permanently" }).click();
    expect(await page.getByRole("status").first().innerText()).toContain("erased");
    expect((await site.server.service.ask("/v1/inbox", { key: boxes.get(name) })).status).toBe(401);
    expect(site.faults(REFUSED)).toEqual([]);
    await page.context().close();
  });

  it("shows unsent messages and their source, on a phone, on a desktop and in dark mode", async () => {
    const page = await operator("/operator/outbox");
    await eventually(page, "Your order is on its way");
    await eventually(page, HOSTILE);
    await expectGood(page, "operator-outbox");
    await page.getByRole("link", { name: /Your order is on its way/ }).click();
    expect(await page.locator("main").innerText()).toContain("warehouse@partner.example");
    expect(await page.getByRole("region").innerText()).toContain("Subject: Your order is on its way");
    await expectGood(page, "operator-kept");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the message" }).click();
    expect((await download).suggestedFilename()).toBe("message.eml");
    await go(page, "/operator/mailboxes?only=kept");
    expect(await page.locator("tbody tr").count()).toBe(2);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("runs nothing that is written in a mail", async () => {
    const page = await operator("/operator/outbox");
    page.on("dialog", () => expect.unreachable("A script ran"));
    await eventually(page, HOSTILE);
    await page.locator("tbody th a", { hasText: "onerror" }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(HOSTILE);
    expect(await page.getByRole("region").innerText()).toContain("<script>");
    for (const name of ["hostile", "paused"]) {
      await go(page, `/operator/mailboxes/${name}%40mailkeep.test`);
      expect(await page.locator("main").innerText()).toContain(HOSTILE);
      expect(await page.locator("main img, main script").count()).toBe(0);
    }
    await go(page, `/operator/mailboxes?q=${encodeURIComponent(HOSTILE)}`);
    expect(await page.locator("main").innerText()).toContain(HOSTILE);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("shows which webhooks fail, on a phone, on a desktop and in dark mode", async () => {
    const page = await operator("/operator/webhooks");
    await eventually(page, "failing@mailkeep.test");
    expect(await page.locator("main").innerText()).toContain("10 deliveries in a row failed");
    expect(await page.locator("main").innerText()).toContain("no connection");
    await expectGood(page, "operator-webhooks");
    await go(page, "/operator/mailboxes?only=failing");
    expect(await page.locator("tbody tr").count()).toBe(1);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("shows how the deployment is set up, and no secret, on a phone, on a desktop and in dark mode", async () => {
    const page = await operator("/operator/settings");
    await expectGood(page, "operator-settings");
    const shown = await page.content();
    expect(shown).toContain("WEBHOOK_SECRET");
    expect(shown).not.toContain(site.server.token);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("can be used by keyboard alone", async () => {
    const page = await site.visit("/operator");
    // The field gets the focus by itself, on a busy machine a moment later.
    await page.locator("input:focus").waitFor();
    await page.keyboard.type(site.server.token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await tabTo(page, "Mailboxes");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Mailboxes" }).waitFor();
    await tabTo(page, "Part of the address");
    await page.keyboard.type("agent-11");
    await page.keyboard.press("Enter");
    await page.getByText("1 mailbox found").waitFor();
    await tabTo(page, "agent-11@mailkeep.test");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "agent-11@mailkeep.test" }).waitFor();
    await tabTo(page, "Reason (optional)");
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.getByText("The mailbox is paused.").waitFor();
    await tabTo(page, "Erase this mailbox");
    await page.keyboard.press("Enter");
    await tabTo(page, "to confirm");
    await page.keyboard.type("agent-11@mailkeep.test");
    await page.keyboard.press("Enter");
    await page.getByText("The mailbox is erased").waitFor();
    const { status } = await site.server.service.ask("/v1/inbox", { key: boxes.get("agent-11") });
    expect(status).toBe(401);
    await page.context().close();
  });

  it("works without scripts", async () => {
    const page = await operator("/operator/mailboxes/new", { javaScriptEnabled: false });
    await page.getByLabel("Name").fill("plain");
    await page.getByRole("button", { name: "Create" }).click();
    expect(await page.locator("[data-copy]").innerText()).toMatch(/^mk_/);
    const parts = ["Webhooks", "Outbox", "Refusals", "Halted", "Doctor", "Settings", "Mailboxes"];
    for (const name of ["Open the mailbox", ...parts, "Address", "Overview", "30 days", "Operator"]) {
      await page.getByRole("link", { name, exact: true }).click();
      expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
    }
    await page.context().close();
  });

  it("stays signed in when a link of another site leads here", async () => {
    const page = await operator("/operator");
    await untilStored(page);
    // Another site of the same server: the cookie is not sent with what it links to.
    await page.goto(`${site.url.replace("127.0.0.1", "localhost")}/`);
    await page.evaluate(`location.href = "${site.url}/operator/settings"`);
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor({ timeout: 5_000 });
    // Who is not is asked for the key, and not led in circles.
    await page.context().clearCookies();
    await page.goto(`${site.url.replace("127.0.0.1", "localhost")}/`);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.evaluate(`location.href = "${site.url}/operator/settings"`);
    await expect.poll(() => requests.some((url) => url.endsWith("/operator/session"))).toBe(true);
    await page.waitForTimeout(250);
    expect(requests.filter((url) => url.includes("/sign-in?"))).toHaveLength(1);
    await signIn(page);
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    site.faults();
    await page.context().close();
  });

  it("gives a server on another port of the host a cookie that opens nothing", async () => {
    const page = await operator("/operator/settings");
    await untilStored(page);
    const [, token = "no token"] = /\/operator\/([0-9a-f]{64})/.exec(page.url()) ?? [];
    const heard: IncomingHttpHeaders[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.headers);
      response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Elsewhere</title>");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const places = ["/operator", "/operator/settings", "/operator/mailboxes/orders%40mailkeep.test"];
    await page.evaluate(`location.href = "http://127.0.0.1:${port}/"`);
    await page.waitForURL(`http://127.0.0.1:${port}/`);
    for (const place of places) await page.goto(`http://127.0.0.1:${port}${place}`);
    expect(await page.evaluate("[localStorage.length, document.referrer, document.cookie]")).toEqual([
      0,
      "",
      "",
    ]);

    const Cookie = heard.at(-1)?.cookie ?? "";
    expect(Cookie).toMatch(/^mailkeep_operator=/);
    expect(JSON.stringify(heard)).not.toContain(token);
    for (const place of places) {
      const answer = await fetch(site.url + place, { headers: { Cookie }, redirect: "manual" });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe(`/operator/sign-in?next=${encodeURIComponent(place)}`);
    }
    const told = await fetch(`${site.url}/operator/session`, { headers: { Cookie } });
    expect(await told.json()).toEqual({ signed_in: false, expires_at: null });

    await page.goto(`${site.url}/operator/settings`);
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    site.faults();
    await page.context().close();
  });

  it("asks for the key again after signing out, in every tab", async () => {
    const page = await operator("/operator");
    await untilStored(page);
    const other = await secondTab(page.context());
    await page.getByRole("button", { name: "Sign out" }).click();
    expect(await page.locator("main").innerText()).toContain("You are signed out.");
    await other.getByRole("button", { name: "Pause the mailbox" }).click();
    expect(await other.locator("main").innerText()).toContain("nothing was changed");
    await page.goBack();
    await page.reload();
    expect(await page.getByLabel("Operator key").count()).toBe(1);
    expect(site.faults(REFUSED)).toEqual([]);
    await page.context().close();
  });

  async function secondTab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto("/operator/mailboxes/orders%40mailkeep.test");
    return page;
  }

  it("costs under 50 KB altogether", async () => {
    const page = await operator("/operator");
    const bytes = await bytesToLoad(page, inSession(page, "/operator"));
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(50_000);
    await page.context().close();
  });
});

/** The address of a page of the console in the session of a page that is open. */
function inSession(page: Page, place: string): string {
  const [base = "no session"] = /\/operator\/[0-9a-f]{64}/.exec(page.url()) ?? [];
  return place.replace("/operator", base);
}

const MAX_TABS = 60;

/** Presses Tab until something with this name or text has the focus; fails if nothing comes to have it. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(
      "(document.activeElement.labels?.[0] ?? document.activeElement).textContent",
    );
    if (focused.includes(name)) return;
  }
  expect.unreachable(`Nothing called "${name}" is reached by Tab`);
}
