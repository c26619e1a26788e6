// The control socket: a command on this machine calls the server that runs on the same data folder.
import { rmSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import * as z from "zod";
import { Refusal } from "./refusal.ts";

/** The socket of the running server, in its data folder. Only the user of the server may use it. */
export const CONTROL_SOCKET = "control.sock";
/** The longest path of a socket that every system takes (sun_path of unix(7) and of macOS). */
const MAX_SOCKET_PATH_BYTES = 103;
const SWAP_PATH = "/mailbox-swap";
/** Longer than a server needs to finish requests and start its runtime again. */
const ANSWER_TIMEOUT_MS = 60_000;
const MAX_ANSWER_CHARS = 65_536;
/** Rights of new files that leave nothing to other users. */
const OWNER_ONLY = 0o177;

const ANSWER = z.union([z.object({ paused_ms: z.number() }), z.object({ error: z.string() })]);

/** The control socket of a running server. */
export interface Control {
  close(): void;
}

/** Everything that a command may ask for. */
export interface ControlActions {
  /** Swaps in the mailbox that the command has prepared; resolves to how long the runtime did not answer, in ms. */
  swapMailbox(): Promise<number>;
}

/**
 * Opens the control socket. The caller holds the lock of the data folder. Null, with a line in the log, if the system does not
 * take a socket there: the server then serves without one.
 */
export async function openControl(
  dataDir: string,
  actions: ControlActions,
  log: (line: string) => void,
): Promise<Control | null> {
  const file = path.join(dataDir, CONTROL_SOCKET);
  const why = await listen(file, actions).catch(
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (typeof why !== "string") return why;
  log(`${file} is not open (${why}): one mailbox can be restored only while the server is stopped`);
  return null;
}

async function listen(file: string, actions: ControlActions): Promise<Control> {
  if (Buffer.byteLength(file) > MAX_SOCKET_PATH_BYTES) throw new Error("its path is too long");
  const server = http.createServer((request, response) => void answer(request, response, actions));
  // A killed server leaves its socket behind.
  rmSync(file, { force: true });
  const umask = process.umask(OWNER_ONLY);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(file, resolve);
    });
  } finally {
    process.umask(umask);
  }
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  actions: ControlActions,
): Promise<void> {
  request.resume();
  const isKnown = request.method === "POST" && request.url === SWAP_PATH;
  const said = isKnown
    ? await actions.swapMailbox().then(
        (pausedMs) => ({ paused_ms: Math.round(pausedMs) }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      )
    : { error: "This server does not know this request: use a command of the same version" };
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(said));
}

/**
 * Asks the running server to swap in the prepared mailbox. Resolves to how long its runtime did not answer, in ms; rejects with
 * a {@link Refusal}.
 */
export async function askForSwap(dataDir: string): Promise<number> {
  const socketPath = path.join(dataDir, CONTROL_SOCKET);
  const text = await post(socketPath).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(
      error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "EINVAL"
        ? `The server on ${dataDir} has no ${CONTROL_SOCKET}: stop it, and run the restore again`
        : `The server on ${dataDir} did not answer (${error.code ?? error.message}): the mailbox may have been restored or not. Start the server, and look at the mailbox`,
    );
  });
  const said = ANSWER.safeParse(JSON.parse(text)).data;
  if (said === undefined)
    throw new Refusal(`The server on ${dataDir} is of another version: stop it, and run the restore again`);
  if ("error" in said) throw new Refusal(`The server did not restore the mailbox: ${said.error}`);
  return said.paused_ms;
}

function post(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      socketPath,
      path: SWAP_PATH,
      method: "POST",
      timeout: ANSWER_TIMEOUT_MS,
      agent: false,
    });
    request.once("timeout", () => request.destroy(new Error("it took too long")));
    request.once("error", reject);
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > MAX_ANSWER_CHARS) request.destroy(new Error("its answer is too long"));
      });
      response.once("error", reject);
      response.once("end", () => resolve(text));
    });
    request.end();
  });
}
