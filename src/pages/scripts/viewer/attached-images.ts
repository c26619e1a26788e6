import type { Attachment } from "../../../contract/message.ts";
import type { Shown } from "./context.ts";

/** A larger image is a file to download. */
const MAX_IMAGE_BYTES = 10_000_000;

/** Pictures and nothing else. An SVG is a document: opened in a tab of its own, from here, it would be one of this origin. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/i;

/** Images that came with a mail and are shown in its HTML (`cid:`, RFC 2392). Each is fetched once, when it is asked for. */
export class AttachedImages {
  readonly #shown: Shown;
  readonly #urls = new Map<string, Promise<string>>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Calls `place` with the address of an image once it is there; never where there is none. */
  readonly show = (contentId: string, place: (url: string) => void): void => {
    const file = this.#find(contentId);
    if (file === undefined) return;
    const url = this.#urls.get(file.id) ?? this.#fetch(file);
    this.#urls.set(file.id, url);
    // An image that cannot be had is left out: its file is listed below the mail, where the failure is told.
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
    const response = await context.client.fetch(`/v1/attachments/${id}`, { signal });
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
    // Written without being encoded.
    return text;
  }
}
