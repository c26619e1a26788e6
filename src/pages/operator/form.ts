import { readBytes } from "../../http/request-input.ts";

/** The largest form is a reason of 500 characters. */
const MAX_FORM_BYTES = 16_384;

/** Reads the fields of a posted form; null for another media type or a body that is too large. */
export async function readForm(request: Request): Promise<URLSearchParams | null> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return null;
  const bytes = await readBytes(request, MAX_FORM_BYTES);
  return bytes === null ? null : new URLSearchParams(new TextDecoder().decode(bytes));
}
