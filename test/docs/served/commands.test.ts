import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bundleCli } from "../../../scripts/bundle-cli.ts";
import { signatureHeaders } from "../../../src/webhooks/sign.ts";
import { bareEnvironment, Server } from "../../served/server.ts";
import { sendMail } from "../../served/smtp.ts";
import { page, PAGES, ROOT } from "../pages.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl) console.warn("No curl here: the commands of the documentation are NOT run. Install it.");

/** Stops at the first command that fails; a refusal of the API is a failure. `mailkeep` is the command line of this repository. */
const PRELUDE = `set -eu
curl() { command curl --fail-with-body "$@"; }
mailkeep() { "$NODE" ./mailkeep.cjs "$@"; }
npx() { "$@"; }
`;

let server: Server;
let folder: string;

beforeAll(async () => {
  server = await Server.start();
  // The commands are pasted in the folder of the repository, where `npm start` keeps its data.
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-docs-"));
  await symlink(server.dataDir, path.join(folder, "data"));
  await bundleCli(path.join(folder, "mailkeep.cjs"));
}, 180_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The commands that a page lets its reader paste, in order, against the server of this test. */
function scriptOf(file: string): string {
  const run = page(file).blocks.filter(({ language, mark }) => language === "sh" && mark === "");
  return run
    .map(({ text }) => text)
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", server.url)
    .replaceAll("127.0.0.1:2525", `127.0.0.1:${server.smtpPort}`);
}

function paste(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: bareEnvironment({ HOME: folder, NODE: process.execPath }) };
    const child = execFile("sh", ["-c", PRELUDE + script], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe.skipIf(!hasCurl)("the commands of the documentation", () => {
  const files = PAGES.map(({ file }) => file).filter((file) => scriptable(file));

  it.each(files)("work when they are pasted one after the other: %s", async (file) => {
    const { code, stdout, stderr } = await paste(scriptOf(file));
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('"error":"'),
    });
  });

  it("lead in a first minute to the code and to a mail that was delivered", async () => {
    const again = scriptOf("README.md").replaceAll('"name":"billing"', '"name":"billing-again"');
    const { stdout } = await paste(again);
    expect(stdout).toContain('"code":"482913"');
    expect(stdout).toContain('"delivery_status":"delivered"');
  });
});

function scriptable(file: string): boolean {
  return page(file).blocks.some(({ language, mark }) => language === "sh" && mark === "");
}

/** The module that a page shows, loaded. It lies in the repository for as long, where its imports are found. */
async function moduleOf(file: string, name: string): Promise<Record<string, unknown>> {
  const block = page(file).blocks.find(({ mark }) => mark === `module: ${name}`);
  if (block === undefined) throw new Error(`${file} shows no module ${name}`);
  const place = path.join(ROOT, "test/docs/served", `.${name}-${process.pid}.mjs`);
  await writeFile(place, block.text);
  onTestFinished(() => rm(place, { force: true }));
  return (await import(/* @vite-ignore */ pathToFileURL(place).href)) as Record<string, unknown>;
}

interface Heard {
  kind: string;
  data: { subject: string };
  id: string;
}

type Follow = (options: {
  url: string;
  key: string;
  last?: string;
  signal: AbortSignal;
  onEvent: (kind: string, data: Heard["data"], id: string) => void;
}) => Promise<void>;

describe("the stream reader of docs/events.md", () => {
  it("hears named events with a key in a header, and resumes after the last one", async () => {
    const { follow } = (await moduleOf("docs/events.md", "follow")) as { follow: Follow };
    const box = await server.service.bootstrap();
    const send = (subject: string) =>
      sendMail(server.smtpPort, { from: "a@shop.example", to: box.mailbox, subject, text: "Hello" });
    await send("first");
    const heard: Heard[] = [];
    const end = new AbortController();
    const following = follow({
      url: server.url,
      key: box.api_key,
      last: "0",
      signal: end.signal,
      onEvent: (kind, data, id) => heard.push({ kind, data, id }),
    });
    await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(1);
    await send("second");
    await expect
      .poll(() => heard.map(({ data }) => data.subject), { timeout: 10_000 })
      .toEqual(["first", "second"]);
    expect(heard.map(({ kind, id }) => [kind, id])).toEqual([
      ["message.received", "1"],
      ["message.received", "2"],
    ]);
    end.abort();
    await following;
  });

  it("gives up where to try again does not help", async () => {
    const { follow } = (await moduleOf("docs/events.md", "follow")) as { follow: Follow };
    const { signal } = new AbortController();
    const refused = follow({ url: server.url, key: `mk_${"0".repeat(64)}`, signal, onEvent: () => {} });
    await expect(refused).rejects.toThrow(/Unauthorized/);
  });
});

describe("the webhook receiver of docs/events.md", () => {
  it("takes what is signed with its secret and refuses what is not", async () => {
    const { receive } = (await moduleOf("docs/events.md", "receive")) as {
      receive: (request: Request) => Promise<Response>;
    };
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    process.env["WEBHOOK_SECRET"] = secret;
    onTestFinished(() => void delete process.env["WEBHOOK_SECRET"]);
    const shown = page("docs/events.md").blocks.find(({ mark }) => mark === "webhook body")?.text ?? "";
    const message = {
      id: "evt_1",
      timestampSeconds: Math.floor(Date.now() / 1_000),
      event: "message.received",
      emailId: "1",
    };
    const requestSignedBy = (key: string) =>
      new Request("https://you.example/hook", {
        method: "POST",
        body: shown,
        headers: signatureHeaders(shown, message, { current: key, previous: [] }),
      });
    const taken = await receive(requestSignedBy(secret));
    expect([taken.status, taken.headers.get("X-Handled")]).toEqual([204, "message.received"]);
    const forged = await receive(requestSignedBy(`whsec_${Buffer.alloc(24, 8).toString("base64")}`));
    expect(forged.status).toBe(401);
  });
});
