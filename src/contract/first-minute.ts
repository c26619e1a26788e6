// The examples that a newcomer pastes first. The landing page, /llms.txt, /skill.md, the banner of `npm start` and the tests
// take them from here, each with the address of its deployment.

/** A text to paste, and where it belongs. */
export interface Example {
  /** For anchors and tests. */
  id: string;
  title: string;
  language: "sh" | "ts" | "json";
  /** Where it is pasted. (Words under the name `about` would be left out of the worker's script.) */
  place: string;
  text: string;
}

/** Stands for the key where no shell fills it in. */
export const KEY_PLACEHOLDER = "mk_...";

/** Runs the command line where it is installed, and never a package of that name from a registry. */
const NPX = "npx --no-install mailkeep";

const AUTHORIZATION = '-H "Authorization: Bearer $MAILKEEP_KEY"';

/** A curl command of a mailbox's key. */
function withKey(path: string, more = ""): string {
  return `curl -sS ${AUTHORIZATION} "$MAILKEEP_URL${path}"${more}`;
}

/** Options that send JSON, also with versions of curl that have no `--json`. */
function withBody(json: string): string {
  return `-H "Content-Type: application/json" -d '${json}'`;
}

/** One command each for a POSIX shell. They read MAILKEEP_URL and MAILKEEP_KEY; the first three set what the others read. */
export const COMMANDS = {
  bootstrap: 'NEW=$(curl -sS -X POST "$MAILKEEP_URL/v1/bootstrap"); echo "$NEW"',
  exportKey: `export MAILKEEP_KEY=$(echo "$NEW" | grep -o 'mk_[0-9a-f]*')`,
  claim: `CLAIM=$(curl -sS "$MAILKEEP_URL/v1/claim/start" ${withBody('{"name":"my-agent"}')}); echo "$CLAIM"`,
  poll: `curl -sS "$MAILKEEP_URL/v1/claim/poll?session=$(echo "$CLAIM" | grep -o '"session_id":"[^"]*' | cut -d '"' -f 4)"`,
  code: withKey("/v1/code?timeout=55&max_age=600"),
  inbox: withKey("/v1/inbox?limit=5"),
  email: withKey("/v1/emails/<id>/view"),
  send: withKey(
    "/v1/send",
    ` -H "Idempotency-Key: hello-ann-1" \\\n  ${withBody('{"to":"ann@example.com","subject":"Hello","text":"Hello Ann."}')}`,
  ),
} as const;

/** The command that tells the others where the deployment is. */
export function setUrl(url: string): string {
  return `export MAILKEEP_URL=${word(url)}`;
}

/** The way to a first code with each client, in the order in which a reader tries them. */
export function firstMinute(url: string): Example[] {
  return [
    {
      id: "curl",
      title: "curl",
      language: "sh",
      place: "Run this in a shell. The answer of the second line has the address to sign up with.",
      text: lines(setUrl(url), COMMANDS.bootstrap, COMMANDS.exportKey, COMMANDS.code),
    },
    {
      id: "typescript",
      title: "TypeScript",
      language: "ts",
      place: "Put this into a module of a project that has the package mailkeep.",
      text: lines(
        'import { Mailkeep } from "mailkeep";',
        "",
        `const mail = await Mailkeep.bootstrap({ url: ${JSON.stringify(url)} });`,
        'console.log("Sign up with", mail.address);',
        "const found = await mail.codes.wait({ timeoutMs: 60_000 });",
        "console.log(found?.code);",
      ),
    },
    {
      id: "cli",
      title: "Command line",
      language: "sh",
      place:
        "Run this in a project that has the package mailkeep. The second line prints the address to sign up with; the third waits a minute for the code.",
      text: lines(setUrl(url), `${NPX} signup --temporary`, `${NPX} code --wait 60`),
    },
  ];
}

/**
 * The clients other than curl, a line each, for a screen without room. `$K` is the shell's variable with the key. Two of them
 * need the package `mailkeep`.
 */
export function otherClients(url: string, hasPackage: boolean): { name: string; text: string }[] {
  const ofPackage = [
    { name: "Command line", text: `${NPX} signup --temporary --url ${word(url)}` },
    {
      name: "TypeScript",
      text: `import { Mailkeep } from "mailkeep"; const mail = await Mailkeep.bootstrap({ url: ${JSON.stringify(url)} });`,
    },
  ];
  return [
    ...(hasPackage ? ofPackage : []),
    { name: "Claude Code", text: claudeMcpAdd(url, "$K") },
    { name: "More", text: `Claude Desktop, Cursor, VS Code: ${url}/  For agents: ${url}/llms.txt` },
  ];
}

/** The name under which hosts of MCP know the service. */
const SERVER = "mailkeep";

/** How a host of MCP (Model Context Protocol) is told of the deployment, for hosts that many use. */
export function mcpHosts(url: string, key: string = KEY_PLACEHOLDER): Example[] {
  const address = `${url}/mcp`;
  const headers = { Authorization: `Bearer ${key}` };
  return [
    {
      id: "claude-code",
      title: "Claude Code",
      language: "sh",
      place: "Run this in a shell where MAILKEEP_KEY is set.",
      text: lines(claudeMcpAdd(url)),
    },
    {
      id: "claude-desktop",
      title: "Claude Desktop",
      language: "json",
      place:
        "Put this into claude_desktop_config.json (Settings, Developer, Edit Config). The package mailkeep must be installed globally.",
      text: jsonText({
        mcpServers: {
          [SERVER]: { command: "mailkeep", args: ["mcp"], env: { MAILKEEP_URL: url, MAILKEEP_KEY: key } },
        },
      }),
    },
    {
      id: "cursor",
      title: "Cursor",
      language: "json",
      place: "Put this into .cursor/mcp.json of a project, or ~/.cursor/mcp.json.",
      text: jsonText({ mcpServers: { [SERVER]: { url: address, headers } } }),
    },
    {
      id: "vs-code",
      title: "VS Code",
      language: "json",
      place: "Put this into .vscode/mcp.json. VS Code asks for the key and stores it.",
      text: jsonText({
        inputs: [
          { type: "promptString", id: "mailkeep-key", description: "Key of the mailbox", password: true },
        ],
        servers: {
          [SERVER]: {
            type: "http",
            url: address,
            headers: { Authorization: "Bearer ${input:mailkeep-key}" },
          },
        },
      }),
    },
  ];
}

/** The command that adds the deployment to Claude Code. */
export function claudeMcpAdd(url: string, key = "$MAILKEEP_KEY"): string {
  return `claude mcp add --transport http ${SERVER} ${word(`${url}/mcp`)} --header "Authorization: Bearer ${key}"`;
}

/** A word for a POSIX shell. A host name comes from the client, and may hold characters that mean something to a shell. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function jsonText(value: unknown): string {
  return lines(JSON.stringify(value, null, 2));
}

function lines(...texts: string[]): string {
  return `${texts.join("\n")}\n`;
}
