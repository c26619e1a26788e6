/** What RFC 8187 §3.2.1 lets stand unencoded, beyond what encodeURIComponent leaves. */
const STILL_TO_ENCODE = /['()*]/g;

/**
 * `Content-Disposition: attachment` with a name every client can read (RFC 6266): `filename` in plain ASCII and
 * `filename*` in UTF-8 (RFC 8187). Nothing of the name can end the header.
 */
export function attachmentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    STILL_TO_ENCODE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
