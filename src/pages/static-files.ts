import claimScript from "./assets/claim.js.gz";
import icon from "./assets/icon.svg.gz";
import mailboxScript from "./assets/mailbox.js.gz";
import mailboxStyle from "./assets/mailbox.css.gz";
import mainStyle from "./assets/main.css.gz";
import operatorScript from "./assets/operator.js.gz";
import operatorStyle from "./assets/operator.css.gz";
import signInScript from "./assets/sign-in.js.gz";
import { sha256Hex } from "../lib/hash.ts";

interface StaticFile {
  /** Compressed by gzip at build time. */
  bytes: ArrayBuffer;
  type: string;
  /** Changes with the contents. */
  hash: string;
}

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const HASH_CHARS = 16;

/** Everything the pages load; `scripts/build-pages.ts` makes it of `scripts/`, `styles/` and `images/`. */
const FILES = {
  "claim.js": staticFile(claimScript, SCRIPT),
  "icon.svg": staticFile(icon, "image/svg+xml"),
  "mailbox.css": staticFile(mailboxStyle, STYLE),
  "mailbox.js": staticFile(mailboxScript, SCRIPT),
  "main.css": staticFile(mainStyle, STYLE),
  "operator.css": staticFile(operatorStyle, STYLE),
  "operator.js": staticFile(operatorScript, SCRIPT),
  "sign-in.js": staticFile(signInScript, SCRIPT),
} as const;

/** A file that a page can load. */
export type StaticName = keyof typeof FILES;

function staticFile(bytes: ArrayBuffer, type: string): StaticFile {
  return { bytes, type, hash: sha256Hex(new Uint8Array(bytes)).slice(0, HASH_CHARS) };
}

/** Where a file is: an address that changes with its contents, so that a browser keeps it for good. */
export function urlOfStatic(name: StaticName): string {
  return `/assets/${name}?v=${FILES[name].hash}`;
}

/** A file of the pages; null for any other name. */
export function staticResponse(name: string, request: Request, version: string | undefined): Response | null {
  if (!Object.hasOwn(FILES, name)) return null;
  const { bytes, type, hash } = FILES[name as StaticName];
  const acceptsGzip = /\bgzip\b/i.test(request.headers.get("Accept-Encoding") ?? "");
  // A tag of its own for each encoding (RFC 9110 §8.8.3.3).
  const tag = `"${hash}${acceptsGzip ? "-gzip" : ""}"`;
  const headers = {
    // A page of another release may ask by a hash that is no longer ours: it gets what there is, and nobody keeps it.
    "Cache-Control": version === hash ? "public, max-age=31536000, immutable" : "no-cache",
    ETag: tag,
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    // An image opened by itself is a document: it may do nothing.
    "Content-Security-Policy": "default-src 'none'; sandbox",
  };
  const known = request.headers.get("If-None-Match")?.split(/\s*,\s*/) ?? [];
  if (known.some((one) => one.replace(/^W\//, "") === tag))
    return new Response(null, { status: 304, headers });
  if (!acceptsGzip) {
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(plain, { headers: { ...headers, "Content-Type": type } });
  }
  // `manual`: the bytes are compressed already, and workerd must not do it again.
  return new Response(bytes, {
    encodeBody: "manual",
    headers: { ...headers, "Content-Type": type, "Content-Encoding": "gzip" },
  });
}
