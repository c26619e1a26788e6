import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Control } from "../../src/twin/control.ts";

/** A control whose runtime gives every call the same answer. */
async function controlThatHears(answer: object): Promise<Control> {
  const server = createServer((_request, response) => {
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return new Control(new URL(`http://127.0.0.1:${port}`), "token");
}

it("`advance` and `settled` resolve when every attempt has ended", async () => {
  const control = await controlThatHears({ now_ms: 5_000, settled: true });
  expect(await control.advance(5_000)).toEqual(new Date(5_000));
  await expect(control.settled()).resolves.toBeUndefined();
});

it("`advance` and `settled` reject if an attempt does not end", async () => {
  const control = await controlThatHears({ now_ms: 5_000, settled: false });
  await expect(control.advance(5_000)).rejects.toThrow(/under way/);
  await expect(control.settled()).rejects.toThrow(/under way/);
});
