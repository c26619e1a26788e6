import { describe, expect, it } from "vitest";
import { checkAnswer, strictFault } from "../answer-schema.ts";
import { EmailPage } from "../../src/contract/message.ts";

const PAGE = { emails: [], next_cursor: null };

describe("the check of every JSON answer in tests", () => {
  it("accepts only members of the schema, at any depth", () => {
    expect(strictFault(EmailPage, PAGE)).toBeNull();
    expect(strictFault(EmailPage, { ...PAGE, more: 1 })).toBe("more: is not in the schema");
    expect(strictFault(EmailPage, { emails: [] })).toMatch(/^next_cursor: /);
  });

  it("finds the route by method and path, and refuses a status that it does not document", () => {
    const inbox = { method: "GET", path: "/v1/inbox" };
    expect(() => checkAnswer(inbox, 200, PAGE)).not.toThrow();
    expect(() => checkAnswer(inbox, 200, { ...PAGE, more: 1 })).toThrow("more: is not in the schema");
    expect(() => checkAnswer(inbox, 202, PAGE)).toThrow("documents no JSON for this status");
    expect(() => checkAnswer({ method: "GET", path: "/v1/emails/x" }, 200, PAGE)).toThrow("/v1/emails/x");
  });

  it("checks an error of any path against the shape of all errors", () => {
    expect(() => checkAnswer({ method: "GET", path: "/nowhere" }, 404, { error: "Not found" })).not.toThrow();
    expect(() =>
      checkAnswer({ method: "GET", path: "/nowhere" }, 404, { error: "Not found", stack: "" }),
    ).toThrow("stack");
  });
});
