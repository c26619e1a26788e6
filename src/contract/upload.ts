import * as z from "zod";
import { Timestamp } from "./message.ts";

/** POST /v1/attachments: a file that waits for the message that sends it. */
export const Upload = z
  .object({
    id: z.string(),
    filename: z.string(),
    content_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string().meta({ description: "Of the bytes, in lower-case hex." }),
    expires_at: Timestamp.meta({ description: "Erased then, if no message uses it." }),
  })
  .meta({ id: "Upload" });
export type Upload = z.infer<typeof Upload>;
