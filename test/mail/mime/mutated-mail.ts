/** Random numbers that a seed repeats (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, and without, `sides`. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.roll(choices.length)];
    if (choice === undefined) throw new Error("There is nothing to choose from");
    return choice;
  }
}

/** Bytes that readers of mail stumble over. `B` stands for a boundary of the message. */
const TOKENS = [
  "\r",
  "\n",
  "\r\n",
  "\r\r\n",
  "\n\r",
  "\r\n\r\n",
  "\n\n",
  " ",
  "\t",
  "\0",
  "-",
  "--",
  "\n-",
  "\n--",
  "=",
  "=\r\n",
  "= \t\r\n",
  "=4",
  "=3D",
  "=\r",
  "====",
  "QQ==",
  "QUJD",
  "\xff",
  "\xef\xbb\xbf",
  "\xc3",
  "(",
  '"',
  ";",
  ":",
  "\r\n--B\r\n",
  "\r\n--B--\r\n",
  "\n--B \t\n",
  "\n--B-\n",
  "\n--Bx\n",
  "\n --B\n",
  "\n--B-- \n",
  "\n--B--x\n",
  "--B",
  "\r--B\r",
  "\n--B\n\n",
  "\n--B\nContent-Type: text/html\n\n",
  "\n--B\nContent-Type: message/rfc822\n\nSubject: in\n\n",
  "\n--B\nContent-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\nAAEC\nAw==\n",
  "\n--B\nContent-Type: text/calendar; charset=utf-8; method=REQUEST\n\nBEGIN:VCALENDAR\n",
  "\n--B\nContent-Type: multipart/alternative; boundary=B\n\n",
  "\n--B\nContent-Type: multipart/mixed; boundary=Bx\n\n--Bx\n\ninner\n--Bx--\n",
  "\n--B\nContent-Type: multipart/digest; boundary=q\n\n--q\n\nSubject: d\n\nx\n--q--\n",
  "\n--B\nContent-Disposition: attachment; filename=f\n",
  "\n--B\nContent-Type: multipart/mixed\n\n",
  "Content-Type: multipart/mixed; boundary=B\r\n",
  'Content-Type: multipart/mixed; boundary=" B"\r\n',
  "Content-Type: multipart/; boundary=B\n",
  "Content-Type: text/plain; charset=utf-16le\n",
  "Content-Type: text/plain; format=flowed; delsp=yes\n",
  "Content-Type: text/csv; charset=shift_jis\n",
  "Content-Transfer-Encoding: base64\r\n",
  "Content-Transfer-Encoding: quoted-printable\r\n",
  "Content-Transfer-Encoding: x-uuencode\n",
  "Content-Transfer-Encoding: (a) base64\n",
  "Content-Disposition: attachment\r\n",
  'Content-Disposition: inline; filename="a\\"b.txt"\n',
  "Received: from a\r\n\tby b\r\n",
  "Return-Path: <>\n",
  " folded\n",
  "begin 644 a\n#0V%T\n`\nend\n",
] as const;

/** A message with some of its bytes removed, doubled, moved, exchanged for those of `other`, or broken by tokens. */
export function mutated(raw: Uint8Array, other: Uint8Array, dice: Dice): Uint8Array {
  const boundaries = boundariesOf(raw);
  let bytes = Buffer.from(raw);
  for (let left = 1 + dice.roll(6); left > 0; left--) bytes = change(bytes, { other, boundaries, dice });
  return bytes;
}

/** Cuts a message at random places, into single bytes around some of them. */
export function* cutAnywhere(raw: Uint8Array, dice: Dice): Generator<Uint8Array> {
  const most = dice.pick([2, 30, 500, 5_000, 100_000]);
  for (let at = 0; at < raw.length;) {
    const end = at + 1 + dice.roll(most);
    yield raw.subarray(at, end);
    at = end;
  }
}

interface Means {
  other: Uint8Array;
  boundaries: readonly string[];
  dice: Dice;
}

function change(bytes: Buffer, { other, boundaries, dice }: Means): Buffer {
  const at = placeIn(bytes, dice);
  const length = 1 + dice.roll(dice.pick([3, 40, 400]));
  const [before, piece, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ];
  switch (dice.roll(9)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, piece, piece, after]);
    case 2:
      return Buffer.concat([before, after, piece]);
    case 3: {
      const from = dice.roll(other.length + 1);
      return Buffer.concat([before, other.subarray(from, from + length), after]);
    }
    case 4:
      return dice.roll(4) === 0 ? before : Buffer.concat([before, Buffer.of(dice.roll(256)), after]);
    default: {
      const token = dice.pick(TOKENS).replaceAll("B", dice.pick(boundaries));
      return Buffer.concat([
        before,
        Buffer.from(token, "latin1"),
        bytes.subarray(at + (dice.roll(3) === 0 ? length : 0)),
      ]);
    }
  }
}

/** Anywhere, or at the start of a line: most of what structures a message stands there. */
function placeIn(bytes: Buffer, dice: Dice): number {
  const at = dice.roll(bytes.length + 1);
  return dice.roll(2) === 0 ? at : bytes.indexOf(0x0a, at) + 1;
}

function boundariesOf(raw: Uint8Array): string[] {
  const text = Buffer.from(raw).toString("latin1");
  const found = [...text.matchAll(/boundary="?([^"\s;]{1,70})/gi)].map(([, boundary = "b"]) => boundary);
  return found.length === 0 ? ["b"] : found;
}
