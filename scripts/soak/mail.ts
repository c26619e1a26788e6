import { createHash } from "node:crypto";
import { Random } from "./random.ts";

/** The choices that decide every byte of a mail. */
export interface MailPlan {
  /** Unique in a run; it makes the subject, the Message-ID and a word that only this mail has. */
  serial: string;
  from: string;
  to: readonly string[];
  /** Bytes of the text. */
  textBytes: number;
  /** Bytes of an attached file as it is encoded; 0: no file. */
  fileBytes: number;
  code: string | null;
}

export const subjectOf = (serial: string): string => `soak ${serial}`;
export const messageIdOf = (serial: string): string => `<${serial}@soak.example>`;
export const wordOf = (serial: string): string => `tok${serial}x`;

/** The serial in a subject that {@link subjectOf} made; null for any other subject. */
export const serialIn = (subject: string): string | null => /^soak ([a-z]\d+)$/.exec(subject)?.[1] ?? null;

const LINE_CHARS = 76;
const POOL_LINES = 4_099;
const random = new Random("lines");
const TEXT_CHARS = "abcdefghijklmnopqrstuvwxyz      ";
const FILE_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const textPool = poolOf(TEXT_CHARS);
const filePool = poolOf(FILE_CHARS);

function poolOf(characters: string): Buffer {
  const lines = Array.from({ length: POOL_LINES }, () => {
    const line = Array.from({ length: LINE_CHARS }, () =>
      characters.charAt(random.whole(0, characters.length - 1)),
    ).join("");
    return `${line}\r\n`;
  });
  return Buffer.from(lines.join(""));
}

/** The bytes of a mail: the same for the same plan. */
export function compose(plan: MailPlan): Buffer {
  const { serial, from, to, textBytes, fileBytes, code } = plan;
  const head = [
    `From: Soak <${from}>`,
    `To: ${to.join(", ")}`,
    `Subject: ${subjectOf(serial)}`,
    `Message-ID: ${messageIdOf(serial)}`,
    "Date: Tue, 03 Nov 2026 10:11:12 +0000",
    "MIME-Version: 1.0",
  ];
  const text = Buffer.concat([
    Buffer.from(`The word is ${wordOf(serial)}.\r\n`),
    Buffer.from(code === null ? "" : `\r\nYour verification code is ${code}.\r\n\r\n`),
    cutOf(textPool, textBytes, serial),
  ]);
  if (fileBytes === 0)
    return Buffer.concat([linesOf([...head, "Content-Type: text/plain; charset=utf-8", "", ""]), text]);
  return Buffer.concat([
    linesOf([
      ...head,
      'Content-Type: multipart/mixed; boundary="=_soak"',
      "",
      "--=_soak",
      "Content-Type: text/plain",
      "",
      "",
    ]),
    text,
    linesOf([
      "",
      "--=_soak",
      'Content-Type: application/pdf; name="report.pdf"',
      'Content-Disposition: attachment; filename="report.pdf"',
      "Content-Transfer-Encoding: base64",
      "",
      "",
    ]),
    cutOf(filePool, fileBytes, serial),
    linesOf(["", "--=_soak--", ""]),
  ]);
}

const linesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.join("\r\n"));

/** About `bytes` bytes of whole lines of a pool, from a place that the serial decides. */
function cutOf(pool: Buffer, bytes: number, serial: string): Buffer {
  const line = LINE_CHARS + 2;
  const lines = Math.max(1, Math.round(bytes / line));
  const from = (createHash("sha256").update(serial).digest().readUInt32BE() % POOL_LINES) * line;
  const pieces: Buffer[] = [pool.subarray(from, from + lines * line)];
  for (let left = lines * line - (pieces[0]?.length ?? 0); left > 0;) {
    const piece = pool.subarray(0, left);
    pieces.push(piece);
    left -= piece.length;
  }
  return Buffer.concat(pieces);
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
