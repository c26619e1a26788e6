import { expect, it } from "vitest";
import { mtaStsPolicy, mtaStsRecord } from "../../src/mail/mta-sts.ts";

const POLICY = { mode: "testing", hosts: ["mx.example.org"], maxAgeSeconds: 86_400 } as const;

it("a policy has the lines of RFC 8461, each ended by CRLF", () => {
  expect(mtaStsPolicy(POLICY)).toBe(
    "version: STSv1\r\nmode: testing\r\nmx: mx.example.org\r\nmax_age: 86400\r\n",
  );
});

it("its DNS record has an id of letters and digits, which changes with every part of the policy", () => {
  const records = [
    POLICY,
    { ...POLICY, mode: "enforce" as const },
    { ...POLICY, hosts: ["mx.example.org", "mx2.example.org"] },
    { ...POLICY, maxAgeSeconds: 86_401 },
  ].map(mtaStsRecord);
  expect(new Set(records).size).toBe(records.length);
  expect(mtaStsRecord(POLICY)).toBe(records[0]);
  for (const record of records) expect(record).toMatch(/^v=STSv1; id=[A-Za-z0-9]{1,32};$/);
});
