import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { claimPorts, listenRefusal } from "../../src/host/ports.ts";

describe("the ports of a start", () => {
  it("are chosen free and distinct for 0", async () => {
    const place = { host: "127.0.0.1", port: 0 };
    const [http, smtp] = await claimPorts([
      { ...place, protocol: "HTTP", variable: "PORT" },
      { ...place, protocol: "SMTP", variable: "SMTP_PORT" },
    ]);
    expect(http).toBeGreaterThan(0);
    expect(smtp).not.toBe(http);
  });

  it("say in one line which one is busy and which variable changes it", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const claim = claimPorts([{ protocol: "SMTP", host: "127.0.0.1", port, variable: "SMTP_PORT" }]);
    await expect(claim).rejects.toThrow(
      `SMTP port ${port} on 127.0.0.1 is busy: stop the program that listens there, or set SMTP_PORT to another port, such as SMTP_PORT=${port + 1}`,
    );
    await new Promise((resolve) => void other.close(resolve));
  });

  it("name the variable of a host that is not this machine", async () => {
    const claim = claimPorts([{ protocol: "SMTP", host: "192.0.2.1", port: 0, variable: "SMTP_PORT" }]);
    await expect(claim).rejects.toThrow(/^SMTP_HOST=192\.0\.2\.1 is no address of this machine/);
    const unknown = Object.assign(new Error("lookup"), { code: "ENOTFOUND" });
    const place = { protocol: "HTTP", host: "nowhere", port: 80, variable: "PORT" } as const;
    expect(listenRefusal(place, unknown).message).toMatch(/^HOST=nowhere is no address of this machine/);
  });
});
