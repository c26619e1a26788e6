import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CLOUDFLARE } from "../../../src/host/doctor/catalogue/cloudflare.ts";
import { examineCloudflare } from "../../../src/host/doctor/cloudflare.ts";
import { exitOf, type Finding } from "../../../src/host/doctor/finding.ts";
import { CloudflareApi } from "../../../src/host/cloudflare/api.ts";
import { FakeCloudflare, TOKEN } from "../../cloudflare/fake/fake-cloudflare.ts";
import { FakeDeployment } from "../../cloudflare/fake/fake-deployment.ts";
import { deploymentOf } from "../../../src/server/commands/doctor.ts";
import { Operator } from "../../cloudflare/operator.ts";

const DOMAIN = "example.com";
type Rig = Pick<Operator, "cloudflare" | "deployment">;

function examine({ cloudflare, deployment: served }: Rig, domain = DOMAIN): Promise<Finding[]> {
  const api = new CloudflareApi({
    baseUrl: "https://api.cloudflare.com/client/v4",
    token: TOKEN,
    fetch: cloudflare.fetch,
    pause: () => Promise.resolve(),
  });
  const { signal } = new AbortController();
  const command = `mailkeep-server doctor --cloudflare ${domain}`;
  const answer = (url: string, init: RequestInit) => served.answer(new Request(url, init));
  const deployment = { domain, worker: "mailkeep", accountId: null, token: TOKEN, fetch: answer };
  return examineCloudflare(api, deployment, { command, deadlineMs: 60_000, signal });
}

const problems = (findings: readonly Finding[]): string[] =>
  findings.filter(({ level }) => level !== "ok").map(({ id }) => id);

interface Row {
  id: keyof typeof CLOUDFLARE;
  breaks: (cloudflare: FakeCloudflare, deployment: Operator["deployment"]) => void;
  /** The form of the fix; without it, it is a run of `up`, which the test carries out. */
  fix?: RegExp;
  mends?: (cloudflare: FakeCloudflare) => void;
}

function setDomain({ account }: FakeCloudflare, domain: string): void {
  for (const binding of account.scripts.get("mailkeep")?.bindings ?? []) {
    if (binding.name === "MAIL_DOMAIN") binding.text = domain;
  }
}

const ROWS: Row[] = [
  {
    id: "token.refused",
    breaks: ({ token }) => void (token.status = "disabled"),
    fix: /^CLOUDFLARE_API_TOKEN=<an API token> mailkeep-server doctor --cloudflare example\.com$/,
    mends: ({ token }) => void (token.status = "active"),
  },
  {
    id: "token.permission",
    breaks: ({ token }) => void token.groups.delete("Workers R2 Storage Write"),
    fix: /^open 'https:\/\/dash\.cloudflare\.com\/.*then: CLOUDFLARE_API_TOKEN=<the new token> mailkeep-server doctor/,
    mends: ({ token }) => void token.groups.add("Workers R2 Storage Write"),
  },
  {
    id: "zone.missing",
    breaks: ({ zone }) => void (zone.name = "example.net"),
    fix: /^open 'https:\/\/dash\.cloudflare\.com\//,
    mends: ({ zone }) => void (zone.name = DOMAIN),
  },
  {
    id: "zone.inactive",
    breaks: ({ zone }) => void (zone.status = "pending"),
    fix: /^example\.com\. 3600 IN NS \S+\.; example\.com\. 3600 IN NS \S+\.$/,
    mends: ({ zone }) => void (zone.status = "active"),
  },
  {
    id: "routing.off",
    breaks: ({ zone }) => {
      zone.routing = null;
      zone.records = zone.records.filter(({ type, name }) => type !== "MX" || name !== DOMAIN);
    },
  },
  {
    id: "routing.records",
    breaks: ({ zone }) => {
      zone.records = zone.records.filter(({ type, name }) => type !== "MX" || name !== DOMAIN);
    },
  },
  {
    id: "routing.catch-all",
    breaks: ({ zone }) =>
      void (zone.catchAll = { ...zone.catchAll, actions: [{ type: "forward", value: ["ann@example.net"] }] }),
  },
  { id: "worker.missing", breaks: ({ account }) => void account.scripts.delete("mailkeep") },
  {
    id: "worker.domain",
    breaks: (cloudflare) => setDomain(cloudflare, "example.net"),
    fix: /^npx mailkeep-server up --domain example\.com --name mailkeep-mail$/,
    mends: (cloudflare) => setDomain(cloudflare, DOMAIN),
  },
  {
    id: "worker.secrets",
    breaks: ({ account }) => void account.scripts.get("mailkeep")?.secrets.delete("KEY_SECRET"),
  },
  {
    id: "worker.version",
    breaks: ({ account }, deployment) => {
      // Somebody uploaded an older version by hand.
      deployment.version = "0.1.0";
      for (const script of account.scripts.values()) script.etag = "of an older version";
    },
  },
  { id: "bucket.missing", breaks: ({ account }) => account.buckets.clear() },
  { id: "sending.off", breaks: ({ zone }) => void (zone.sending = []) },
  {
    id: "queue.reader",
    breaks: ({ account }) => {
      for (const queue of account.queues) queue.consumers = [];
    },
  },
  { id: "queue.events", breaks: ({ account }) => void (account.subscriptions = []) },
];

