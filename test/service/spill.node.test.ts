import { describe, expect, it, vi } from "vitest";
import type { MailboxStub } from "../../src/service/mailbox-stub.ts";
import { Spill } from "../../src/service/spill.ts";

describe("bytes that wait for the end of an export", () => {
  it("stay reserved while a slow reader takes what comes before them", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const chunks: ArrayBuffer[] = [];
    let reservedUntil = 0;
    const mailbox = {
      name: "a@example.com",
      reserve: async () => {
        reservedUntil = Date.now() + 3_600_000;
        return { ok: true, value: null };
      },
      putChunk: async (_key: string, position: number, bytes: ArrayBuffer) => {
        chunks[position] = bytes;
      },
      getChunk: async (_key: string, position: number) => chunks[position] ?? null,
    };
    const spill = new Spill(mailbox as unknown as MailboxStub);
    await spill.add("x".repeat(1_200_000));
    for (let minute = 0; minute < 300; minute += 1) {
      vi.setSystemTime(Date.now() + 60_000);
      await spill.keep();
      expect(Date.now()).toBeLessThan(reservedUntil);
    }
    let bytes = 0;
    for await (const piece of spill.pieces()) bytes += piece.length;
    expect(bytes).toBe(1_200_000);
    vi.useRealTimers();
  });

  it("are not held in memory where the mailbox cannot hold them: the export stops", async () => {
    const error = { code: "not_found", error: "Unknown mailbox" };
    const mailbox = { name: "a@example.com", reserve: async () => ({ ok: false, error }) };
    const spill = new Spill(mailbox as unknown as MailboxStub);
    await expect(spill.add("x".repeat(1_200_000))).rejects.toThrow("Unknown mailbox");
  });
});
