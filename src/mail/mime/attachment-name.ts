import { done, refused, type Outcome } from "../../lib/outcome.ts";
import { oneLine } from "./header-values.ts";

/** Most file systems allow 255 bytes; this leaves room for a suffix such as " (1)". */
export const MAX_FILENAME_CHARS = 200;
/** Of a longer name only both ends are looked at, in characters on each side. */
const NAME_END_CHARS = 512;
/** A longer suffix is no file extension. */
const MAX_EXTENSION_CHARS = 16;

/** Names of devices on Windows, with any extension: a file saved under one is lost. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=[. ]|$)/iu;

/** For parts without a name; other types end in `.bin`. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/gzip", "gz"],
  ["application/ics", "ics"],
  ["application/json", "json"],
  ["application/ms-tnef", "dat"],
  ["application/msword", "doc"],
  ["application/pdf", "pdf"],
  ["application/pgp-encrypted", "pgp"],
  ["application/pgp-keys", "asc"],
  ["application/pgp-signature", "asc"],
  ["application/pkcs7-mime", "p7m"],
  ["application/pkcs7-signature", "p7s"],
  ["application/rtf", "rtf"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/x-pkcs7-mime", "p7m"],
  ["application/x-pkcs7-signature", "p7s"],
  ["application/xml", "xml"],
  ["application/zip", "zip"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["image/bmp", "bmp"],
  ["image/gif", "gif"],
  ["image/jpeg", "jpg"],
  ["image/png", "png"],
  ["image/svg+xml", "svg"],
  ["image/tiff", "tiff"],
  ["image/webp", "webp"],
  ["message/delivery-status", "txt"],
  ["message/disposition-notification", "txt"],
  ["message/feedback-report", "txt"],
  ["message/rfc822", "eml"],
  ["text/calendar", "ics"],
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/plain", "txt"],
  ["text/rfc822-headers", "txt"],
  ["text/vcard", "vcf"],
  ["text/x-vcard", "vcf"],
  ["text/xml", "xml"],
  ["video/mp4", "mp4"],
]);

/**
 * A file name from a message as one that is safe to show and to save: the last path part, without controls and
 * without the characters that turn or hide text (`exe.fdp` shown as a PDF), and no device. "" if nothing is left.
 */
export function safeFilename(name: string): string {
  const looked =
    name.length > 2 * NAME_END_CHARS ? name.slice(0, NAME_END_CHARS) + name.slice(-NAME_END_CHARS) : name;
  const last = looked.split(/[/\\]/).at(-1) ?? "";
  const visible = oneLine(
    last.replace(/[\p{Bidi_Control}\u200b\u2060\ufeff]|[\u{e0000}-\u{e0fff}]/gu, ""),
    Infinity,
  );
  // A name of dots alone is a folder; trailing dots and blanks vanish on Windows.
  const bare = visible
    .replace(/[. ]+$/, "")
    .trim()
    .replace(DEVICE_NAME, "_$&");
  if (bare.length <= MAX_FILENAME_CHARS) return /^\.*$/.test(bare) ? "" : bare;
  const dot = bare.lastIndexOf(".");
  const extension = dot > 0 && bare.length - dot <= MAX_EXTENSION_CHARS ? bare.slice(dot).toWellFormed() : "";
  return oneLine(bare, MAX_FILENAME_CHARS - extension.length) + extension;
}

/**
 * The file name that a caller gave, made safe; refused if it holds control characters, which are no typing mistake, or is too
 * long: a name that was cut is not the one that was asked for.
 */
export function writtenFilename(name: string): Outcome<string, string> {
  if (name.length > MAX_FILENAME_CHARS) return refused(`must be at most ${MAX_FILENAME_CHARS} characters`);
  if (/\p{Cc}/u.test(name)) return refused("must not hold control characters");
  if (name.includes("\ufffd")) return refused("must be UTF-8");
  const safe = safeFilename(name);
  return safe === "" ? refused("must be the name of a file") : done(safe);
}

/** The name of a part without one: `attachment-<n>.<ext>`, counted from 1. */
export function defaultFilename(partIndex: number, contentType: string): string {
  return `attachment-${partIndex + 1}.${EXTENSIONS.get(contentType) ?? "bin"}`;
}
