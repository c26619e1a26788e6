import type { TextStream } from "../../src/cli/terminal/output.ts";

/** A stream that keeps what it is given, and says whether it is a terminal. */
export class KeptStream implements TextStream {
  text = "";
  readonly isTTY: boolean;
  readonly columns = 100;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string | Uint8Array): boolean {
    this.text += typeof text === "string" ? text : Buffer.from(text).toString();
    return true;
  }

  once(): void {}
}
