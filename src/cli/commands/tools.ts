import { spawn } from "node:child_process";
import { fetchAnswer } from "../../client/core.ts";
import { command } from "../command.ts";
import { completionScript, SHELLS } from "../completion.ts";
import { EXIT, usageError } from "../exit.ts";
import { runServerCommand } from "../server-command.ts";
import type { Context } from "../context.ts";

/** Commands of `mailkeep-server`, and what they do. */
const OF_THE_SERVER = {
  serve: "Serve mailboxes from this machine",
  up: "Deploy to Cloudflare",
  down: "Take a deployment away",
  doctor: "Check a deployment and say what is wrong with it",
  backup: "Back up the data of a server",
  restore: "Restore a backup",
  verify: "Check that a backup is complete",
} as const;

const handedOver = Object.entries(OF_THE_SERVER).map(([name, summary]) =>
  command({
    name,
    summary: `${summary} (with mailkeep-server)`,
    args: [],
    flags: {},
    passesOn: () => true,
    about: ["Runs `mailkeep-server` where it is installed; elsewhere the error says how to install it."],
    examples: [`mailkeep ${name}`],
    run: ({ env, signal }, { words }) => runServerCommand([name, ...words], env, signal),
  }),
);

/** Opens a page in the person's browser; the page must not be told a key by its address. */
function openInBrowser(url: string): void {
  const [program, args] =
    process.platform === "darwin"
      ? (["open", [url]] as const)
      : process.platform === "win32"
        ? (["explorer", [url]] as const)
        : (["xdg-open", [url]] as const);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  // Without such a program the printed address is what there is.
  child.on("error", () => {});
  child.unref();
}

export const toolCommands = [
  command({
    name: "mcp",
    summary: "Serve the tools of the mailbox to an MCP host, on stdin and stdout",
    args: [],
    flags: {},
    about: [
      "Passes JSON-RPC messages, one a line, between the host and the deployment's /mcp. The key comes from MAILKEEP_KEY or a",
      "profile; stdin belongs to the host.",
    ],
    examples: [
      "claude mcp add mailkeep -- npx --no-install mailkeep mcp",
      '{"mcpServers":{"mailkeep":{"command":"npx","args":["--no-install","mailkeep","mcp"]}}}',
    ],
    run: async (context) => {
      const { Bridge } = await import("../mcp/bridge.ts");
      await new Bridge(bridgeEnds(context)).run();
    },
  }),
  command({
    name: "open",
    summary: "Open the mailbox in a browser, or print its address",
    args: [],
    flags: { print: { type: "switch", about: "Only print the address." } },
    about: ["The page asks for the key: an address with a key in it would stay in histories and logs."],
    examples: ["mailkeep open", "mailkeep open --print"],
    run: async ({ account, output, isInteractive }, { flags }) => {
      const url = `${account.url}/mailbox`;
      if (isInteractive && flags.print !== true) openInBrowser(url);
      await output.value({ url }, () => [url]);
    },
  }),
  command({
    name: "completion",
    summary: "Print a script that completes commands and flags in a shell",
    args: [{ name: "shell", about: SHELLS.join(", ") }],
    flags: {},
    examples: [
      "source <(mailkeep completion bash)",
      "mailkeep completion fish > ~/.config/fish/completions/mailkeep.fish",
    ],
    run: async ({ output }, { words: [shell = ""] }) => {
      const known = SHELLS.find((one) => one === shell);
      if (known === undefined) throw usageError(`"${shell}" is none of ${SHELLS.join(", ")}`, "completion");
      // The list of commands holds this one, too.
      const { COMMANDS } = await import("../commands.ts");
      await output.write(completionScript(known, COMMANDS));
      return EXIT.ok;
    },
  }),
  ...handedOver,
];

/** The host on one side, `POST /mcp` with the key of the account on the other. */
function bridgeEnds({ account, mail, stdin, output, signal }: Context) {
  const mailbox = account.mailbox === null ? "" : `?mailbox=${encodeURIComponent(account.mailbox)}`;
  const url = `${account.url}/mcp${mailbox}`;
  // Asking for the client refuses at once where there is no key.
  const { key } = mail;
  return {
    input: stdin,
    signal,
    note: (text: string) => output.note(text),
    write: (line: string) => output.write(line),
    post: async (body: string, headers: Record<string, string>, callSignal: AbortSignal) => {
      const authorized = { ...headers, Authorization: `Bearer ${key}` };
      try {
        return await fetchAnswer(fetch, url, {
          method: "POST",
          body,
          headers: authorized,
          redirect: "manual",
          signal: callSignal,
        });
      } catch (error) {
        if (callSignal.aborted) throw error;
        throw new Error(`No connection to ${url}`, { cause: error });
      }
    },
  };
}
