import fc from "fast-check";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { handedOverSockets, listenAddress } from "../../../src/host/systemd/listen-fds.ts";

const PID = 4_711;
const NONE = { http: null, smtp: null, redirect: null };
const handed = (names: string, count = names.split(":").length, pid = PID) =>
  handedOverSockets({ LISTEN_PID: String(pid), LISTEN_FDS: String(count), LISTEN_FDNAMES: names }, PID);

describe("sockets that systemd hands over", () => {
  it("are known by their names, in any order", () => {
    expect(handed("http:smtp")).toEqual({ http: 3, smtp: 4, redirect: null });
    expect(handed("smtp:http")).toEqual({ http: 4, smtp: 3, redirect: null });
    expect(handed("http:smtp:redirect")).toEqual({ http: 3, smtp: 4, redirect: 5 });
    expect(handed("smtp")).toEqual({ http: null, smtp: 3, redirect: null });
  });

  it("are none without the variables, and none if they were meant for another process", () => {
    expect(handedOverSockets({}, PID)).toEqual(NONE);
    expect(handed("http", 1, PID - 1)).toEqual(NONE);
    expect(handedOverSockets({ LISTEN_PID: String(PID), LISTEN_FDS: "many" }, PID)).toEqual(NONE);
  });

  it("are refused with a wrong name, with no name, and with one name for two", () => {
    expect(() => handed("mailkeep-http.socket")).toThrow(
      'A handed-over socket is named "mailkeep-http.socket": its .socket unit needs FileDescriptorName=http, smtp or redirect',
    );
    expect(() => handed("http", 2)).toThrow('is named ""');
    expect(() => handed("http:http")).toThrow(
      "Two handed-over sockets are named http: give the .socket units one ListenStream= for http",
    );
  });
});

describe("the address of a listening socket", () => {
  it.each(["127.0.0.1", "0.0.0.0", "::1", "::"])("is found for %s", async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as AddressInfo;
    // Node does not tell its descriptor: the one of the table that listens on the port is the server's.
    const table = readFileSync(`/proc/self/net/${host.includes(":") ? "tcp6" : "tcp"}`, "utf8");
    const hex = port.toString(16).toUpperCase().padStart(4, "0");
    const row = table.split("\n").find((line) => line.includes(`:${hex} `) && / 0A /.test(line));
    const inode = row?.trim().split(/\s+/)[9] ?? "";
    expect(listenAddress(table, inode)).toEqual({ host, port });
    expect(listenAddress(table, `${inode}0`)).toBeNull();
    await new Promise((resolve) => server.close(resolve));
  });

  it("is read from any table without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (table, inode) => {
        const address = listenAddress(`header\n${table}`, inode);
        expect(address === null || typeof address.host === "string").toBe(true);
      }),
    );
  });
});
