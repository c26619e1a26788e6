import { expect, it } from "vitest";
import {
  NOT_CHECKED,
  readCheckedSender,
  writeCheckedSender,
  type CheckedSender,
} from "../../src/contract/checked-sender.ts";

const found = (selector: string, count = 1): CheckedSender => ({
  from_domain: "b\u00fccher.example",
  spf: "none",
  dmarc: "none",
  dmarc_by_spf: false,
  signatures: Array.from({ length: count }, () => ({
    domain: "example.com",
    selector,
    algorithm: "rsa-sha256",
    bits: null,
    result: "permerror",
    aligned: false,
    covers: ["to", "cc"],
  })),
  arc: null,
});

it("the findings of the listener are read as they were written", () => {
  const whole = found("s".repeat(253), 10);
  expect(readCheckedSender(writeCheckedSender(whole))).toEqual(whole);
});

it("findings that could not be read are sent as no check, so that the mail is stored", () => {
  for (const broken of [found("s".repeat(254)), found("s1", 11)]) {
    expect(writeCheckedSender(broken)).toBe(NOT_CHECKED);
  }
});
