import * as z from "zod";
import { describe, expect, it } from "vitest";
import { withLateMembers } from "../../scripts/late-members.ts";

describe("members of zod's objects in the worker", () => {
  it("are getters, if their values are calls", () => {
    const code = `const Page = z.object({ limit, from: text("", 40), next: z.array(z.object({ id: z.string() })), ...more });`;
    expect(withLateMembers(code, "ts")).toBe(
      `const Page = z.object({ limit, get from() { return text("", 40); }, get next() { return z.array(z.object({ get id() { return z.string(); } })); }, ...more });`,
    );
  });

  it("are getters in what is added to an object", () => {
    expect(withLateMembers(`const Search = Page.extend({ q: z.string() });`, "ts")).toBe(
      `const Search = Page.extend({ get q() { return z.string(); } });`,
    );
  });

  it("stay as they are in other objects", () => {
    const code = `const pages = { object: z.object(shape), first: make() };`;
    expect(withLateMembers(code, "ts")).toBe(code);
  });

  it("are made once by zod, when an object first parses a value", () => {
    let made = 0;
    const counted = () => {
      made += 1;
      return z.string();
    };
    const Base = z.strictObject({
      get id() {
        return counted();
      },
    });
    const More = Base.extend({
      get name() {
        return counted();
      },
    }).superRefine(() => {});
    expect(made).toBe(0);
    expect(More.parse({ id: "1", name: "Ann" })).toEqual({ id: "1", name: "Ann" });
    More.parse({ id: "2", name: "Bob" });
    expect(made).toBe(2);
    expect(More.safeParse({ id: "1", name: "Ann", other: 1 }).success).toBe(false);
  });
});
