import { expect, it } from "vitest";
import { BREATH_BYTES, Gate, Pace } from "../../src/lib/breath.ts";

it("lets other work in after so many bytes, however small the steps are", async () => {
  let others = 0;
  const timer = setInterval(() => (others += 1), 0);
  const pace = new Pace();
  for (let step = 0; step < 10 * 64; step += 1) await pace.spend(BREATH_BYTES / 64);
  clearInterval(timer);
  expect(others).toBeGreaterThanOrEqual(5);
});

it("lets other work in after some time, however few the bytes are", async () => {
  let hasRun = false;
  setTimeout(() => (hasRun = true), 0);
  const pace = new Pace();
  const endsAt = performance.now() + 50;
  while (performance.now() < endsAt) await pace.spend(0);
  expect(hasRun).toBe(true);
});

it("lets one at a time through a gate, also after one that failed or never came back", async () => {
  const gate = new Gate();
  let [inside, most] = [0, 0];
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 3));
    inside -= 1;
  };
  await expect(gate.through(() => Promise.reject(new Error("x")))).rejects.toThrow("x");
  await Promise.all(Array.from({ length: 8 }, () => gate.through(work)));
  expect(most).toBe(1);
  void gate.through(() => new Promise(() => {}));
  await gate.through(work);
});
