import { afterEach, vi } from "vitest";

// Files of one project share a worker: each test leaves the clock, the spies, the globals and the environment as it found them.
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
