import { describe, expect, it } from "vitest";
import { withWhom } from "../../src/pages/scripts/viewer/participants.ts";

const OWN = "billing@mailkeep.test";

describe("the people of a conversation", () => {
  it.each([
    [["ann@example.com", OWN], "With ann@example.com"],
    [[OWN, "ann@example.com", "bob@example.com"], "With ann@example.com, bob@example.com"],
    [["Billing+July@mailkeep.test", "ann@example.com"], "With ann@example.com"],
    [["ann@example.com"], "With ann@example.com"],
    [
      ["billing+a@other.test", "notbilling@mailkeep.test"],
      "With billing+a@other.test, notbilling@mailkeep.test",
    ],
    [[OWN], "Nobody else has written"],
    [[], "Nobody else has written"],
  ])("are those who wrote, without the reader: %j", (participants, text) => {
    expect(withWhom(participants, OWN)).toBe(text);
  });

  it("are all who wrote if the reader has no mailbox", () => {
    expect(withWhom(["ann@example.com", OWN], null)).toBe(`With ann@example.com, ${OWN}`);
  });
});
