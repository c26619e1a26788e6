import type { NamedAddress } from "../mime/parsed-mail.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { labelled, phrases } from "./labelled-values.ts";

/** Finds labels of the merchant. */
const merchantLabel = phrases(({ receipt }) => receipt?.merchantLabel);

/** Words behind a shop's name that tell what the address is for. */
const role = lazy(
  () => new RegExp(`[\\s,|·–-]+(?:${anyOf(wordsOf(({ organisation }) => organisation?.roles))})$`, "iu"),
);
const onlyRole = lazy(
  () => new RegExp(`^(?:${anyOf(wordsOf(({ organisation }) => organisation?.onlyRoles))})$`, "iu"),
);
const via = lazy(() => new RegExp(` (?:${anyOf(wordsOf(({ organisation }) => organisation?.via))}) `, "iu"));

const MAX_NAME_CHARS = 100;

/** The merchant: as the text names it, else the sender's name without words for a department; null if neither tells. */
export function merchantOf(lines: readonly string[], from: NamedAddress): string | null {
  const [named] = labelled(lines, merchantLabel()).filter(({ isFirst, value }) => isFirst && isName(value));
  return named?.value.trim() ?? senderName(from);
}

const isName = (value: string): boolean =>
  value.length <= MAX_NAME_CHARS &&
  /^[\p{L}\d]/u.test(value) &&
  !/[.!?:] /.test(value) &&
  /\p{L}{2}/u.test(value);

/** The display name of the sender; null if it is not the name of an organisation but an address or a department. */
function senderName({ name }: NamedAddress): string | null {
  const [first = ""] = name.split(via());
  const bare = first
    .trim()
    .replace(/^["']|["']$/g, "")
    .replace(role(), "")
    .trim();
  if (bare === "" || bare.length > MAX_NAME_CHARS || bare.includes("@") || onlyRole().test(bare)) return null;
  return bare;
}
