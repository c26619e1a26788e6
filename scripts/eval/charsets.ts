/** The lead bytes of the double-byte encodings written here, and the trail bytes: 0x40-0xfe holds those of all. */
const LEADS = { first: 0x81, last: 0xfe };
const TRAILS = { first: 0x40, last: 0xfe };

/** ISO-2022-JP (RFC 1468): to JIS X 0208, and back to ASCII. */
const TO_JIS = [0x1b, 0x24, 0x42];
const TO_ASCII = [0x1b, 0x28, 0x42];

const known = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** From character to bytes, learned from the runtime's own decoder: it knows every legacy charset, its encoder only one. */
function tableOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const before = known.get(charset);
  if (before !== undefined) return before;
  const decoder = new TextDecoder(charset);
  const table = new Map<string, readonly number[]>();
  const learn = (bytes: readonly number[]): void => {
    const character = decoder.decode(new Uint8Array(bytes));
    if (Array.from(character).length !== 1 || character === "\ufffd" || table.has(character)) return;
    table.set(character, bytes);
  };
  for (let byte = 0; byte <= 0xff; byte += 1) learn([byte]);
  for (let lead = LEADS.first; lead <= LEADS.last; lead += 1) {
    for (let trail = TRAILS.first; trail <= TRAILS.last; trail += 1) learn([lead, trail]);
  }
  known.set(charset, table);
  return table;
}

function bytesOf(character: string, charset: string): readonly number[] {
  const bytes = tableOf(charset).get(character);
  if (bytes === undefined) throw new Error(`${charset} has no ${character}`);
  return bytes;
}

function iso2022Jp(text: string): Uint8Array {
  const bytes: number[] = [];
  let isJis = false;
  for (const character of text) {
    const isAscii = character < "\u0080";
    if (isAscii === isJis) bytes.push(...(isAscii ? TO_ASCII : TO_JIS));
    isJis = !isAscii;
    // EUC-JP is JIS X 0208 with the high bits set.
    bytes.push(
      ...(isAscii ? [character.charCodeAt(0)] : bytesOf(character, "euc-jp").map((byte) => byte & 0x7f)),
    );
  }
  return new Uint8Array(isJis ? [...bytes, ...TO_ASCII] : bytes);
}

/** The bytes of a text in a charset, by its IANA name. Throws for a character that the charset lacks. */
export function encode(text: string, charset: string): Uint8Array {
  if (charset === "utf-8") return new TextEncoder().encode(text);
  if (charset === "iso-2022-jp") {
    // An ISO-2022-JP line begins and ends in ASCII.
    return Buffer.concat(text.split(/(?<=\r\n)/).map(iso2022Jp));
  }
  return new Uint8Array(Array.from(text).flatMap((character) => [...bytesOf(character, charset)]));
}