describe("the doctor on Cloudflare", () => {
  it("finds nothing wrong with what up made, and changes nothing", async () => {
    using operator = new Operator();
    expect(await operator.up("--domain", DOMAIN, "--yes")).toMatchObject({ code: 0 });
    const before = operator.cloudflare.visible;
    operator.cloudflare.calls.length = 0;
    const findings = await examine(operator);
    expect(findings.map(({ id }) => id)).toEqual([
      "token",
      "zone",
      "routing",
      "worker",
      "worker",
      "bucket",
      "sending",
      "queue",
    ]);
    expect(exitOf(findings)).toBe(0);
    expect(operator.cloudflare.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
    expect(operator.cloudflare.visible).toEqual(before);
  });

  it.each(ROWS)("finds $id, and the printed fix removes it", async ({ id, breaks, fix, mends }) => {
    using operator = new Operator();
    const { cloudflare } = operator;
    expect(await operator.up("--domain", DOMAIN, "--yes")).toMatchObject({ code: 0 });
    breaks(cloudflare, operator.deployment);
    const findings = await examine(operator);
    expect(problems(findings)).toEqual([id]);
    const found = findings.find((finding) => finding.id === id)?.fix ?? "";
    expect(found).toMatch(fix ?? /^npx mailkeep-server up --domain example\.com --name mailkeep --yes/);
    const words = found.replace("npx mailkeep-server up ", "").split(" ");
    const ran = await (mends === undefined ? operator.up(...words) : mends(cloudflare));
    expect(ran?.err ?? "").toBe("");
    expect(problems(await examine(operator))).toEqual([]);
  });

  it("tells to install the worker's version where that is the newer one", async () => {
    using operator = new Operator();
    await operator.up("--domain", DOMAIN, "--yes");
    operator.deployment.version = "99.10.1";
    const found = (await examine(operator)).find(({ id }) => id === "worker.version");
    expect(found).toMatchObject({ level: "warning", fix: "npm install mailkeep-server@99.10.1" });
    // The server that answers there decides neither the command nor the terminal.
    operator.deployment.version = "1.0.0; rm -rf ~";
    expect(problems(await examine(operator))).toEqual(["not-checked"]);
  });

  it("takes the deployment that up made from this machine, where none is named", async () => {
    using operator = new Operator();
    const { env } = operator;
    expect(() => deploymentOf({ cloudflare: "" }, env)).toThrow("no record of a deployment");
    await operator.up("--domain", DOMAIN, "--yes");
    const known = { domain: DOMAIN, worker: "mailkeep", accountId: operator.cloudflare.account.id };
    expect(deploymentOf({ cloudflare: "" }, env)).toEqual(known);
    expect(deploymentOf({ cloudflare: "Other.example" }, env)).toEqual({
      domain: "other.example",
      worker: "mailkeep",
      accountId: null,
    });
    const [journal = ""] = operator.files.filter((name) => name.endsWith(".json"));
    const second = JSON.stringify({
      ...JSON.parse(readFileSync(operator.file(journal), "utf8")),
      worker: "second",
    });
    writeFileSync(operator.file(journal.replace("mailkeep", "second")), second);
    expect(() => deploymentOf({ cloudflare: "" }, env)).toThrow(
      "--cloudflare example.com --name mailkeep or --cloudflare example.com --name second",
    );
    expect(deploymentOf({ cloudflare: "", name: "mailkeep" }, env)).toEqual(known);
    expect(() => deploymentOf({ cloudflare: "", account: "another" }, env)).toThrow(
      "no record of a deployment",
    );
  });

  it("has such a test for every finding of the catalogue", () => {
    expect(new Set(ROWS.map(({ id }) => id))).toEqual(new Set(Object.keys(CLOUDFLARE)));
  });

  it("says which checks have no result where Cloudflare does not answer", async () => {
    const cloudflare = new FakeCloudflare(DOMAIN);
    cloudflare.faults.push({ at: "GET ", status: 503, times: 1_000 });
    const deployment = new FakeDeployment("mailkeep.example.workers.dev", DOMAIN, () => undefined);
    const findings = await examine({ cloudflare, deployment });
    expect(problems(findings)).toEqual(["not-checked"]);
    expect(exitOf(findings)).toBe(1);
  });
});
