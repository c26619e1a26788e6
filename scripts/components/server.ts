import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { build } from "esbuild";
import { readTokens, type Tokens } from "./tokens.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ASSETS = path.join(ROOT, "dist/public/assets");
const PAGE = "/dev/components";
const SHEET = `${PAGE}.css`;
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** A server of the page of all components. */
export interface ComponentServer {
  /** The address of the page. */
  url: string;
  close(): void;
}

/** Serves the page of all components on this machine, with the built style sheets. */
export async function serveComponents(port = 0): Promise<ComponentServer> {
  const page = await renderedPage();
  const server = createServer((request, response) => {
    void answer(request.url ?? "/", page).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(body),
    );
  });
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}${PAGE}`,
    close: () => server.close().closeAllConnections(),
  };
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

async function answer(url: string, page: Answer): Promise<Answer> {
  const { pathname } = new URL(url, "http://127.0.0.1");
  if (pathname === PAGE) return page;
  if (pathname === SHEET) return { status: 200, headers: { "Content-Type": "text/css" }, body: sheet() };
  const type = TYPES[path.extname(pathname)] ?? "application/octet-stream";
  const body = await readFile(path.join(ASSETS, path.basename(pathname))).catch(() => null);
  if (body === null) return { status: 404, headers: { "Content-Type": "text/plain" }, body: "Not found\n" };
  return { status: 200, headers: { "Content-Type": type }, body };
}

async function renderedPage(): Promise<Answer> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, "scripts/components/showcase.tsx")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  const { showcase }: { showcase: () => Promise<Response> } = await import(
    `data:text/javascript;base64,${code}`
  );
  const response = await showcase();
  const text = await response.text();
  return {
    status: 200,
    headers: Object.fromEntries(response.headers),
    body: text.replace("</head>", `<link rel="stylesheet" href="${SHEET}"/></head>`),
  };
}

/** Both schemes on one page: the tokens of each, below its class. */
function sheet(): string {
  const { light, dark } = readTokens();
  const scheme = (name: string, tokens: Tokens): string => {
    const declarations = [...tokens].map(([token, value]) => `--${token}: ${value};`).join(" ");
    return `.${name} { color-scheme: ${name}; ${declarations} }`;
  };
  const sizes = [...light.keys()].filter((token) => token.startsWith("text-"));
  return [
    scheme("light", light),
    scheme("dark", dark),
    ...sizes.map(
      (token) => `.size-${token.slice("text-".length)} { margin: 0; font-size: var(--${token}); }`,
    ),
    "body { --page: 100rem; }",
    ".schemes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); gap: var(--space-4); }",
    ".schemes > section { min-width: 0; padding: var(--space-4); color: var(--ink); background: var(--paper); border-radius: var(--radius-l); }",
    ".schemes dialog { position: static; width: auto; margin: 0; }",
    ".icons { padding: 0; list-style: none; font-size: var(--text-sm); } .icons li { margin: 0; }",
  ].join("\n");
}
