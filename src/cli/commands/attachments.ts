import { createWriteStream, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { command } from "../command.ts";
import { CliError, EXIT, usageError } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { checkFile, upload } from "./sending.ts";

const MAX_NAME_CHARS = 120;

/**
 * A name for a file of a stranger: one name without a folder, no hidden file, none that Windows gives to a device, and
 * no character that a terminal or a shell obeys.
 */
export function safeFilename(name: string): string {
  const last = safeLine(name).split(/[/\\]/).at(-1) ?? "";
  const bare = last
    .replaceAll(/[^\p{L}\p{N} ._()+-]/gu, "_")
    .replace(/^[.\s-]+|[.\s]+$/g, "")
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
  const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(bare);
  return bare === "" || isDevice ? `attachment${bare === "" ? "" : `-${bare}`}` : bare;
}

/** The name of a file by its Content-Disposition (RFC 6266); "" without one. */
export function nameInHeader(header: string | null): string {
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/i.exec(header ?? "") ?? [];
  if (encoded !== undefined && URL.canParse(`x:${encoded}`)) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Not valid UTF-8: the plain name counts.
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(header ?? "")?.[1]?.replaceAll(/\\(.)/g, "$1") ?? "";
}

export const attachmentCommands = [
  command({
    name: "attachments get",
    summary: "Download an attachment",
    args: [{ name: "id", about: "The id of an attachment, as `mailkeep read` shows it." }],
    flags: {
      output: {
        type: "text",
        about:
          "Where to write it: a file, or - for stdout. A pipe gets it on stdout; on a terminal it is a new file here.",
        value: "file",
        short: "o",
      },
    },
    examples: ["mailkeep attachments get 01a202aa-8f50-7000-949b-74c43c6e0000 -o invoice.pdf"],
    run: async ({ mail, output, signal }, { words: [id = ""], flags }) => {
      const target = flags.output ?? (output.isTerminal ? null : "-");
      if (target === "-" && output.isTerminal) {
        throw usageError("a terminal cannot show the bytes of a file: use -o <file>", "attachments get");
      }
      const response = await mail.attachments.download(id, { signal });
      const body = Readable.from(response.body ?? []);
      if (target === "-") {
        for await (const chunk of body) await output.write(chunk as Uint8Array);
        return;
      }
      const own = safeFilename(nameInHeader(response.headers.get("Content-Disposition")));
      const file = target ?? own;
      // The name is the sender's: it must not replace a file that is there.
      if (target === null && existsSync(file)) {
        body.destroy();
        throw new CliError(
          EXIT.usage,
          `${file} is there already`,
          `mailkeep attachments get ${id} -o <file>`,
        );
      }
      const bytes = await output.progress.during(`Downloading ${path.basename(file)}`, () =>
        written(body, file, target === null),
      );
      await output.fields({ id, file, size_bytes: bytes }, { File: file, Bytes: bytes });
    },
  }),
  command({
    name: "attachments put",
    summary: OPERATIONS.upload.summary,
    args: [{ name: "file", about: "The file." }],
    flags: { type: { type: "text", about: "Its media type, such as application/pdf.", value: "type" } },
    examples: ["mailkeep attachments put report.pdf --type application/pdf"],
    run: async ({ mail, output, signal }, { words: [file = ""], flags }) => {
      checkFile(file);
      const stored = await output.progress.during(`Uploading ${path.basename(file)}`, () =>
        upload(mail, file, signal, flags.type),
      );
      const { id, filename, size_bytes, expires_at } = stored;
      await output.fields(stored, { Id: id, File: filename, Bytes: size_bytes, Until: expires_at });
    },
  }),
];

/** Writes a stream to a file, and leaves no half of one; resolves to the bytes that were written. */
async function written(body: Readable, file: string, isNew: boolean): Promise<number> {
  const sink = createWriteStream(file, { flags: isNew ? "wx" : "w" });
  try {
    await pipeline(body, sink);
  } catch (error) {
    if (isNew && sink.bytesWritten > 0) rmSync(file, { force: true });
    throw error;
  }
  return sink.bytesWritten;
}
