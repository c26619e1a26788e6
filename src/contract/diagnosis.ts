import * as z from "zod";
import { readUpTo } from "./bounded-list.ts";

/** The most findings of a diagnosis: there are some twenty checks, and some of them look at several things. */
const MAX_FINDINGS = 200;
/** Room for a DNS record with a key of 4,096 bits. */
const MAX_TEXT_CHARS = 2_000;

const text = z.string().max(MAX_TEXT_CHARS, `must be at most ${MAX_TEXT_CHARS} characters`);

/** One thing that the doctor checked. */
export const Finding = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._:-]{0,99}$/, "must be 1 to 100 of a-z, 0-9 and .:_-")
    .meta({ examples: ["dns.mx"] }),
  level: z.enum(["ok", "warning", "broken"]).meta({ examples: ["broken"] }),
  title: text.meta({ examples: ["mail.example has no MX record"] }),
  cost: text.meta({
    description: "What the users lose; empty where nothing is wrong.",
    examples: ["Mail from outside does not arrive."],
  }),
  fix: text.meta({
    description: "The one command or DNS record that fixes it; empty where nothing is wrong.",
    examples: ["mail.example. 3600 IN MX 10 mx.mail.example."],
  }),
});
export type Finding = z.infer<typeof Finding>;

/** The findings of `mailkeep-server doctor`. */
export const Diagnosis = z.strictObject({
  version: z.literal(1).meta({ examples: [1] }),
  findings: readUpTo(
    MAX_FINDINGS,
    z.array(Finding).max(MAX_FINDINGS, `must have at most ${MAX_FINDINGS} entries`),
  ),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

/** The same, and when it was sent. */
export const StoredDiagnosis = Diagnosis.extend({
  at: z.string().meta({ description: "When it was sent.", examples: ["2026-11-02T09:30:00.000Z"] }),
}).meta({ id: "StoredDiagnosis" });
export type StoredDiagnosis = z.infer<typeof StoredDiagnosis>;
