import { describe, expect, it, vi } from "vitest";
import type { Job } from "../../src/mailbox/job.ts";
import type { Listed } from "../../src/mailbox/jobs.ts";
import { NodeMailbox } from "./node-mailbox.ts";

const isJob = (capability: unknown): capability is Job =>
  typeof capability === "object" &&
  capability !== null &&
  ["dues", "pump"].every((name) => name in capability);

describe("the list of jobs", () => {
  it("contains every capability that is a job", async () => {
    const { life } = await NodeMailbox.create();
    const { jobs, ...capabilities } = life;
    const working = Object.entries(capabilities).filter(([, capability]) => isJob(capability));
    const asked = new Set<string>();
    for (const [name, job] of working) {
      if (!isJob(job)) continue;
      vi.spyOn(job, "dues").mockImplementation(() => {
        asked.add(name);
        return [];
      });
    }
    jobs.dues(0);
    expect([...asked].toSorted()).toEqual(working.map(([name]) => name).toSorted());
    expect(asked.size).toBeGreaterThan(5);
  });

  it("does not compile if a job is missing", () => {
    const withoutOne = (list: Listed) => {
      const { takeover, ...rest } = list;
      // @ts-expect-error takeover is missing
      const shorter: Listed = rest;
      return { takeover, shorter };
    };
    expect(withoutOne).toBeTypeOf("function");
  });
});
