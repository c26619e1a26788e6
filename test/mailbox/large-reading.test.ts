import { expect, it } from "vitest";
import { read } from "../../src/service/receive.ts";
import { turnsDuring } from "../turns.ts";

const FILE = `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${`${"QUJD".repeat(19)}\r\n`.repeat(100_000)}--b--\r\n`;
const RAW = `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${FILE}`;

it("lets other calls run between the parsing of a large message and its further processing", async () => {
  const envelope = {
    from: "a@example.com",
    to: "b@example.com",
    via: "http" as const,
    clientAddress: null,
    helo: null,
  };
  const turns = await turnsDuring(
    read({ raw: Buffer.from(RAW), envelope, sender: () => Promise.resolve(null) }),
  );
  expect(turns).toBeGreaterThan(1);
});
