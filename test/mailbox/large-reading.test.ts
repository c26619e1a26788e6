import { expect, it } from "vitest";
import { arrivingFrom, isWhole } from "../../src/service/arriving.ts";
import { dropped, readWhilePassing } from "../../src/service/passing-mail.ts";
import { known } from "../../src/service/sender-check.ts";
import { turnsDuring } from "../turns.ts";

const FILE = `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${`${"QUJD".repeat(19)}\r\n`.repeat(100_000)}--b--\r\n`;
const RAW = `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${FILE}`;
/** Bytes between two turns, at most. */
const TURN_BYTES = 524_288;

it("lets other calls run all the time that a large message is read", async () => {
  const message = arrivingFrom(Buffer.from(RAW));
  if (isWhole(message)) throw new Error("The message is not large");
  const turns = await turnsDuring(readWhilePassing(message, known(null), dropped));
  expect(turns).toBeGreaterThanOrEqual(Math.floor(RAW.length / TURN_BYTES));
});
