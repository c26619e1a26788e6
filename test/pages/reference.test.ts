import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToLoad, expectLegible, keepScreen, NO_BROWSER, Site } from "./browser.ts";
import { bareEnvironment } from "../served/server.ts";

const run = promisify(execFile);

/** One operation as the page shows it. */
interface Entry {
  id: string;
  access: string;
  curl: string;
  typeScript: string;
}

describe.skipIf(NO_BROWSER)("the reference of the API", () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.open();
  });
  afterAll(() => site.close());

  const operation = (page: Page, id: string) => page.locator(`details.operation#${id}`);

  it("is legible with operations folded and unfolded, on a phone, on a desktop and in dark mode", async () => {
    const page = await site.visit("/docs");
    await keepScreen(page, "reference", false);
    await page.emulateMedia({ colorScheme: "dark" });
    await keepScreen(page, "reference-dark", false);
    await page.emulateMedia({ colorScheme: "light" });
    for (const id of ["extract", "send"]) {
      await page.goto(`/docs#${id}`);
      await operation(page, id).getByRole("button", { name: "Try it" }).click();
    }
    await expectLegible(page, async (shown, isDark) => {
      await operation(page, "send").scrollIntoViewIfNeeded();
      await keepScreen(shown, isDark ? "reference-send-dark" : "reference-send", false);
    });
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("shows every operation and every shape of /openapi.json, and every link in it leads somewhere", async () => {
    const page = await site.visit("/docs", { javaScriptEnabled: false });
    const { body } = await site.server.service.ask<{
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Record<string, unknown> };
    }>("/openapi.json");
    const expected = Object.values(body.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const ids = (selector: string) =>
      page.locator(selector).evaluateAll((entries) => entries.map(({ id }) => id));
    expect(new Set(await ids("details.operation"))).toEqual(new Set(expected));
    const shapes = Object.keys(body.components.schemas).map((name) => `shape-${name}`);
    expect(await ids("details.entry:not(.operation)")).toEqual(shapes);
    const links = await page
      .locator("main a[href^='#']")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    const every = new Set(await ids("[id]"));
    expect([...new Set(links)].filter((link) => !every.has(link.slice(1)))).toEqual([]);
    await page.context().close();
  });

  it("needs under 50 KB, scripts and styles included", async () => {
    const page = await (await site.reader()).newPage();
    expect(await bytesToLoad(page, "/docs")).toBeLessThan(50_000);
    await page.context().close();
  });

  it("finds entries that contain every word, and opens the entry that the URL names, by keyboard alone", async () => {
    const page = await site.visit("/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("suppressions address");
    await page.getByText(/^\d+ of \d+ entries match/).waitFor();
    expect(
      await operation(page, "deleteSuppression").or(operation(page, "listSuppressions")).count(),
    ).toBeGreaterThan(0);
    expect(await operation(page, "send").isVisible()).toBe(false);
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).search).toBe("");
    await page.goto("/docs#send");
    expect(await operation(page, "send").isVisible()).toBe(true);
    expect(await operation(page, "send").getAttribute("open")).toBe("");
    await operation(page, "send").locator("summary").focus();
    await page.keyboard.press("Enter");
    expect(await operation(page, "send").getAttribute("open")).toBeNull();
    expect(site.faults()).toEqual([]);
    await page.context().close();
  });

  it("sends a request with the key that the reader typed, stores it nowhere, and shows the answer", async () => {
    const { mailbox, api_key } = await site.server.service.createMailbox();
    const page = await site.visit("/docs#me");
    await page.getByLabel("Key for “Try it”").fill(api_key);
    const entry = operation(page, "me");
    await entry.getByRole("button", { name: "Try it" }).click();
    await entry.getByRole("button", { name: "Send GET" }).click();
    await entry.getByText(/^200 OK · application\/json/).waitFor();
    expect(await entry.getByLabel("Answer", { exact: true }).textContent()).toContain(`"${mailbox}"`);
    expect(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")).toEqual([
      0,
      0,
      "",
    ]);
    await page.getByLabel("Key for “Try it”").fill("");
    await entry.getByRole("button", { name: "Send GET" }).click();
    await entry.getByText(/^401 /).waitFor();
    expect(site.faults(/status of 401/)).toEqual([]);
    await page.context().close();
  });

  describe("has examples", () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "mailkeep-examples-"));
    let entries: Entry[] = [];
    let shared = "";
    beforeAll(async () => {
      shared = (await site.server.service.createMailbox()).api_key;
      for (const name of ["message.eml", "file.bin"]) {
        writeFileSync(path.join(folder, name), "Subject: Hello\r\n\r\nHello.\r\n");
      }
      const page = await site.visit("/docs", { javaScriptEnabled: false });
      const texts = (selector: string) => page.locator(`details.operation ${selector}`).allTextContents();
      const [access, curl, typeScript] = await Promise.all([
        texts(".access"),
        texts("pre[aria-label='Example with curl']"),
        texts("pre[aria-label='Example in TypeScript']"),
      ]);
      const ids = await page.locator("details.operation").evaluateAll((all) => all.map(({ id }) => id));
      entries = ids.map((id, index) => ({
        id,
        access: access[index] ?? "",
        curl: curl[index] ?? "",
        typeScript: typeScript[index] ?? "",
      }));
      await page.context().close();
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** A key of the kind that the operation needs; operations that end a mailbox get one of their own. */
    async function keyFor({ id, access }: Entry): Promise<string> {
      const { service } = site.server;
      if (access.includes("scope operator.")) return service.operator;
      const isAlone = id === "deleteMailbox" || id === "pauseMailbox";
      return isAlone ? (await service.createMailbox()).api_key : shared;
    }

    /** Answers that no example may get: its key, path, method, type or syntax is wrong. */
    const WRONG =
      /"(?:unauthorized|forbidden|method_not_allowed|unsupported_media_type)"|no such endpoint|not valid JSON/i;

    it("with curl that reach their endpoint", async () => {
      const answers = await Promise.all(
        entries.map(async (entry) => {
          const command = `${entry.curl} --silent --show-error --max-time 5`;
          const env = { PATH: process.env.PATH, MAILKEEP_KEY: await keyFor(entry) };
          const { stdout, stderr } = await run("bash", ["-c", command], {
            cwd: folder,
            env: bareEnvironment(env),
          }).catch((error: { stdout: string; stderr: string }) => error);
          return [entry.id, `${stdout}${stderr}`] as const;
        }),
      );
      expect(answers.length).toBeGreaterThan(50);
      expect(answers.filter(([, said]) => WRONG.test(said))).toEqual([]);
      // 28: a stream or a long wait that was ended after 5 s.
      expect(answers.filter(([, said]) => /^curl: \((?!28\))/m.test(said))).toEqual([]);
    });

    it("in TypeScript that compile and reach their endpoint", async () => {
      for (const entry of entries) {
        const key = `"${await keyFor(entry)}"`;
        const text = entry.typeScript.replace("process.env.MAILKEEP_KEY", key);
        writeFileSync(path.join(folder, `${entry.id}.mts`), `${text}\nexport {};\n`);
      }
      writeFileSync(path.join(folder, "all.mts"), ALL);
      const args = ["all.mts", ...entries.map(({ id }) => id)];
      const { stdout } = await run(process.execPath, args, { cwd: folder });
      const failures = JSON.parse(stdout.split("\n").at(-2) ?? "") as [string, string][];
      expect(failures.filter(([, said]) => WRONG.test(said) || !said.startsWith('Error: {"error"'))).toEqual(
        [],
      );
    });
  });
});

/** Runs the modules that it is given at once, for 5 s at most, and prints which of them threw what. */
const ALL = `
const failures: [string, string][] = [];
const runs = process.argv.slice(2).map((id) =>
  import("./" + id + ".mts").catch((error) => failures.push([id, String(error)])));
await Promise.race([Promise.all(runs), new Promise((resolve) => setTimeout(resolve, 5_000))]);
console.log("\\n" + JSON.stringify(failures));
process.exit();
`;
