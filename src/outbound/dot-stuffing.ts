const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/**
 * Makes of a message what DATA carries (RFC 5321 §4.5.2): a dot before every line that begins with one. A bare CR or LF becomes
 * a line end, so that no peer can take a dot between such for the end of the message (SMTP smuggling).
 */
export class DotStuffing {
  #previous = LF;

  /** One chunk after another, of any size; the answer is a copy. */
  stuff(chunk: Uint8Array): Uint8Array {
    const out = new Uint8Array(2 * chunk.byteLength + 1);
    let length = 0;
    for (const byte of chunk) {
      if (this.#previous === CR && byte !== LF) {
        out[length++] = LF;
        this.#previous = LF;
      }
      if (byte === LF && this.#previous !== CR) out[length++] = CR;
      if (byte === DOT && this.#previous === LF) out[length++] = DOT;
      out[length++] = byte;
      this.#previous = byte;
    }
    return out.subarray(0, length);
  }

  /** What ends the message, whose last line is ended first if it is not. */
  end(): string {
    if (this.#previous === LF) return ".\r\n";
    return this.#previous === CR ? "\n.\r\n" : "\r\n.\r\n";
  }
}
