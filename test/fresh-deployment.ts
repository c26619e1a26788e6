import { reset } from "cloudflare:test";
import { afterAll, vi } from "vitest";

// The files of a run share one workerd. Each begins with an empty deployment and the real clock.
afterAll(async () => {
  vi.useRealTimers();
  await reset();
});
