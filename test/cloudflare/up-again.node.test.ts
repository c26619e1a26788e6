import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mtaStsPolicy } from "../../src/mail/mta-sts.ts";
import { startedAt } from "../../src/host/processes.ts";
import { Operator } from "./operator.ts";

const UP = ["--domain", "example.com", "--yes"];
const TESTING = [...UP, "--mta-sts", "testing"];

/** The values of the TXT records with a name. */
const texts = ({ cloudflare }: Operator, name: string): string[] =>
  cloudflare.zone.records
    .filter((one) => one.type === "TXT" && one.name === name)
    .map(({ content }) => content);

/** The record of a policy, from its text. */
function recordOf(mode: "none" | "testing" | "enforce"): string {
  const policy = mtaStsPolicy({ mode, hosts: ["*.mx.cloudflare.net"], maxAgeSeconds: 604_800 });
  return `v=STSv1; id=${createHash("sha256").update(policy).digest("hex").slice(0, 20)};`;
}

describe("mailkeep up --mta-sts", () => {
  it("serves the policy at its host, announces it, and asks for reports", async () => {
    using operator = new Operator();
    const { code, err } = await operator.up(...TESTING);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { account } = operator.cloudflare;
    expect(account.customDomains).toMatchObject([{ hostname: "mta-sts.example.com", service: "mailkeep" }]);
    expect(account.scripts.get("mailkeep")?.bindings).toEqual(
      expect.arrayContaining([
        { type: "plain_text", name: "MTA_STS", text: "testing" },
        { type: "plain_text", name: "MTA_STS_MX", text: "*.mx.cloudflare.net" },
      ]),
    );
    expect(texts(operator, "_mta-sts.example.com")).toEqual([recordOf("testing")]);
    expect(texts(operator, "_smtp._tls.example.com")).toEqual([
      "v=TLSRPTv1; rua=mailto:postmaster@example.com",
    ]);
    // Without the option it stays as it is.
    expect((await operator.up(...UP)).out).toContain("Everything is as it should be.");
  });

  it("announces a changed policy, and down takes all of it back", async () => {
    const initial = new Operator().cloudflare.visible;
    using operator = new Operator();
    await operator.up(...TESTING);
    const { out } = await operator.up(...UP, "--mta-sts", "enforce");
    expect(out).toMatch(
      /change +Policy for TLS \(MTA-STS\) +TXT _mta-sts\.example\.com: the policy is another one/,
    );
    expect(texts(operator, "_mta-sts.example.com")).toEqual([recordOf("enforce")]);
    const down = await operator.down("--yes", "--yes-erase-mail", "mailkeep");
    expect(down.out).toContain("senders who know the policy keep to it until it ends");
    expect(operator.cloudflare.visible).toEqual(initial);
  });

  it("is completed by the next run after a kill at any change, and down still knows all of it", async () => {
    using whole = new Operator();
    await whole.up(...TESTING);
    const initial = new Operator().cloudflare.visible;
    let points = 0;
    for (let change = 1; ; change += 1) {
      using operator = new Operator();
      await operator.up(...UP);
      if (!(await operator.killed("up", TESTING, { change, phase: change % 2 === 0 ? "before" : "after" })))
        break;
      points += 1;
      expect(await operator.up(...TESTING)).toMatchObject({ code: 0, err: "" });
      expect(operator.cloudflare.visible).toEqual(whole.cloudflare.visible);
      expect((await operator.down("--yes", "--yes-erase-mail", "mailkeep")).code).toBe(0);
      expect(operator.cloudflare.visible).toEqual(initial);
    }
    // The worker, its host, and two records.
    expect(points).toBeGreaterThanOrEqual(4);
  });

  it.each([
    [
      { type: "A", name: "mta-sts.example.com", content: "192.0.2.1" },
      /^error: mta-sts\.example\.com has a DNS record of yours, where the worker must serve the policy\nnext: remove it/,
    ],
    [
      { type: "TXT", name: "_mta-sts.example.com", content: '"v=STSv1; id=1"' },
      /^error: _mta-sts\.example\.com has a record of yours .*\nnext: remove it/,
    ],
  ])("stops before it takes the record of somebody else: $0.name", async (record, said) => {
    using operator = new Operator();
    operator.cloudflare.addRecord(record);
    const { code, err } = await operator.up(...TESTING);
    expect(code).toBe(2);
    expect(err).toMatch(said);
    operator.cloudflare.zone.records = operator.cloudflare.zone.records.filter(
      ({ name }) => name !== record.name,
    );
    expect(await operator.up(...TESTING)).toMatchObject({ code: 0, err: "" });
  });

  it("keeps a place for reports that the operator chose, and refuses a mode that there is not", async () => {
    using operator = new Operator();
    const own = "v=TLSRPTv1; rua=mailto:tls@example.org";
    operator.cloudflare.addRecord({ type: "TXT", name: "_smtp._tls.example.com", content: own });
    expect((await operator.up(...UP, "--mta-sts", "always")).err).toMatch(
      /^--mta-sts must be one of off, none, testing, enforce/,
    );
    expect((await operator.up(...TESTING)).code).toBe(0);
    expect(texts(operator, "_smtp._tls.example.com")).toEqual([own]);
  });
});

