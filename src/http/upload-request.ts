import { MAX_ATTACHMENT_BYTES } from "../contract/limits.ts";
import { invalid, TOO_LARGE_ATTACHMENT, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import { writtenFilename } from "../mail/mime/attachment-name.ts";
import { readMediaType, ANY_BYTES } from "../mail/mime/media-type.ts";
import type { UploadFile } from "../service/store-upload.ts";
import { readDispositionFilename } from "./content-disposition.ts";

/** The type that curl sends for a body whose type is not given. */
const UNSAID_TYPE = "application/x-www-form-urlencoded";

/** Reads an upload's name, type and size from its request, or refuses it: 400 for a field, 413, 415. */
export function readUploadRequest(headers: Headers, filenameInQuery: string | undefined): Answer<UploadFile> {
  const filename = readFilename(headers.get("Content-Disposition"), filenameInQuery);
  if (!filename.ok) return filename;
  const contentType = readContentType(headers);
  if (!contentType.ok) return contentType;
  const length = headers.get("Content-Length") ?? "";
  const sizeBytes = /^\d+$/.test(length) ? Number(length) : null;
  if (sizeBytes !== null && sizeBytes > MAX_ATTACHMENT_BYTES) return refused(TOO_LARGE_ATTACHMENT);
  return done({ filename: filename.value, contentType: contentType.value, sizeBytes });
}

function readFilename(disposition: string | null, inQuery: string | undefined): Answer<string> {
  const stated = disposition === null ? done(null) : readDispositionFilename(disposition);
  if (!stated.ok) return refused(invalid("Content-Disposition", stated.error));
  if (stated.value !== null && inQuery !== undefined) {
    return refused(invalid("filename", "give it either in Content-Disposition or in the query"));
  }
  const written = stated.value ?? inQuery;
  if (written === undefined || written === "") {
    return refused(invalid("filename", "is required: ?filename=report.pdf, or Content-Disposition"));
  }
  const filename = writtenFilename(written);
  return filename.ok ? filename : refused(invalid("filename", filename.error));
}

function readContentType(headers: Headers): Answer<string> {
  const encoding = headers.get("Content-Encoding") ?? "identity";
  const written = headers.get("Content-Type")?.trim() || ANY_BYTES;
  const type = readMediaType(written);
  if (type === null) return refused(invalid("Content-Type", "must be a media type such as application/pdf"));
  if (type.startsWith("multipart/form-data") || encoding !== "identity") {
    return refused({
      code: "unsupported_media_type",
      error: "The body must be the file itself: no form, and no Content-Encoding",
      fix: "Send the bytes of the file as the body, with its media type as Content-Type.",
    });
  }
  return done(type === UNSAID_TYPE ? ANY_BYTES : type);
}
