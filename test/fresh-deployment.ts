import { reset } from "cloudflare:test";
import { afterAll, beforeAll, vi } from "vitest";

// The files of a worker share one workerd. Each begins with an empty deployment, and leaves the real clock.
beforeAll(reset);
afterAll(() => void vi.useRealTimers());