describe("mailkeep up --mta-sts none, then off", () => {
  const OFF = [...UP, "--mta-sts", "off"];
  const policyParts = ({ cloudflare }: Operator): unknown[] => [
    ...cloudflare.zone.records.filter(({ name }) => /^_(?:mta-sts|smtp)/.test(name)),
    ...cloudflare.account.customDomains,
  ];

  /** A deployment whose policy was withdrawn so many days ago. */
  async function withdrawn(operator: Operator, days: number): Promise<void> {
    await operator.up(...UP, "--mta-sts", "enforce");
    expect((await operator.up(...UP, "--mta-sts", "none")).code).toBe(0);
    expect(texts(operator, "_mta-sts.example.com")).toEqual([recordOf("none")]);
    for (const record of operator.cloudflare.zone.records) {
      record.modifiedMs = (record.modifiedMs ?? 0) - days * 86_400_000;
    }
  }

  it("withdraws a policy, and removes it once every sender has forgotten it", async () => {
    using operator = new Operator();
    await operator.up(...UP, "--mta-sts", "enforce");
    expect(await operator.up(...OFF)).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^error: Senders remember .* \(enforce\), .* withdrawn first\nnext: .* --mta-sts none; then wait 7 days\n$/,
      ),
    });
    using early = new Operator();
    await withdrawn(early, 6);
    const before = early.cloudflare.visible;
    const { code, err } = await early.up(...OFF);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /may remember the policy for TLS until \S+ UTC\nnext: after that: .*--mta-sts off\n$/,
      ),
    ]);
    expect(early.cloudflare.visible).toEqual(before);
    using late = new Operator();
    await withdrawn(late, 7);
    expect((await late.up(...OFF)).out).toMatch(
      /remove +Policy for TLS \(MTA-STS\) +TXT _mta-sts\.example\.com/,
    );
    expect(policyParts(late)).toEqual([]);
    expect(late.cloudflare.account.scripts.get("mailkeep")?.bindings).toContainEqual({
      type: "plain_text",
      name: "MTA_STS",
      text: "off",
    });
    expect((await late.up(...UP)).out).toContain("Everything is as it should be.");
  });

  it("is completed by the next run after a kill at any change", async () => {
    const initial = new Operator().cloudflare.visible;
    let points = 0;
    for (let change = 1; ; change += 1) {
      using operator = new Operator();
      await withdrawn(operator, 8);
      if (!(await operator.killed("up", OFF, { change, phase: change % 2 === 0 ? "before" : "after" })))
        break;
      points += 1;
      expect(await operator.up(...OFF)).toMatchObject({ code: 0, err: "" });
      expect(policyParts(operator)).toEqual([]);
      expect((await operator.down("--yes", "--yes-erase-mail", "mailkeep")).code).toBe(0);
      expect(operator.cloudflare.visible).toEqual(initial);
    }
    // The worker, two records, and its host.
    expect(points).toBeGreaterThanOrEqual(4);
  });
});

describe("a second run of mailkeep up", () => {
  it("makes the worker the reader of its queue again", async () => {
    using operator = new Operator();
    await operator.up(...UP);
    const before = operator.cloudflare.visible;
    for (const queue of operator.cloudflare.account.queues) queue.consumers = [];
    const { code, out } = await operator.up(...UP);
    expect(code).toBe(0);
    expect(out).toMatch(/change +Worker +mailkeep: it reads the queue mailkeep-events again/);
    expect(operator.cloudflare.visible).toEqual(before);
  });

  it("is refused while another one changes the same deployment, and takes over from one that was killed", async () => {
    using operator = new Operator();
    const both = await Promise.all([operator.up(...UP), operator.up(...UP)]);
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]));
    expect(both.find(({ code }) => code === 2)?.err).toMatch(
      /^error: Another run \(process \d+\) changes the deployment mailkeep now\nnext: wait until it ends, then: npx --no-install mailkeep-server up --domain/,
    );
    expect(operator.files.filter((name) => !/\.(?:json|key)$/.test(name))).toEqual([]);
    const lock = operator.file(`${operator.cloudflare.account.id}-mailkeep.lock`);
    writeFileSync(lock, JSON.stringify({ pid: process.pid, started: startedAt(process.pid) }));
    expect((await operator.down("--yes")).err).toContain("changes the deployment mailkeep now");
    for (const left of ["", "{", JSON.stringify({ pid: 1, started: "before this machine started" })]) {
      writeFileSync(lock, left);
      expect(await operator.up(...UP)).toMatchObject({ code: 0, err: "" });
    }
  });
});
