import * as z from "zod";
import { Timestamp } from "./message.ts";
import { NO_CONTROLS } from "./parameters.ts";
import { TOTP_ALGORITHMS } from "../lib/totp.ts";
import { DIGITS, PERIOD } from "../lib/otpauth.ts";

const TotpAlgorithm = z.enum(TOTP_ALGORITHMS);

/** A secret that makes one-time passwords. The secret itself is never answered. */
export const Totp = z
  .object({
    id: z.string(),
    label: z.string().meta({ examples: ["Brand: agent@mail.example"] }),
    algorithm: TotpAlgorithm,
    digits: z.int().meta({ examples: [6] }),
    period: z.int().meta({ description: "Seconds for which a code is valid.", examples: [30] }),
    created_at: Timestamp,
  })
  .meta({ id: "Totp" });
export type Totp = z.infer<typeof Totp>;

/** A code that was handed out. */
const TotpUse = z.object({
  id: z.string().meta({ description: "The secret whose code it was." }),
  at: Timestamp,
  key_id: z
    .string()
    .nullable()
    .meta({
      description: "The key that asked, as GET /v1/keys lists it; null for the operator.",
      examples: ["019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f"],
    }),
});

/** Every secret without its value, and the codes that were handed out. */
export const TotpList = z
  .object({
    totp: z.array(Totp),
    uses: z.array(TotpUse).meta({ description: "The last 100 codes that were handed out, newest first." }),
  })
  .meta({ id: "TotpList" });
export type TotpList = z.infer<typeof TotpList>;

/** A one-time password. */
export const TotpCode = z
  .object({
    code: z.string(),
    valid_for_seconds: z.int().meta({ description: "Until the next code; 1 at least.", examples: [21] }),
  })
  .meta({ id: "TotpCode" });
export type TotpCode = z.infer<typeof TotpCode>;

const MAX_LABEL_CHARS = 200;
const MAX_SECRET_CHARS = 512;
const MAX_URI_CHARS = 2_048;

const between = (range: { min: number; max: number }) =>
  z
    .int("must be a whole number")
    .min(range.min, `must be at least ${range.min}`)
    .max(range.max, `must be at most ${range.max}`)
    .optional();

/** The body of POST /v1/totp. */
export const TotpBody = z
  .strictObject({
    label: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(MAX_LABEL_CHARS, `must be at most ${MAX_LABEL_CHARS} characters`)
      .regex(NO_CONTROLS, "must be one line, without control characters")
      .optional()
      .meta({
        description: "The name of the account. With `otpauth_uri`, the label of the URI is the default.",
        examples: ["Brand: agent@mail.example"],
      }),
    secret: z
      .string()
      .max(MAX_SECRET_CHARS, `must be at most ${MAX_SECRET_CHARS} characters`)
      .optional()
      .meta({
        description: "The secret in Base32, as the service shows it; blanks and case do not matter.",
        examples: ["JBSW Y3DP EHPK 3PXP JBSW Y3DP"],
      }),
    otpauth_uri: z
      .string()
      .max(MAX_URI_CHARS, `must be at most ${MAX_URI_CHARS} characters`)
      .optional()
      .meta({ description: "In place of `secret`: the text of the QR code, `otpauth://totp/…`." }),
    algorithm: TotpAlgorithm.optional().meta({ description: "With `secret`; SHA1 unless given." }),
    digits: between(DIGITS).meta({ description: "With `secret`; 6 unless given." }),
    period: between(PERIOD).meta({ description: "Seconds, with `secret`; 30 unless given." }),
  })
  .meta({ examples: [{ label: "Brand: agent@mail.example", secret: "JBSW Y3DP EHPK 3PXP JBSW Y3DP" }] });
export type TotpBody = z.output<typeof TotpBody>;
