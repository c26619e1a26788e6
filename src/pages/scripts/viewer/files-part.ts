import type { Attachment } from "../../../contract/message.ts";
import { make } from "../lib/dom.ts";
import { line, size } from "../lib/words.ts";
import type { Shown } from "./context.ts";
import { failureText } from "./failures.ts";

/** A browser needs the bytes for a moment after the click. */
const REVOKE_AFTER_MS = 60_000;

/** The files of a mail; each is fetched when it is asked for, and saved, never opened. */
export function filesPart(shown: Shown): HTMLElement {
  const { attachments } = shown.email;
  const lines = attachments.map((file) => make("li", { class: "file" }, ...fileLine(file, shown)));
  return make(
    "section",
    { class: "files", "aria-label": "Files" },
    make("h3", {}, "Files"),
    make("ul", { class: "rows" }, ...lines),
  );
}

function fileLine(file: Attachment, shown: Shown): HTMLElement[] {
  const name = line(file.filename);
  const about = make(
    "div",
    { class: "about" },
    make("span", { class: "break", dir: "auto" }, name),
    make("span", { class: "muted small break" }, `${line(file.content_type)}, ${size(file.size_bytes)}`),
  );
  if (!file.downloadable) {
    return [about, make("span", { class: "muted small" }, "Only permanent mailboxes can download files.")];
  }
  const { context, signal } = shown;
  const download = {
    read: () => context.client.attachments.download(file.id, { signal }),
    filename: file.filename,
    type: OPAQUE,
  };
  return [about, downloadButton(shown, download, { text: "Download", label: `Download ${name}` })];
}

/** Of no type that a browser would show: what is saved is saved, whatever it claims to be. */
const OPAQUE = "application/octet-stream";

/** How bytes are fetched, and as what they are saved. */
interface Download {
  read: () => Promise<Response>;
  filename: string;
  type: string;
}

/** A button that fetches bytes with the key and saves them. It says how that goes. */
export function downloadButton(
  { context }: Shown,
  download: Download,
  { text, label }: { text: string; label: string },
): HTMLButtonElement {
  const button = make("button", { type: "button", "aria-label": label }, text);
  button.addEventListener("click", () => {
    button.disabled = true;
    button.textContent = "Fetching…";
    void fetched().then((said) => {
      button.disabled = false;
      button.textContent = said;
      button.focus();
    });
  });
  const fetched = async (): Promise<string> => {
    try {
      const response = await download.read();
      save(new Blob([await response.blob()], { type: download.type }), download.filename);
      return text;
    } catch (error) {
      context.announce(failureText(error) ?? "");
      return failureText(error) === null ? text : "Failed: try again";
    }
  };
  return button;
}

function save(bytes: Blob, filename: string): void {
  const url = URL.createObjectURL(bytes);
  make("a", { href: url, download: filename }).click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
