import { execFile, execFileSync } from "node:child_process";
import { createServer, type Server as HttpServer } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../../pages/browser.ts";
import { bareEnvironment, Server } from "../../served/server.ts";
import { ALL_RIGHT, type Place, type Results } from "../conformance.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/** Longer than the slowest runtime takes on a busy machine. */
const TIMEOUT_MS = 100_000;

let server: Server;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-runtimes-"));
  await build({
    entryPoints: [path.join(ROOT, "test/client/conformance.ts")],
    outfile: path.join(folder, "conformance.mjs"),
    bundle: true,
    format: "esm",
    target: "es2022",
  });
  await writeFile(path.join(folder, "process.mjs"), PROCESS);
  server = await Server.start();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const place = (sendsStreams: boolean): Place => ({ url: server.url, operator: server.token, sendsStreams });

/** Runs the checks in a process of Node or Bun, and prints their results. */
const PROCESS = `import { conformance } from "./conformance.mjs";
console.log(JSON.stringify(await conformance(JSON.parse(process.env.PLACE))));
`;

async function inProcess(program: string): Promise<Results> {
  const { stdout } = await promisify(execFile)(program, [path.join(folder, "process.mjs")], {
    env: bareEnvironment({ PLACE: JSON.stringify(place(true)) }),
    timeout: TIMEOUT_MS,
  });
  return JSON.parse(stdout) as Results;
}

/** A Node of a major version on PATH, besides the one that runs the tests; null if there is none. */
function nodeOnPath(major: number): string | null {
  const programs = (process.env.PATH ?? "").split(path.delimiter).map((dir) => path.join(dir, "node"));
  const isWanted = (program: string): boolean => {
    try {
      return execFileSync(program, ["--version"], { encoding: "utf8" }).startsWith(`v${major}.`);
    } catch {
      return false;
    }
  };
  return programs.find(isWanted) ?? null;
}

const BUN = path.join(ROOT, "node_modules/.bin/bun");
const NODE_20 = nodeOnPath(20);
if (NODE_20 === null) console.warn("No Node 20 on PATH: the SDK is NOT tested in it.");

describe("the SDK does all of it", () => {
  it(`in Node ${process.versions.node}, which runs the tests`, async () => {
    expect(await inProcess(process.execPath)).toEqual(ALL_RIGHT);
  });

  it.skipIf(NODE_20 === null)("in Node 20", async () => {
    expect(await inProcess(NODE_20 ?? "")).toEqual(ALL_RIGHT);
  });

  it("in Bun", async () => {
    expect(await inProcess(BUN)).toEqual(ALL_RIGHT);
  });

  it("in workerd", async () => {
    const checks = await readFile(path.join(folder, "conformance.mjs"), "utf8");
    const runtime = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port: 0,
        cf: false,
        workers: [
          {
            name: "checks",
            compatibilityDate: "2026-11-01",
            modulesRoot: "/",
            modules: [
              { type: "ESModule", path: "/worker.mjs", contents: WORKER },
              { type: "ESModule", path: "/conformance.mjs", contents: checks },
            ],
          },
        ],
      }),
    );
    try {
      const body = JSON.stringify(place(true));
      const response = await runtime.dispatchFetch("http://worker/", { method: "POST", body });
      expect(await response.json()).toEqual(ALL_RIGHT);
    } finally {
      await runtime.dispose();
    }
  });

  it.skipIf(CHROMIUM === null)("in Chromium, from another origin", async () => {
    const site = await pageServer();
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      await page.goto(site.url);
      const results: unknown = await page.evaluate(`conformance(${JSON.stringify(place(false))})`);
      expect(results).toEqual(ALL_RIGHT);
    } finally {
      await browser.close();
      site.http.close();
    }
  });
});

/** A worker that runs the checks and answers with their results. */
const WORKER = `import { conformance } from "./conformance.mjs";
export default {
  async fetch(request) {
    return Response.json(await conformance(await request.json()));
  },
};
`;

/** A page that has the checks as a global function. */
const PAGE = `<!doctype html><title>Checks</title><script type="module">
import { conformance } from "/conformance.mjs";
globalThis.conformance = conformance;
</script>`;

/** A site with this page. */
async function pageServer(): Promise<{ url: string; http: HttpServer }> {
  const script = await readFile(path.join(folder, "conformance.mjs"));
  const http = createServer(({ url }, response) => {
    const isScript = url === "/conformance.mjs";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : PAGE);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port");
  return { url: `http://127.0.0.1:${address.port}/`, http };
}
