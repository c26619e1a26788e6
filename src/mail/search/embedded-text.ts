import { newText } from "../text/new-text.ts";

/** Characters of a body: models read some hundred words, and the first ones tell what a mail is about. */
const MAX_BODY_CHARS = 2_000;
const MAX_FIELD_CHARS = 300;

/** The text that the embedding model reads of a mail: subject, sender, and the beginning of the new text. Never empty. */
export function embeddedText(mail: { subject: string; from: string; body: string }): string {
  const body = newText(mail.body, mail.subject).slice(0, MAX_BODY_CHARS);
  const fields = [mail.subject, mail.from].map((field) => field.slice(0, MAX_FIELD_CHARS));
  return (
    [...fields, body]
      .filter((part) => part.trim() !== "")
      .join("\n")
      .toWellFormed() || "-"
  );
}
