import files from "../../dist/assets.json" with { type: "json" };

/** A file that a page loads, by the name of its source. `scripts/build-assets.ts` makes them. */
export type StaticName = keyof typeof files;

/** A style sheet. */
export type Sheet = Extract<StaticName, `${string}.css`>;

const FILE_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(files));
const HASH = /\.[0-9a-f]{16}(?=\.[a-z]+$)/;

/** Returns the path of a file. It changes with the file's contents, so browsers keep the file. */
export function urlOfStatic(name: StaticName): string {
  return `/assets/${files[name]}`;
}

/**
 * Answers requests below `/assets/` that reach the worker. Cloudflare serves the files without it and calls it for other names
 * only; `npm start` calls it for all of them. A page of another release may ask for a file by an old hash: it gets the
 * current file, which no cache keeps. Returns null for an unknown name.
 */
export async function staticResponse(request: Request, assets: Fetcher): Promise<Response | null> {
  const stored = await assets.fetch(request);
  if (stored.status !== 404) return compressed(stored, request);
  const url = new URL(request.url);
  const current = FILE_NAMES.get(url.pathname.replace("/assets/", "").replace(HASH, ""));
  if (current === undefined) return null;
  url.pathname = `/assets/${current}`;
  const response = compressed(await assets.fetch(new Request(url, request)), request);
  response.headers.set("Cache-Control", "no-cache");
  return response;
}

/** Returns a response compressed with gzip if the client accepts it. Cloudflare compresses by itself; workerd on one machine does not. */
export function compressed(stored: Response, request: Request): Response {
  const headers = new Headers(stored.headers);
  headers.set("Vary", "Accept-Encoding");
  // Miniflare imitates it.
  headers.delete("CF-Cache-Status");
  const { status, body } = stored;
  const acceptsGzip = /\bgzip\b/i.test(request.headers.get("Accept-Encoding") ?? "");
  if (!acceptsGzip || body === null) return new Response(body, { status, headers });
  headers.set("Content-Encoding", "gzip");
  const tag = headers.get("ETag");
  // The other encoding has the same contents and other bytes: its tag is weak (RFC 9110 §8.8.1).
  if (tag !== null && !tag.startsWith("W/")) headers.set("ETag", `W/${tag}`);
  headers.delete("Content-Length");
  return new Response(body.pipeThrough(new CompressionStream("gzip")), {
    status,
    headers,
    encodeBody: "manual",
  });
}
