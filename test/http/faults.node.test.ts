import { afterEach, describe, expect, it, vi } from "vitest";
import { problemBody, retryAfterSeconds, STATUS } from "../../src/contract/problem.ts";
import { faultOf } from "../../src/http/faults.ts";

const REQUEST_ID = "01a20923-129f-7354-bae7-b59c2cb7f5d6";

describe("an error that no handler expected", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("is 503 with a time to try again when the disk is full, and the log has it", () => {
    const log = vi.spyOn(console, "error").mockReturnValue(undefined);
    // The words of the runtime, measured on a full file system.
    const error = new Error("database or disk is full: SQLITE_FULL");
    const problem = faultOf(error, REQUEST_ID);
    expect([STATUS[problem.code], retryAfterSeconds(problem)]).toEqual([503, 60]);
    expect(problemBody(problem)).toEqual({
      code: "unavailable",
      error: "The disk of the service is full",
      fix: "Wait 60 s, then repeat the call.",
      retryable: true,
    });
    expect(log).toHaveBeenCalledWith(`Request ${REQUEST_ID} failed:`, error);
  });

  it("is 503 when the runtime failed outside of the worker's code, as it does at the commit on a full disk", () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const problem = faultOf(new Error("internal error; reference = hv1nlp8u88m5o9hal3fe7fjb"), REQUEST_ID);
    expect([STATUS[problem.code], retryAfterSeconds(problem)]).toEqual([503, 60]);
    expect(problemBody(problem)).toEqual({
      code: "unavailable",
      error: "The storage of the service failed; its disk may be full",
      fix: "Wait 60 s, then repeat the call; if it fails again, tell the operator the request_id.",
      request_id: REQUEST_ID,
      retryable: true,
    });
  });

  it("is 500 with the request's id otherwise, and tells nothing else", () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    for (const error of [new Error("near secret: syntax error: SQLITE_ERROR"), "text", null]) {
      const problem = faultOf(error, REQUEST_ID);
      expect(STATUS[problem.code]).toBe(500);
      expect(problemBody(problem)).toMatchObject({
        code: "internal",
        error: "Internal server error",
        request_id: REQUEST_ID,
      });
    }
  });
});
