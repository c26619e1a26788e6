import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { Mailkeep } from "../../client/index.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, usageError } from "../exit.ts";
import { readJsonFile } from "../profile/files.ts";
import { runServerCommand } from "../server-command.ts";
import type { SavedExport } from "../moving/save-export.ts";
import { checkFile } from "./sending.ts";
import { nameInHeader, safeFilename } from "./attachments.ts";

const MEGABYTE = 1_000_000;

interface ExportFlags {
  after?: string;
  verify?: string;
  keys?: string;
}

export const movingCommands = [
  command({
    name: "export",
    summary: "Write all mail of the mailbox to a file, and verify it",
    args: [
      {
        name: "file",
        about:
          "The file, or - for stdout. Without it a pipe gets it on stdout; on a terminal it is a new file here.",
        isOptional: true,
      },
    ],
    flags: {
      after: { type: "text", about: "Only emails after this one.", value: "id" },
      verify: { type: "text", about: "Export nothing; verify this file, an earlier export.", value: "file" },
      keys: {
        type: "text",
        about: "Verify with the public keys in this file; else the deployment is asked for its keys.",
        value: "file",
      },
    },
    about: [
      "The file is a signed tar archive of a Maildir. It gets its name once every byte is verified: until then a file of that",
      "name stays as it was. What goes to stdout is verified while it passes: the exit code says whether all of it is right.",
      "An export that is cut off goes on by itself once the deployment answers again.",
    ],
    examples: [
      "mailkeep export mailbox.tar",
      "mailkeep export --verify mailbox.tar",
      "mailkeep export --verify mailbox.tar --keys mailkeep-keys.json",
    ],
    run: async (context, { words: [file = ""], flags }) => {
      if (flags.verify === undefined) return exportTo(context, file, flags);
      if (file !== "" || flags.after !== undefined) {
        throw usageError("--verify exports nothing: give it alone, or with --keys", "export");
      }
      await verifyOne(context, flags.verify, flags.keys);
    },
  }),
  command({
    name: "import",
    summary: "Import mail from files, or from an IMAP account with mailkeep-server",
    args: [
      { name: "file...", about: "mbox, .eml, tar, an export, and folders of a Maildir.", isRepeated: true },
    ],
    flags: { label: { type: "text", about: "A label for every imported email.", value: "label" } },
    about: [
      "Run again, it makes no second copy; interrupted, the same command goes on. With --imap, `mailkeep-server` runs it,",
      "where that is installed: mailkeep-server import --help.",
    ],
    examples: ["mailkeep import archive.mbox Maildir", "mailkeep import --imap imaps://ann@imap.example.com"],
    passesOn: (words) => words.some(isImap),
    run: importFiles,
  }),
];

/** Whether a word asks for an IMAP account. */
function isImap(word: string): boolean {
  return /^--imap(?:=|$)/.test(word);
}

async function exportTo(context: Context, named: string, flags: ExportFlags): Promise<void> {
  const { output } = context;
  if (named === "-" || (named === "" && !output.isTerminal)) return toStdout(context, flags);
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory()) throw usageError(`${named} is a folder`);
  const keys = await keysOf(context, flags.keys);
  const from = await begun(context, flags);
  const { ownName } = from;
  if (named === "" && existsSync(ownName)) {
    from.leave();
    throw new CliError(EXIT.usage, `${ownName} is there already`, "mailkeep export <file>");
  }
  const file = named === "" ? ownName : named;
  await show(context, file, await toFile(context, { export: from, file, keys }));
}

/** An export that has begun: its bytes, also those after a cut, and how often it was resumed. */
interface BegunExport {
  bytes: AsyncIterable<Uint8Array>;
  timesResumed: () => number;
  /** The name that the deployment gives the file. */
  ownName: string;
  /** Ends it unread. */
  leave: () => void;
}

async function begun({ mail, signal }: Context, { after }: ExportFlags): Promise<BegunExport> {
  const { resumingExport } = await import("../moving/resuming-export.ts");
  const ask = async (query: Parameters<typeof mail.archives.export>[0]) => {
    const { body, headers } = await mail.archives.export(query, { signal });
    return { body: Readable.from(body ?? []), token: headers.get("Mailkeep-Resume"), headers };
  };
  const first = await ask(after === undefined ? {} : { after });
  let times = 0;
  const resumed = (sofar: number) => void (times = sofar);
  return {
    bytes: resumingExport(first, { ask, signal, resumed }),
    timesResumed: () => times,
    ownName: safeFilename(nameInHeader(first.headers.get("Content-Disposition"))),
    leave: () => void first.body.destroy(),
  };
}

/** How far an export is, for people. */
function reached({ timesResumed }: BegunExport, bytes: number): string {
  const times = timesResumed();
  const resumed = times === 0 ? "" : `, resumed ${times} ${times === 1 ? "time" : "times"}`;
  return `${Math.floor(bytes / MEGABYTE)} MB${resumed}`;
}

