import { describe, expect, it } from "vitest";
import { lazy } from "../../src/mail/lazy.ts";

describe("a lazy value", () => {
  it("is made at its first use, and once only", () => {
    let made = 0;
    const value = lazy(() => {
      made += 1;
      return { made };
    });
    expect(made).toBe(0);
    expect(value()).toBe(value());
    expect(made).toBe(1);
  });

  it("may be null", () => {
    let made = 0;
    const value = lazy(() => {
      made += 1;
      return null;
    });
    expect([value(), value(), made]).toEqual([null, null, 1]);
  });
});
