import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstMinute, mcpHosts } from "../../src/contract/first-minute.ts";
import { bytesToLoad, expectLegible, keepScreen, NO_BROWSER, Site } from "./browser.ts";

/** The name of the focused element: where a link leads, or what a reader hears. */
const FOCUSED = `(({ activeElement: one }) =>
  one.getAttribute("href") ?? one.getAttribute("aria-label") ?? (one.id || one.textContent))(document)`;

/** The words of an element that a browser shows in more than one line, although a line has room for them. */
const BROKEN = `(selector) => {
  const shown = document.querySelector(selector);
  const { paddingLeft, paddingRight } = getComputedStyle(shown);
  const room = shown.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const range = document.createRange();
  const texts = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\S+/g)) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const lines = [...range.getClientRects()];
      const width = lines.reduce((sum, line) => sum + line.width, 0);
      if (lines.length > 1 && width <= room) broken.push(word);
    }
  }
  return broken;
}`;

/** The text of an element as a reader who selects it copies it. */
const SELECTED = `(selector) => {
  getSelection().selectAllChildren(document.querySelector(selector));
  return getSelection().toString();
}`;

/** Beyond everything that a page waits for while it loads. */
const HOUR_MS = 3_600_000;

describe.skipIf(NO_BROWSER)("the start page", () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.open();
  });
  afterAll(() => site.close());

  it("is legible and links to every page, on a phone, on a desktop and in dark mode", async () => {
    const page = await site.visit("/");
    await expectLegible(page, (shown, isDark) => keepScreen(shown, isDark ? "start-dark" : "start"));
    expect(
      await page.locator("main a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    ).toEqual(["/llms.txt", "/skill.md", "/mailbox", "/operator", "/docs/agents", "/docs"]);
    // With the last examples shown, too.
    await page.locator("#cli > summary").click();
    await page.locator("#vs-code > summary").click();
    await expectLegible(page, () => undefined);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("is linked from the 404 page, which is legible on a phone, on a desktop and in dark mode", async () => {
    const page = await site.visit("/mail-box");
    await expectLegible(page, () => undefined);
    await page.getByRole("link", { name: "Start page" }).click();
    expect(new URL(page.url()).pathname).toBe("/");
    expect(site.faults(/status of 404/)).toEqual([]);
    await page.goto("/mailbox/?x=1#sign-in");
    expect(page.url()).toBe(`${site.url}/mailbox?x=1#sign-in`);
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("can be used by keyboard, and begins with a link that skips the menu", async () => {
    const page = await site.visit("/");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the content" });
    expect(await skip.evaluate((link) => link.matches(":focus-visible"))).toBe(true);
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const reached: string[] = [];
    while (reached.at(-1) !== "/docs" && reached.length < 40) {
      reached.push(await page.evaluate<string>(FOCUSED));
      await page.keyboard.press("Tab");
    }
    const example = (name: string): string[] => [name, `Copy the example for ${name}`, `Example for ${name}`];
    expect(reached).toEqual([
      "code",
      "Continue",
      ...example("curl"),
      "TypeScript",
      "Command line",
      "/llms.txt",
      "/skill.md",
      ...example("Claude Code"),
      "Claude Desktop",
      "Cursor",
      "VS Code",
      "/mailbox",
      "/operator",
      "/docs/agents",
      "/docs",
    ]);
    await page.locator("#cursor > summary").focus();
    await page.keyboard.press("Enter");
    expect(await page.getByLabel("Example for Cursor", { exact: true }).isVisible()).toBe(true);
    await page.context().close();
  });

  it("sends a person with a code to the page of the claim", async () => {
    const page = await site.visit("/");
    await page.getByLabel("Your agent shows you a code?").fill("BCDF-GHJK");
    await page.keyboard.press("Enter");
    await page.getByText("No agent is waiting with this code.").waitFor();
    expect(page.url()).toBe(`${site.url}/claim?code=BCDF-GHJK`);
    expect(site.faults(/status of 404/)).toEqual([]);
    await page.context().close();
  });

  it("shows each example with the address of the deployment and where to paste it, whole without scripts", async () => {
    const page = await site.visit("/", { javaScriptEnabled: false });
    const shown = await page
      .locator("details.paste")
      .evaluateAll((all) =>
        all.map((one) => [
          one.id,
          ...["p", "pre"].map((part) => one.querySelector(part)?.textContent?.trim()),
        ]),
      );
    expect(shown).toEqual(
      [...firstMinute(site.url), ...mcpHosts(site.url)].map(({ id, place, text }) => [
        id,
        place,
        text.trim(),
      ]),
    );
    expect(await page.locator(".paste button").count()).toBe(0);
    await page.context().close();
  });

  it("ends no line of an example within a word, and selects what it would copy", async () => {
    for (const at of ["phone", "desk"] as const) {
      const page = await site.visit("/", { at });
      for (const { id, text } of [...firstMinute(site.url), ...mcpHosts(site.url)]) {
        const example = page.locator(`#${id}`);
        if (!(await example.evaluate((one) => one.hasAttribute("open"))))
          await example.locator("summary").click();
        expect([at, id, await page.evaluate(`(${BROKEN})("#${id} pre")`)]).toEqual([at, id, []]);
        const selected = await page.evaluate<string>(`(${SELECTED})("#${id} pre")`);
        expect(selected.trim()).toBe(text.trim());
      }
      await page.context().close();
    }
  });

  it("copies an example, and says when the browser does not allow it", async () => {
    const context = await site.reader();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    // The button says so for some seconds only: the clock of the page stands still.
    await page.clock.install({ time: 0 });
    await page.goto("/");
    await page.clock.pauseAt(HOUR_MS);
    await page.locator("#vs-code > summary").click();
    const copy = page.getByRole("button", { name: "Copy the example for VS Code" });
    await copy.click();
    await expect.poll(() => copy.textContent()).toBe("Copied");
    const [, , , vsCode] = mcpHosts(site.url);
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(vsCode?.text);
    await context.close();
    const other = await (await site.reader()).newPage();
    await other.clock.install({ time: 0 });
    await other.goto("/");
    await other.clock.pauseAt(HOUR_MS);
    await other.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
    const refused = other.getByRole("button", { name: "Copy the example for curl" });
    await refused.click();
    await expect.poll(() => refused.textContent()).toBe("Not allowed here");
    expect(site.faults()).toEqual([]);
    await other.context().close();
  });

  it("costs under 50 KB altogether", async () => {
    const page = await (await site.reader()).newPage();
    const bytes = await bytesToLoad(page, "/");
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(50_000);
  });
});
