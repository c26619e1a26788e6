import { describe, expect, it } from "vitest";
import { arriving, closeMessage, isWhole } from "../../src/service/arriving.ts";
import { MAX_ROW_BYTES } from "../../src/service/blob-choice.ts";

describe("a large message that nobody wants", () => {
  it("ends the stream that it comes from, whether some of it was read or not", async () => {
    for (const isBegun of [false, true]) {
      let isEnded = false;
      const endless = async function* (): AsyncGenerator<Uint8Array, void> {
        try {
          for (;;) yield new Uint8Array(MAX_ROW_BYTES);
        } finally {
          isEnded = true;
        }
      };
      const message = await arriving(endless(), null);
      if (isWhole(message)) throw new Error("The message is small");
      if (isBegun) await message.pieces().next();
      expect(isEnded).toBe(false);
      await closeMessage(message);
      expect(isEnded).toBe(true);
    }
  });
});
