import type { FileReader, PassingFile } from "./mime/scanned-mail.ts";
import { namingBytes, QueueIds } from "./report/queue-ids.ts";
import {
  bytesReadOf,
  contentOf,
  isDeliveryStatus,
  isFeedback,
  isReturned,
  type ReportPart,
} from "./report/report-part.ts";
import { AttachmentTextReader, mostTextBytes, type AttachmentText } from "./text/attachment-text.ts";

const NOTHING = { bytes: new Uint8Array(0), isWhole: false };

/** Reads of the files of a message, while they pass, what is stored of them, and what makes a report of it. */
export class PassingFiles implements FileReader {
  /** The texts of the files, in their order, as `attachmentTexts` gives them. */
  texts: AttachmentText[] = [];
  /** All files, as `readReport` reads them: the beginnings of those are kept that it may look at. */
  parts: ReportPart[] = [];
  #textReader = new AttachmentTextReader();
  #queueIds = new QueueIds();
  /** Whether a returned message is wanted: the first of all, and the first after the parts that tell of it. */
  #wantsReturned = true;
  #hasStatus = false;
  #hasFeedback = false;

  /** The names that hosts gave to the message that a report is about. */
  get queueIds(): string[] {
    return this.#queueIds.found;
  }

  wantedBytes(contentType: string): number {
    return Math.max(mostTextBytes(contentType), namingBytes(contentType), bytesReadOf({ contentType }));
  }

  read(file: PassingFile): void {
    const { contentType, partIndex } = file;
    this.texts.push(this.#textReader.read(file));
    this.#queueIds.read(file);
    const start = this.#isKept(file) ? { bytes: contentOf(file).slice(), isWhole: false } : NOTHING;
    this.parts.push({ contentType, partIndex, start: () => start });
  }

  restart(): void {
    this.texts = [];
    this.parts = [];
    this.#textReader = new AttachmentTextReader();
    this.#queueIds = new QueueIds();
    this.#wantsReturned = true;
    this.#hasStatus = false;
    this.#hasFeedback = false;
  }

  #isKept(file: PassingFile): boolean {
    const isFirstStatus = isDeliveryStatus(file) && !this.#hasStatus;
    const isFirstFeedback = isFeedback(file) && !this.#hasFeedback;
    const isWanted = isReturned(file) && this.#wantsReturned;
    if (isWanted) this.#wantsReturned = false;
    if (isFirstStatus) this.#hasStatus = true;
    if (isFirstFeedback) this.#hasFeedback = true;
    if (isFirstStatus || isFirstFeedback) this.#wantsReturned = true;
    return isFirstStatus || isFirstFeedback || isWanted;
  }
}
