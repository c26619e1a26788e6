import { describe, expect, it } from "vitest";
import {
  fixOf,
  problemBody,
  retryAfterSeconds,
  STATUS,
  type Problem,
  type ProblemCode,
} from "../../src/contract/problem.ts";
import type { RouteSpec } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { CAPABILITIES, Scope } from "../../src/contract/scope.ts";

const all = Object.entries<RouteSpec>(routes);

describe("the route table", () => {
  it("names each method and path once, under /v1 except the guide for agents, the metrics and the public keys", () => {
    const served = all.map(([, spec]) => `${spec.method} ${spec.path}`);
    expect(new Set(served).size).toBe(served.length);
    const outside = served.filter((route) => !/ \/v1\//.test(route));
    expect(outside).toEqual([
      "GET /llms.txt",
      "GET /skill.md",
      "GET /.well-known/mailkeep-keys.json",
      "GET /metrics",
    ]);
  });

  it("has a schema for every parameter of a path, and no other", () => {
    for (const [id, spec] of all) {
      const inPath = [...spec.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
      expect([id, Object.keys(spec.params.shape)]).toEqual([id, inPath]);
    }
  });

  it("has scopes for every route that is not public", () => {
    for (const [id, spec] of all) {
      expect([id, spec.scopes.length === 0]).toEqual([id, spec.target === "public"]);
    }
    const administration = all.filter(([, spec]) => spec.target === "deployment");
    for (const [id, spec] of administration) expect([id, spec.scopes]).toEqual([id, ["operator"]]);
    expect(all.filter(([, spec]) => spec.target === "public").map(([id]) => id)).toEqual([
      "guide",
      "skill",
      "bootstrap",
      "claimStart",
      "claimPoll",
      "claimConfirm",
      "signingKeys",
    ]);
  });

  it("allows only resume on a paused mailbox", () => {
    expect(all.filter(([, spec]) => spec.whilePaused).map(([id]) => id)).toEqual(["resumeMailbox"]);
  });

  it("allows a provisional key to read, and neither to send nor to administer", () => {
    const may = all.filter(([, spec]) => spec.scopes.includes("provisional")).map(([, spec]) => spec.path);
    for (const path of [
      "/v1/keys",
      "/v1/attachments/:id",
      "/v1/attachment",
      "/v1/attachments",
      "/v1/domains",
      "/v1/domains/:id",
      "/v1/domains/:id/verify",
      "/v1/mailboxes",
      "/v1/inbound",
    ]) {
      expect(may).not.toContain(path);
    }
    for (const path of ["/v1/inbox", "/v1/code", "/v1/search", "/v1/threads", "/v1/stats", "/v1/mailbox"]) {
      expect(may).toContain(path);
    }
  });

  it("lists the capabilities of each scope, more for a mailbox key than for a provisional one", () => {
    const [provisional, mailbox, operator] = Scope.options.map((scope) => CAPABILITIES[scope]);
    expect(mailbox).toEqual(expect.arrayContaining([...(provisional ?? [])]));
    expect(operator).toEqual(expect.arrayContaining([...(mailbox ?? [])]));
  });
});

describe("a problem", () => {
  const problem = (code: ProblemCode): Problem => ({ code, error: "What went wrong" });

  it("has a code, except bodies that must have exactly the documented text", () => {
    const exact = new Set<ProblemCode>(["wrong_mailbox", "paused"]);
    for (const code of Object.keys(STATUS) as ProblemCode[]) {
      const next = { code, fix: fixOf(problem(code)), retryable: expect.any(Boolean) as boolean };
      const wanted = { error: "What went wrong", ...(exact.has(code) ? {} : next) };
      expect(problemBody(problem(code))).toEqual(wanted);
    }
  });

  it("says what to do next, in one sentence that a header can carry", () => {
    for (const code of Object.keys(STATUS) as ProblemCode[]) {
      expect(fixOf(problem(code))).toMatch(/^[\x20-\x7e]{10,200}\.$/);
    }
    expect(fixOf({ ...problem("invalid"), fix: "Do this." })).toBe("Do this.");
  });

  it("is retryable according to its status, and then says when", () => {
    for (const [code, status] of Object.entries(STATUS) as [ProblemCode, number][]) {
      const passes = [429, 500, 503].includes(status);
      expect([code, problemBody(problem(code)).retryable ?? false]).toEqual([code, passes]);
      expect([code, retryAfterSeconds(problem(code)) !== null]).toEqual([code, passes && status !== 500]);
    }
  });

  it("has the status of the contract's table", () => {
    expect(STATUS).toMatchObject({
      unauthorized: 401,
      wrong_mailbox: 403,
      paused: 403,
      insufficient_scope: 403,
      invalid: 400,
      not_found: 404,
      method_not_allowed: 405,
      conflict: 409,
      too_large: 413,
      unsupported_media_type: 415,
      rate_limited: 429,
      internal: 500,
    });
  });
});
