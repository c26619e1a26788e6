const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/**
 * Converts a message to what DATA carries (RFC 5321 §4.5.2): adds a dot before every line that begins with one. A bare CR
 * or LF becomes CRLF, so that no peer can read a dot between them as the end of the message (SMTP smuggling).
 */
export class DotStuffing {
  #previous = LF;

  /** Converts the next chunk, of any size; the result is a copy. */
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

  /** The end of the message; first ends its last line if that is open. */
  end(): string {
    if (this.#previous === LF) return ".\r\n";
    return this.#previous === CR ? "\n.\r\n" : "\r\n.\r\n";
  }
}
