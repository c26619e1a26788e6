import { existsSync, readFileSync } from "node:fs";
import { isIPv4, isIPv6 } from "node:net";
import path from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { Refusal } from "../../host/refusal.ts";
import { installedProgram } from "../../host/systemd/program.ts";
import type { InstalledFile, ListenStreams } from "../../host/systemd/units.ts";
import { installedFiles, listenVariables, REDIRECT_UNIT, SETTINGS_FILE } from "../../host/systemd/units.ts";
import { writeInstallation } from "../../host/systemd/write.ts";
import { BUILT } from "../built.ts";
import type { CommandContext, ServerCommand } from "../command.ts";

const HELP = `Writes what systemd needs to run the server: its service, the sockets of HTTP and SMTP, a backup each night, the
doctor four times a day, and an example of the settings. Files of earlier versions are written anew; settings that are there stay.

  --http ADDRESS     Where HTTP listens: a port, or an IP address and a port (127.0.0.1:8787)
  --smtp ADDRESS     Where SMTP listens (25)
  --redirect ADDRESS Where plain http is redirected to HTTPS, or none (80 with HTTP on port 443, else none)
  --print            Prints the files instead of writing them
  --root DIR         Writes below another root directory, such as that of an image

Exit code: 0 done, 2 wrong use, 4 needs root.
`;

const OPTIONS = {
  install: { type: "boolean" },
  http: { type: "string", default: "127.0.0.1:8787" },
  smtp: { type: "string", default: "25" },
  redirect: { type: "string" },
  print: { type: "boolean", default: false },
  root: { type: "string", default: "/" },
} as const;

const EXIT = { done: 0, noPermission: 4 } as const;

/** `mailkeep-server serve --install`. */
export const install: ServerCommand = {
  summary: "Makes the server a service of systemd (with --install)",
  help: HELP,
  async run(words, context) {
    const { install: isAsked, print, root, ...places } = optionsOf(words);
    // The installed package serves without this command.
    if (isAsked !== true) throw new Refusal("To serve from the sources: npm start");
    const listen = listenOf(places);
    const program = installedProgram(path.resolve(BUILT, "../lib"), process.execPath);
    const files = installedFiles(program, listen);
    if (!print) return write({ files, listen, root: path.resolve(root) }, words, context);
    context.stdout.write(files.map((file) => `# ${file.path}\n${file.text}`).join("\n"));
    return EXIT.done;
  },
};

function optionsOf(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`${reason}; try mailkeep-server serve --install --help`);
  }
}

/** Where the sockets listen. Throws a {@link Refusal}. */
function listenOf(places: { http: string; smtp: string; redirect?: string | undefined }): ListenStreams {
  const [http, smtp] = [streamOf("http", places.http), streamOf("smtp", places.smtp)];
  const redirect = places.redirect ?? (/(?:^|:)443$/.test(http) ? "80" : "none");
  return { http, smtp, redirect: redirect === "none" ? null : streamOf("redirect", redirect) };
}

/** Checks an address as `ListenStream=` takes it. Throws a {@link Refusal}. */
function streamOf(name: keyof ListenStreams, text: string): string {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const isHost = host === undefined || isIPv4(host) || (/^\[.*\]$/.test(host) && isIPv6(host.slice(1, -1)));
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return text;
  throw new Refusal(
    `--${name} ${text}: must be a port, or an IP address and a port, such as 127.0.0.1:8787 or [::1]:8787`,
  );
}

interface Installation {
  files: readonly InstalledFile[];
  listen: ListenStreams;
  root: string;
}

/** Writes the files and says what changed and what comes next; returns the exit code. */
function write(
  { files, listen, root }: Installation,
  words: readonly string[],
  { stdout, stderr }: CommandContext,
): number {
  try {
    writeInstallation(files, root, (line) => void stdout.write(`${line}\n`));
    const stale = staleSettings(readFileSync(path.join(root, SETTINGS_FILE), "utf8"), listen);
    if (stale.length > 0) stdout.write(`\nChange in ${SETTINGS_FILE}: ${stale.join(", ")}\n`);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    stderr.write(`${error.message}\nRun it as root: sudo mailkeep-server serve ${words.join(" ")}\n`);
    return EXIT.noPermission;
  }
  if (listen.redirect === null && existsSync(path.join(root, REDIRECT_UNIT))) stdout.write(NO_REDIRECT);
  stdout.write(NEXT);
  return EXIT.done;
}

/** The lines that a settings file should have instead of its own, because the sockets listen elsewhere. */
export function staleSettings(text: string, listen: ListenStreams): string[] {
  const settings = parseEnv(text);
  return Object.entries(listenVariables(listen))
    .filter(([name, value]) => settings[name] !== undefined && settings[name] !== value)
    .map(([name, value]) => `${name}=${value}`);
}

const NO_REDIRECT = `
Plain http is not redirected any more. Remove its socket:
  systemctl disable --now mailkeep-redirect.socket
  rm ${REDIRECT_UNIT}
`;
const NEXT = `
Next: write your domain into ${SETTINGS_FILE}, then
  systemctl daemon-reload
  systemctl enable --now mailkeep mailkeep-backup.timer mailkeep-doctor.timer
  journalctl -u mailkeep
`;

function isForbidden(error: unknown): error is Error {
  return (
    error instanceof Error && "code" in error && ["EACCES", "EPERM", "EROFS"].includes(String(error.code))
  );
}
