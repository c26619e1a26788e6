import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { PolledClaim, StartedClaim } from "../../src/contract/claim.ts";
import { expectAccessible, expectFits, expectLegible, keepScreen, NO_BROWSER, Site } from "./browser.ts";

/** Lines of a browser's console about answers that the page shows to its reader. */
const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;

const OPEN = { TRUST_CLIENT_ADDRESS: "true", CLAIM_APPROVAL: "open" };

/** The site that the tests use now. */
let site: Site;
/** A site whose claims live as shortly as a deployment can set, and one that has begun there: it expires meanwhile. */
let brief: { site: Site; claim: StartedClaim; page: Page };
let asked = 0;

/** A claim by an agent at an address of its own. */
async function start(headers: Record<string, string> = {}, at = site): Promise<StartedClaim> {
  asked += 1;
  const from = { "CF-Connecting-IP": `198.51.100.${asked}`, "User-Agent": "hermes-agent/2.1 (linux)" };
  const json = { name: `box-${asked}-${Math.random().toString(36).slice(2, 8)}` };
  const told = await at.server.service.ask<StartedClaim>("/v1/claim/start", {
    method: "POST",
    json,
    headers: { ...from, ...headers },
  });
  expect(told.status).toBe(201);
  return told.body;
}

async function poll(claim: StartedClaim): Promise<PolledClaim> {
  const path = `/v1/claim/poll?session=${claim.session_id}`;
  return (await site.server.service.ask<PolledClaim>(path)).body;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page) => page.getByRole("heading", { level: 1 });

beforeAll(async () => {
  if (NO_BROWSER) return;
  const [open, short] = await Promise.all([
    Site.open({ env: OPEN }),
    Site.open({ env: { ...OPEN, CLAIM_TTL_SECONDS: "30" } }),
  ]);
  site = open;
  const claim = await start({}, short);
  const page = await (await short.reader()).newPage();
  await page.setExtraHTTPHeaders({ "CF-Connecting-IP": "198.51.100.252" });
  await page.goto(new URL(claim.verification_uri_complete, short.url).href);
  await button(page, "Approve").waitFor();
  brief = { site: short, claim, page };
});

describe.skipIf(NO_BROWSER)("the page of a claim", () => {
  afterEach(() => site.assertQuiet(REFUSED));

  it("shows who asks for what, legibly on a phone, on a desktop and in dark mode", async () => {
    const claim = await start();
    const page = await site.visit(claim.verification_uri_complete);
    const text = await page.locator("main").innerText();
    expect(text).toContain(claim.mailbox);
    expect(text).toContain(claim.device_code);
    expect(text).toContain(`198.51.100.${asked}`);
    expect(text).toContain("hermes-agent/2.1 (linux)");
    // The safe choice is the first one, and the one that stands out.
    expect(await page.locator("#buttons > button").allInnerTexts()).toEqual(["Deny", "Approve"]);
    expect(await page.locator("#buttons > .primary").allInnerTexts()).toEqual(["Deny"]);
    expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    await expectLegible(page, (shown, isDark) => keepScreen(shown, isDark ? "claim-dark" : "claim"));
    await page.context().close();
  });

  it("approves a claim; only the agent gets the key", async () => {
    const claim = await start();
    const page = await site.visit(claim.verification_uri_complete);
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => bodies.push(response.text().catch(() => "")));
    await button(page, "Approve").click();
    await page.getByText("is your agent's mailbox now").waitFor();
    expect(await heading(page).innerText()).toBe("Approved");
    await expectAccessible(page);
    await keepScreen(page, "claim-approved");
    const polled = await poll(claim);
    expect(polled).toMatchObject({ status: "complete", mailbox: claim.mailbox });
    const heard = (await Promise.all(bodies)).join();
    expect(heard).toContain(claim.mailbox);
    expect(heard).not.toContain(polled.api_key);
    const me = await site.server.service.get<{ scope: string }>("/v1/me", polled.api_key ?? "");
    expect(me.scope).toBe("mailbox");
  });

  it("denies a claim; the agent is told", async () => {
    const claim = await start();
    const page = await site.visit(claim.verification_uri_complete);
    await button(page, "Deny").click();
    await page.getByText("Nobody gets").waitFor();
    await keepScreen(page, "claim-denied");
    expect(await poll(claim)).toEqual({ status: "denied" });
  });

  it("decides nothing by being opened, reloaded or entered", async () => {
    const claim = await start();
    const page = await site.visit(claim.verification_uri_complete);
    await page.reload();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    expect(await heading(page).innerText()).toBe("An agent asks for a mailbox");
    expect((await poll(claim)).status).toBe("pending");
    expect(await page.locator("[type=submit]").count()).toBe(0);
  });

  it("is decided by keyboard alone", async () => {
    const claim = await start();
    const page = await site.visit(claim.verification_uri_complete);
    const isAt = (name: string) => button(page, name).evaluate((one) => one.matches(":focus-visible"));
    for (let pressed = 0; pressed < 20 && !(await isAt("Approve")); pressed += 1) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByText("is your agent's mailbox now").waitFor();
    expect(await poll(claim)).toMatchObject({ status: "complete" });
  });

  it("tells the person and the agent of the second claim for one name that the name is taken", async () => {
    const name = `wanted-${Math.random().toString(36).slice(2, 8)}`;
    const same = await Promise.all(
      [1, 2].map(async () => {
        const told = await site.server.service.ask<StartedClaim>("/v1/claim/start", {
          method: "POST",
          json: { name },
          headers: { "CF-Connecting-IP": "198.51.100.250" },
        });
        return told.body;
      }),
    );
    const page = await site.visit("/");
    for (const claim of same) {
      await page.goto(claim.verification_uri_complete);
      await button(page, "Approve").click();
      await page.getByText("You can close this page").waitFor();
    }
    expect(await heading(page).innerText()).toBe("Taken");
    await keepScreen(page, "claim-taken");
    expect(await poll(same[0] as StartedClaim)).toMatchObject({ status: "complete" });
    expect(await poll(same[1] as StartedClaim)).toMatchObject({
      status: "denied",
      error: expect.stringContaining("is taken") as string,
    });
  });

  it("accepts the link of another service's client, and keeps its session out of the address bar", async () => {
    const claim = await start();
    const page = await site.visit(`/?session=${claim.session_id}&claim=${claim.name}&source=cli`);
    expect(page.url()).toBe(claim.verification_uri_complete);
    expect(await page.content()).not.toContain(claim.session_id);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain(claim.session_id);
  });
});

