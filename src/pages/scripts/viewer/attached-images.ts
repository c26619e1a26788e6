import type { Attachment } from "../../../contract/message.ts";
import type { Shown } from "./context.ts";

/** A larger image is a file to download. */
const MAX_IMAGE_BYTES = 10_000_000;

/** Image types that are shown. SVG is left out: opened in a tab, it would be a document of this origin. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/i;

/** Images that came with a mail and are shown in its HTML (`cid:`, RFC 2392). Each is fetched once, when it is asked for. */
export class AttachedImages {
  readonly #shown: Shown;
  readonly #urls = new Map<string, Promise<string>>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Calls `place` with the URL of an image once it is fetched; never if the mail has no such image. */
  readonly show = (contentId: string, place: (url: string) => void): void => {
    const file = this.#find(contentId);
    if (file === undefined) return;
    const url = this.#urls.get(file.id) ?? this.#fetch(file);
    this.#urls.set(file.id, url);
    // An image that cannot be fetched is left out. Its file is listed below the mail, where a download shows the error.
    url.then(place, () => {});
  };

  #find(contentId: string): Attachment | undefined {
    const wanted = bare(decoded(contentId));
    return this.#shown.email.attachments.find(
      ({ content_id, content_type, downloadable, size_bytes }) =>
        content_id !== null &&
        bare(content_id) === wanted &&
        PICTURE.test(content_type) &&
        downloadable &&
        size_bytes <= MAX_IMAGE_BYTES,
    );
  }

  async #fetch({ id, content_type }: Attachment): Promise<string> {
    const { context, signal } = this.#shown;
    const response = await context.client.attachments.download(id, { signal });
    const bytes = await response.arrayBuffer();
    const url = URL.createObjectURL(new Blob([bytes], { type: content_type }));
    signal.addEventListener("abort", () => URL.revokeObjectURL(url));
    return url;
  }
}

const bare = (contentId: string): string =>
  contentId
    .trim()
    .replace(/^<(.*)>$/, "$1")
    .toLowerCase();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded.
    return text;
  }
}
