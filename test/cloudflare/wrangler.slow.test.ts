import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CloudflareFailure } from "../../src/host/cloudflare/failure.ts";
import { failureIn, runWrangler, wranglerCommand } from "../../src/host/cloudflare/run-wrangler.ts";
import { readDeployBase, stage, tryConfig } from "../../src/host/cloudflare/wrangler.ts";
import { readBuiltWorker } from "../../src/host/built-worker.ts";
import { runUp } from "../../src/server/commands/up.ts";
import { previewWords } from "../../src/server/cloudflare/try-out.ts";
import type { CommandContext } from "../../src/server/command.ts";
import { FakeCloudflare, TOKEN } from "./fake/fake-cloudflare.ts";
import { FakeDeployment } from "./fake/fake-deployment.ts";

const DIST = path.resolve(import.meta.dirname, "../../dist");
/** wrangler takes seconds to load, and more beside other tests. */
const PATIENCE = { timeout: 180_000 };
const HOST = "mailkeep.example.workers.dev";

describe("wrangler in the repository", () => {
  it("builds, and uploads the very script that is tested and nothing beside it", PATIENCE, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-upload-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const root = path.dirname(DIST);
    const wrangler = path.join(root, "node_modules/.bin/wrangler");
    const { stdout } = await promisify(execFile)(wrangler, ["deploy", "--dry-run", "--outdir", folder], {
      cwd: root,
      env: { ...process.env, HOME: folder, WRANGLER_SEND_METRICS: "false" },
    });
    expect(stdout).toContain("env.MAILBOX (Mailbox)");
    const uploaded = readFileSync(path.join(folder, "index.js"), "utf8");
    expect(uploaded === readBuiltWorker(DIST).script.contents).toBe(true);
    expect(readdirSync(folder).filter((file) => file.endsWith(".js"))).toEqual(["index.js"]);
  });
});

describe("what `up` writes for wrangler", () => {
  const cloudflare = new FakeCloudflare();
  const home = mkdtempSync(path.join(tmpdir(), "mailkeep-wrangler-"));
  let baseUrl = "";

  beforeAll(async () => {
    baseUrl = await cloudflare.listen();
  });
  afterAll(async () => {
    await cloudflare.close();
    rmSync(home, { recursive: true, force: true });
  });

  it(
    "for a preview is accepted by a dry run of wrangler, with the words that make one",
    PATIENCE,
    async () => {
      const folder = path.join(home, "try");
      const secrets = path.join(home, "secrets.json");
      writeFileSync(secrets, JSON.stringify({ AUTH_TOKEN: "a".repeat(32) }));
      stage(folder, DIST, tryConfig(readDeployBase(DIST), "mailkeep"));
      const output = await runWrangler(wranglerCommand(DIST, "0.0.0"), {
        folder,
        words: [...previewWords(secrets), "--dry-run"],
        env: { PATH: process.env["PATH"], HOME: home },
        signal: undefined,
      });
      expect(output).toContain("env.MAILBOX (Mailbox)");
      expect(output).toContain("--dry-run: exiting now.");
    },
  );

  it(
    "is uploaded by wrangler: one module, its bindings, the reader of the queue and the address",
    PATIENCE,
    async () => {
      const secret = () => cloudflare.account.scripts.get("mailkeep")?.secrets.get("AUTH_TOKEN");
      const deployment = new FakeDeployment(HOST, "example.com", secret);
      let err = "";
      const context = {
        env: { ...process.env, HOME: home, CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_API_BASE_URL: baseUrl },
        stdin: new PassThrough(),
        stdout: new PassThrough().resume(),
        stderr: Object.assign(new PassThrough(), { write: (text: string) => ((err += text), true) }),
        signal: new AbortController().signal,
        worker: () => Promise.resolve(readBuiltWorker(DIST)),
      } as unknown as CommandContext;
      const code = await runUp(["--domain", "example.com", "--yes", "--without-outside"], context, {
        fetch: (url, init) =>
          new URL(url).host === HOST ? deployment.answer(new Request(url, init)) : fetch(url, init),
      });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const script = cloudflare.account.scripts.get("mailkeep");
      expect(script?.isPublic).toBe(true);
      // Nothing else of the folder is taken for a module.
      expect(script?.modules).toEqual(["index.js", "index.js.map"]);
      expect(script?.migrationTag).toBe("v4");
      const names = script?.bindings.map(({ type, name }) => `${type} ${name}`) ?? [];
      expect(names.toSorted()).toEqual([
        "assets ASSETS",
        "durable_object_namespace CLAIM_SESSION",
        "durable_object_namespace CLIENT_BUDGET",
        "durable_object_namespace DIRECTORY",
        "durable_object_namespace DOMAIN",
        "durable_object_namespace MAILBOX",
        "durable_object_namespace MONITOR",
        "plain_text DOH_URL",
        "plain_text MAIL_DOMAIN",
        "plain_text MAIL_HOST",
        "plain_text OUTBOUND",
        "plain_text SPF_MECHANISMS",
        "plain_text TRUST_CLIENT_ADDRESS",
        "r2_bucket BLOBS",
        "send_email EMAIL",
      ]);
      expect(cloudflare.account.queues[0]?.consumers).toEqual([
        expect.objectContaining({ script: "mailkeep", dead_letter_queue: "mailkeep-events-unused" }),
      ]);
    },
  );
});

describe("the output of wrangler", () => {
  it("becomes a failure with Cloudflare's numbers and words", () => {
    const failure = failureIn(
      "✘ [ERROR] A request to the Cloudflare API (/accounts/a/workers/scripts/b) failed.\n\n  Too large [code: 10027]\n",
      1,
    );
    expect(failure).toBeInstanceOf(CloudflareFailure);
    expect(failure).toMatchObject({ kind: "refused", parts: { codes: [10027] } });
  });

  it("says that Cloudflare did not answer, so that the upload is repeated", () => {
    expect(failureIn("✘ [ERROR] fetch failed\n", 1)).toMatchObject({ kind: "transient" });
    expect(failureIn("workers.api.error.unknown [code: 10013]", 1)).toMatchObject({ kind: "transient" });
  });

  it("says that npm could not bring wrangler", () => {
    expect(failureIn("npm error code ENOTFOUND\nnpm error network", 1)).toMatchObject({ next: "npm ping" });
  });
});

describe("the wrangler that is run", () => {
  it("is the one of the repository, and elsewhere exactly the version that the package names", () => {
    expect(wranglerCommand(DIST, "4.1.2").at(-1)).toContain("node_modules/wrangler");
    expect(wranglerCommand("/nowhere/worker", "4.1.2")).toEqual(["npx", "--yes", "wrangler@4.1.2"]);
  });
});
