import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonAnswer } from "../../../src/host/dns/mail-dns.ts";
import { askServers, serverPlace } from "../../../src/host/dns/server-dns.ts";
import { askDoh } from "../../../src/lib/dns/doh-dns.ts";
import { DnsServer } from "../../dns-server.ts";

let server: DnsServer;

beforeAll(async () => {
  server = await DnsServer.start();
  server.zone.set("TXT", "example.org", '"one " "two"', '"other"');
  server.zone.set(
    "TXT",
    "long.example.org",
    ...Array.from({ length: 20 }, (_, index) => `"${index}${"x".repeat(200)}"`),
  );
  server.zone.set("CNAME", "alias.example.org", "example.org.");
  server.zone.set("MX", "example.org", "10 mx.example.org.");
  server.zone.broken.add("broken.example.org");
});
afterAll(() => server.stop());

const place = () => ({ host: "127.0.0.1", port: server.port });

describe("asking DNS servers", () => {
  it("gets records with their TTL, over TCP where they are too many for a datagram", async () => {
    const ask = askServers([place()]);
    expect(await ask("example.org", "TXT")).toEqual({
      answer: { records: ["one two", "other"], exists: true },
      ttlSeconds: 60,
    });
    expect((await ask("long.example.org", "TXT")).answer.records).toHaveLength(20);
    expect((await ask("alias.example.org", "MX")).answer.records).toEqual(["10 mx.example.org"]);
    expect((await ask("example.org", "A")).answer).toEqual({ records: [], exists: true });
    expect((await ask("missing.example.org", "A")).answer).toEqual({ records: [], exists: false });
  });

  it("asks the next server after a failure, and rejects when each has failed", async () => {
    // Nothing listens on the first one's port: the system says so at once.
    const ask = askServers([{ host: "127.0.0.1", port: 1 }, place()]);
    expect((await ask("example.org", "MX")).answer.records).toEqual(["10 mx.example.org"]);
    await expect(askServers([place()])("broken.example.org", "TXT")).rejects.toThrow("No resolver answered");
  });

  it("answers the worker in application/dns-json, with every byte of a text, and says what failed", async () => {
    server.zone.set("TXT", "quoted.example.org", String.raw`"say \"hi\" \\ there"`);
    const ask = askServers([place()]);
    const worker = askDoh("http://npm-start/dns-query", async (url) =>
      Response.json(await jsonAnswer(ask, new URL(url instanceof Request ? url.url : url).searchParams)),
    );
    for (const [name, type] of [
      ["example.org", "TXT"],
      ["quoted.example.org", "TXT"],
      ["alias.example.org", "MX"],
      ["missing.example.org", "A"],
    ] as const)
      expect((await worker(name, type)).answer).toEqual((await ask(name, type)).answer);
    await expect(worker("broken.example.org", "TXT")).rejects.toThrow("failed with code 2");
  });

  it.each([
    ["192.0.2.1", "192.0.2.1", 53],
    ["192.0.2.1:5353", "192.0.2.1", 5353],
    ["2001:db8::1", "2001:db8::1", 53],
    ["[2001:db8::1]:5353", "2001:db8::1", 5353],
  ])("reads the place %s", (text, host, port) => {
    expect(serverPlace(text)).toEqual({ host, port });
  });
});