describe.skipIf(NO_BROWSER)("a claim with hostile texts", () => {
  let elsewhere: HttpServer;
  beforeAll(async () => {
    elsewhere = createServer((_, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<iframe name="framed"></iframe>`);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    elsewhere.close();
    await site.close();
  });

  it("is shown as text, and runs, loads and sends nothing", async () => {
    const hostile = `<script>window.pwned=1</script><img src=https://evil.example/x onerror=window.pwned=1>"><base href=//evil.example>`;
    const claim = await start({ "User-Agent": hostile });
    const page = await site.visit(claim.verification_uri_complete, { at: "phone" });
    expect(await page.locator("main").innerText()).toContain(hostile.slice(0, 80));
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await page.locator("main img, main script, base").count()).toBe(0);
    await expectFits(page);
    await keepScreen(page, "claim-hostile");
    expect(site.faults()).toEqual([]);
  });

  it("cannot frame the page", async () => {
    const claim = await start();
    const { port } = elsewhere.address() as AddressInfo;
    const page = await (await site.reader()).newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.evaluate(`frames.framed.location = ${JSON.stringify(claim.verification_uri_complete)}`);
    await expect
      .poll(() => site.faults().join(), { timeout: 10_000 })
      .toMatch(/frame-ancestors|X-Frame-Options/i);
    // Chromium shows this in the place of a page that it refuses to show.
    await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
    expect((await poll(claim)).status).toBe("pending");
  });
});

describe.skipIf(NO_BROWSER)("a typed code", () => {
  beforeAll(() => {
    site = brief.site;
  });
  afterAll(() => site.close());
  afterEach(() => site.assertQuiet(REFUSED));

  it("leads to the claim in any spelling: with spaces, without the hyphen, in lower case", async () => {
    const claim = await start();
    const page = await site.visit("/claim");
    await expectAccessible(page);
    await expectFits(page);
    await keepScreen(page, "claim-code");
    await page.getByLabel("Code of your agent").fill(claim.device_code.toLowerCase().replace("-", " "));
    await page.keyboard.press("Enter");
    await page.getByText(claim.mailbox).waitFor();
    expect(page.url()).toContain("/claim?code=");
  });

  it("that is wrong shows an error beside the field; after five wrong ones no code is accepted", async () => {
    const claim = await start();
    const page = await site.visit("/claim", { at: "phone" });
    for (let tries = 0; tries < 5; tries += 1) {
      await page.getByLabel("Code of your agent").fill(`BCDF-GHJ${"KLMNP".charAt(tries)}`);
      await button(page, "Continue").click();
      await page.getByText("No agent is waiting with this code").waitFor();
    }
    await expectAccessible(page);
    await expectFits(page);
    await keepScreen(page, "claim-wrong-code");
    await page.goto(`/claim?code=${claim.device_code}`);
    await page.getByText("Too many wrong codes").waitFor();
    expect(await page.content()).not.toContain(claim.mailbox);
    // The link leads there all the same.
    await page.goto(claim.verification_uri_complete);
    await page.getByText(claim.mailbox).waitFor();
  });

  it("that contains markup is shown as text", async () => {
    const page = await (await site.reader()).newPage();
    await page.setExtraHTTPHeaders({ "CF-Connecting-IP": "198.51.100.251" });
    const hostile = `"><img src=x onerror=window.pwned=1><script>window.pwned=1</script>`;
    await page.goto(`/claim?code=${encodeURIComponent(hostile)}`);
    expect(await page.getByLabel("Code of your agent").inputValue()).toBe(hostile.slice(0, 64));
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  it("that comes too late is reported as expired", async () => {
    const { claim, page } = brief;
    await expect
      .poll(async () => (await poll(claim)).status, { timeout: 60_000, interval: 2_100 })
      .toBe("expired");
    await button(page, "Approve").click();
    await page.getByText("in time").waitFor();
    expect(await heading(page).innerText()).toBe("Expired");
    await keepScreen(page, "claim-expired");
    expect(await poll(claim)).toEqual({ status: "expired" });
  });
});

describe.skipIf(NO_BROWSER)("a deployment whose operator approves", () => {
  beforeAll(async () => {
    site = await Site.open({ env: { TRUST_CLIENT_ADDRESS: "true", CLAIM_APPROVAL: "operator" } });
  });
  afterAll(() => site.close());

  it("shows the claim, and lets only the signed-in operator decide", async () => {
    const claim = await start();
    const page = await site.visit(claim.verification_uri_complete, { at: "phone" });
    await page.getByText(claim.mailbox).waitFor();
    expect(await button(page, "Approve").isVisible()).toBe(false);
    await expectAccessible(page);
    await expectFits(page);
    await keepScreen(page, "claim-sign-in");

    await page.getByLabel("Operator key").fill("not the key of anybody at all, not at all");
    await button(page, "Sign in").click();
    await page.getByText("This is not the operator's key.").waitFor();
    await page.getByLabel("Operator key").fill(site.server.token);
    await page.keyboard.press("Enter");
    await button(page, "Approve").click();
    await page.getByText("is your agent's mailbox now").waitFor();

    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(cookie?.value).not.toContain(site.server.token);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(await poll(claim)).toMatchObject({ status: "complete" });
    expect(site.faults(REFUSED)).toEqual([]);
  });

  it("remembers its signed-in operator on the next claim", async () => {
    const context = await site.reader();
    const page = await context.newPage();
    await page.goto((await start()).verification_uri_complete);
    await page.getByLabel("Operator key").fill(site.server.token);
    await page.keyboard.press("Enter");
    await button(page, "Deny").waitFor();
    const next = await context.newPage();
    await next.goto((await start()).verification_uri_complete);
    await button(next, "Approve").waitFor();
    expect(await next.getByLabel("Operator key").isVisible()).toBe(false);
    expect(site.faults()).toEqual([]);
  });

  it("accepts a code from its operator after a stranger typed five wrong ones", async () => {
    const claim = await start();
    const page = await (await site.reader()).newPage();
    await page.setExtraHTTPHeaders({ "CF-Connecting-IP": "198.51.100.253" });
    for (let tries = 0; tries < 5; tries += 1)
      await page.goto(`/claim?code=BCDF-GHJ${"KLMNP".charAt(tries)}`);
    await page.goto(`/claim?code=${claim.device_code}`);
    await expectAccessible(page);
    await page.getByRole("link", { name: "go on as the operator" }).click();
    await page.getByLabel("Operator key").fill(site.server.token);
    await page.keyboard.press("Enter");
    await button(page, "Approve").click();
    await page.getByText("is your agent's mailbox now").waitFor();
    expect(await poll(claim)).toMatchObject({ status: "complete" });
    expect(site.faults(REFUSED)).toEqual([]);
  });
});
