import { describe, expect, it } from "vitest";
import { isHarmless } from "../../src/host/log-filter.ts";

const FAILED = "e = rust/worker/ffi.rs:110: failed:";

describe("the log of the server", () => {
  it.each([
    `${FAILED} connecting to localhost:80 is not allowed\nstack: 1 2`,
    `${FAILED} failed to lookup address information: Name or service not known`,
    `${FAILED} TLS handshake failed: received corrupt message`,
    "NOSENTRY SQLite alarm handler canceled.; scheduledTime = 2026-11-22; actorId = 5a13",
    "NOSENTRY SQLite alarm handler canceled with requestScheduledAlarm.; scheduledTime = 2026-11-22",
    "NOSENTRY SQLite alarm overdue, running despite AlarmManager mismatch; scheduledTime = 2026-11-22",
    "NOSENTRY DEBUG_ALARM: Moving alarm later; sqlite_has = x",
    "exception = workerd/api/streams/internal.c++:532: disconnected: pump canceled\nstack: 3e22c07",
    "uncaught exception; exception = kj/async-io-unix.c++:1: disconnected: Connection reset by peer",
  ])("leaves out a line that needs no action: %s", (line) => {
    expect(isHarmless(line)).toBe(true);
  });

  it.each([
    "A mailbox's alarm did not finish and rings again: connecting to x",
    `${FAILED} disk is full`,
    "NOSENTRY output lock broke during alarm execution; description = disk is full",
    "NOSENTRY SQLite reschedule later alarm failed",
    "NOSENTRY actor cache flush failed",
    "exception = workerd/util/sqlite.c++:1: failed: database disk image is malformed: SQLITE_CORRUPT",
    "exception = kj/filesystem-disk-unix.c++:1: overloaded: Too many open files",
    "*** Fatal uncaught kj::Exception: disconnected: x",
    "Request 01a20222 failed: NOSENTRY SQLite alarm handler canceled",
  ])("shows a line that may need action: %s", (line) => {
    expect(isHarmless(line)).toBe(false);
  });
});