async function toFile(
  { output, signal }: Context,
  { export: from, file, keys }: { export: BegunExport; file: string; keys: unknown },
): Promise<SavedExport> {
  const { saveExport } = await import("../moving/save-export.ts");
  let bytes = 0;
  const wrote = (sofar: number) => void (bytes = sofar);
  const name = output.safe(path.basename(file));
  const shown = () => `Exporting to ${name}, ${reached(from, bytes)}`;
  try {
    return await output.progress.during(shown, () => saveExport(from.bytes, file, { keys, signal, wrote }));
  } catch (error) {
    return failedExport(error);
  }
}

async function toStdout(context: Context, flags: ExportFlags): Promise<void> {
  const { output, signal } = context;
  if (output.isTerminal) {
    throw usageError("a terminal cannot show the bytes of an archive: name a file", "export");
  }
  const keys = await keysOf(context, flags.keys);
  const { PassingBytes } = await import("../moving/archive-bytes.ts");
  const { BadExport, verifyPassing } = await import("../moving/verify-export.ts");
  const from = await begun(context, flags);
  let bytes = 0;
  const passing = new PassingBytes(from.bytes, async (piece) => {
    await output.write(piece);
    bytes += piece.length;
  });
  try {
    await output.progress.during(
      () => `Exporting, ${reached(from, bytes)}`,
      () => verifyPassing(passing, keys),
    );
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof BadExport && error.cut === null) {
      const message = `what was written is not what the deployment signed: ${error.message}`;
      throw new CliError(EXIT.transient, message, `discard it, and run the command again`);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      EXIT.transient,
      `the export was cut off after ${bytes} bytes: ${reason}`,
      "discard what was written, and run the command again; or write to a file: mailkeep export <file>",
    );
  }
}

/** The error of an export that was not written. */
async function failedExport(error: unknown): Promise<never> {
  const { BadExport } = await import("../moving/verify-export.ts");
  const { CutExport } = await import("../moving/save-export.ts");
  if (error instanceof CutExport) {
    throw new CliError(
      EXIT.transient,
      `the export was cut off; ${error.file} holds the emails up to ${error.lastId}`,
      `mailkeep export --after ${error.lastId} <another file>`,
    );
  }
  if (!(error instanceof BadExport)) throw error;
  const message = `the export did not arrive as it was signed, and nothing was written: ${error.message}`;
  throw new CliError(EXIT.transient, message, "mailkeep export <file>");
}

async function verifyOne(context: Context, file: string, keysFile: string | undefined): Promise<void> {
  checkFile(file);
  const keys = await keysOf(context, keysFile);
  const { BadExport } = await import("../moving/verify-export.ts");
  const { verifyFile } = await import("../moving/save-export.ts");
  const { output } = context;
  try {
    const verifying = `Verifying ${output.safe(path.basename(file))}`;
    await show(context, file, await output.progress.during(verifying, () => verifyFile(file, keys)));
  } catch (error) {
    if (!(error instanceof BadExport)) throw error;
    throw new CliError(EXIT.usage, `${file} is not what was exported: ${error.message}`);
  }
}

/** The public keys of the deployment, from a file or from itself. */
async function keysOf({ account, signal }: Context, file: string | undefined): Promise<unknown> {
  if (file === undefined) {
    return new Mailkeep({ url: account.url, key: null }).archives.signingKeys({ signal });
  }
  checkFile(file);
  try {
    return readJsonFile(file);
  } catch {
    throw usageError(
      `${file} holds no keys: it is what GET /.well-known/mailkeep-keys.json answered`,
      "export",
    );
  }
}

async function show({ output }: Context, file: string, { manifest, sizeBytes }: SavedExport): Promise<void> {
  const { mailbox, deployment, created_at, messages, last_email_id, kid } = manifest;
  await output.fields(
    { file, size_bytes: sizeBytes, verified: true, ...manifest },
    {
      File: file,
      Bytes: sizeBytes,
      Mailbox: mailbox,
      Deployment: deployment,
      Made: created_at,
      Emails: messages,
      "Last email": last_email_id,
      Verified: `all checksums, and the signature by the key ${kid}`,
    },
  );
}

async function importFiles(
  context: Context,
  { words, flags }: { words: readonly string[]; flags: { label?: string } },
) {
  const { env, mail, output, signal } = context;
  if (words.some(isImap)) return runServerCommand(["import", ...words], env, signal);
  const { filesSource } = await import("../moving/files.ts");
  const { sendAll, shownOutcome } = await import("../moving/sender.ts");
  const source = filesSource(words);
  let sofar = "";
  const { label } = flags;
  const outcome = await output.progress.during(
    () => `Importing ${output.safe(source.place())}${sofar}`,
    () =>
      sendAll(source, {
        mail,
        labels: label === undefined ? {} : { label },
        signal,
        progress: (reached) => void (sofar = `: ${shownOutcome(reached)}`),
      }),
  );
  await output.value(outcome, () => [shownOutcome(outcome)]);
  return EXIT.ok;
}
