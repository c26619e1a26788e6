import * as z from "zod";
import { Timestamp } from "./message.ts";

/** The most bytes of an archive, unpacked: half of what an object of the platform holds. */
export const MAX_IMPORT_BYTES = 5_000_000_000;
/** Unfinished imports of one mailbox: one runs, the others wait. */
export const MAX_OPEN_IMPORTS = 4;
/** Imports of one mailbox within 24 hours. */
export const MAX_DAILY_IMPORTS = 2_000;
/** Times as much as it is long that an archive may unpack to. Mail unpacks to ten times as much; gzip can hide a thousand. */
export const MAX_GZIP_RATIO = 200;
/** Bytes that an archive may unpack to however short it is. */
export const GZIP_GRACE_BYTES = 1_000_000;
/** How long the result of an import is kept, in ms. */
export const IMPORT_KEPT_MS = 30 * 86_400_000;

/** The formats of POST /v1/import. `maildir-tar` is a tar of Maildir folders, which `tar` reads too. */
export const IMPORT_FORMATS = ["tar", "mbox", "eml", "maildir-tar"] as const;

export const ImportStatus = z.enum(["waiting", "running", "done", "failed"]);
export type ImportStatus = z.infer<typeof ImportStatus>;

/** POST /v1/import: an archive that was accepted. */
export const StartedImport = z
  .object({
    id: z.string(),
    status: ImportStatus.meta({ examples: ["waiting"] }),
  })
  .meta({ id: "StartedImport" });
export type StartedImport = z.infer<typeof StartedImport>;

const count = (about: string, example: number) => z.int().meta({ description: about, examples: [example] });

/** GET /v1/import/:id: the progress of an import. */
export const ImportProgress = z
  .object({
    id: z.string(),
    status: ImportStatus.meta({ examples: ["running"] }),
    imported: count("Messages stored.", 480),
    duplicates: count("Messages that the mailbox had already.", 20),
    failed: count("Entries that should be messages and are empty or too large.", 0),
    total: z
      .int()
      .nullable()
      .meta({
        description: "Messages of the archive; null until its end is read.",
        examples: [null],
      }),
    bytes: count("Bytes of the archive that are read.", 1_048_576),
    total_bytes: count("Bytes of the archive, unpacked.", 2_097_152),
    error: z.string().nullable().meta({ description: "Why it failed. What was stored before stays." }),
    created_at: Timestamp,
  })
  .meta({ id: "ImportProgress" });
export type ImportProgress = z.infer<typeof ImportProgress>;

/** A public key of the deployment as a JSON Web Key (RFC 8037). */
const SigningKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().meta({ examples: ["11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"] }),
  kid: z.string().meta({ examples: ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"] }),
  use: z.literal("sig"),
  alg: z.literal("EdDSA"),
});

/** The public keys that exports are signed with, as a JWK set (RFC 7517). */
export const SigningKeys = z.object({ keys: z.array(SigningKey) }).meta({ id: "SigningKeys" });
export type SigningKeys = z.infer<typeof SigningKeys>;
