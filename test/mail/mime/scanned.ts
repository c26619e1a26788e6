import { createHash } from "node:crypto";
import { contentDigest, parseMail } from "../../../src/mail/mime/parse.ts";
import type { ParsedAttachment } from "../../../src/mail/mime/parsed-mail.ts";
import type { FileReader, PassingFile, ScannedMail } from "../../../src/mail/mime/scanned-mail.ts";
import { MailScanner } from "../../../src/mail/mime/scanner.ts";
import { PassingFiles } from "../../../src/mail/passing-files.ts";
import { queueIdsIn } from "../../../src/mail/report/queue-ids.ts";
import { readReport } from "../../../src/mail/report/read-report.ts";
import { attachmentTexts } from "../../../src/mail/text/attachment-text.ts";

/** Bytes of the beginning of a file that both readers are compared by. */
const START_BYTES = 600;

/** A message as a parser or a scanner reads it, in one shape. */
export type Said = Record<string, unknown>;

/** Notes the beginnings of the files that pass, beside what is stored of them. */
class Notes implements FileReader {
  readonly wantsDigests = true;
  readonly files = new PassingFiles();
  starts: string[] = [];

  wantedBytes(contentType: string): number {
    return Math.max(START_BYTES, this.files.wantedBytes(contentType));
  }

  read(file: PassingFile): void {
    this.starts.push(latin1(file.start(START_BYTES).bytes));
    this.files.read(file);
  }

  restart(): void {
    this.starts = [];
    this.files.restart();
  }
}

/** The message as `parseMail` reads it. */
export async function asParsed(raw: Uint8Array): Promise<Said> {
  const parsed = await parseMail(raw);
  const { attachments, ...mail } = parsed;
  return {
    ...mail,
    report: readReport(parsed, ""),
    queueIds: queueIdsIn(parsed),
    digest: contentDigest(raw),
    sizeBytes: raw.length,
    texts: attachmentTexts(attachments),
    files: attachments.map((file) => ({
      ...describedBy(file),
      sha256: createHash("sha256").update(file.content).digest("hex"),
      start: latin1(file.content.subarray(0, START_BYTES)),
    })),
  };
}

/** The message as a scanner reads it that gets it in these pieces. */
export async function asScanned(pieces: Iterable<Uint8Array>): Promise<{ said: Said; scanned: ScannedMail }> {
  const notes = new Notes();
  const scanner = new MailScanner(notes);
  for (const piece of pieces) {
    // A scanner may hold no view of a piece.
    const bytes = Uint8Array.from(piece);
    await scanner.write(bytes);
    bytes.fill(0x58);
  }
  const scanned = await scanner.end();
  const { attachments, ...mail } = scanned;
  const files = attachments.map((file, index) => ({
    ...describedBy(file),
    sha256: file.sha256,
    start: notes.starts[index],
  }));
  const { parts, texts, queueIds } = notes.files;
  const report = readReport({ ...mail, attachments: parts }, "");
  return { said: { ...mail, report, queueIds, texts, files }, scanned };
}

/** Pieces of `bytes` bytes each. */
export function* piecesOf(raw: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let at = 0; at < raw.length; at += bytes) yield raw.subarray(at, at + bytes);
}

type Described = Pick<
  ParsedAttachment,
  "filename" | "contentType" | "disposition" | "contentId" | "partIndex" | "sizeBytes"
>;

function describedBy(file: Described): Described {
  const { filename, contentType, disposition, contentId, partIndex, sizeBytes } = file;
  return { filename, contentType, disposition, contentId, partIndex, sizeBytes };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
