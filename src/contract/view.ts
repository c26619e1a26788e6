import * as z from "zod";
import { Timestamp } from "./message.ts";

/** Tokens of a view: the default, the least and the most. */
export const MAIL_BUDGET = 800;
export const THREAD_BUDGET = 2_000;
export const LEAST_BUDGET = 50;
export const MAX_BUDGET = 20_000;

/** A link of an email by its number. */
const ViewLink = z.object({
  n: z.int().meta({ examples: [1] }),
  host: z.string().meta({ examples: ["shop.example"] }),
  text: z.string().meta({
    description: "The visible text of the link; empty for a picture.",
    examples: ["Track your parcel"],
  }),
  flags: z
    .array(z.enum(["text_says_other_host", "punycode", "ip", "redirector", "credentials"]))
    .meta({ examples: [[]] }),
});

/** A link with its address. */
export const EmailLink = ViewLink.extend({
  url: z.string().meta({ examples: ["https://shop.example/track/1234"] }),
}).meta({
  id: "EmailLink",
});
export type EmailLink = z.infer<typeof EmailLink>;

const count = (about: string, example = 0) => z.int().meta({ description: about, examples: [example] });

/** Counts of what an email hides, by kind. */
export const HiddenCounts = z
  .object({
    css: count("Elements with text that styles hide: not displayed, invisible, clipped, off the page.", 1),
    size: count("Elements with text too small to read."),
    color: count("Elements with text in the colour of its background."),
    zero_width: count("Zero-width and control characters, fillers and variation selectors."),
    bidi: count("Characters that change the direction of writing."),
    tags: count("Characters of the Unicode block Tags, which spell ASCII invisibly."),
    homoglyphs: count("Words that mix letters with look-alikes of another alphabet. They are shown."),
    comments: count("Comments with text."),
  })
  .meta({ id: "HiddenCounts" });
export type HiddenCounts = z.infer<typeof HiddenCounts>;

const viewed = {
  subject: z.string(),
  text: z.string().meta({
    description: "Visible text within the budget, between two lines with the nonce.",
    examples: [
      "<mail 730145592816>\nYour order 1234 has shipped. Track your parcel [1]\n</mail 730145592816>",
    ],
  }),
  tokens: z.int().meta({
    description: "Tokens of `text`: an estimate of the count in the vocabulary o200k.",
    examples: [38],
  }),
  omitted_tokens: z
    .int()
    .meta({ description: "Tokens of new text that the budget left out.", examples: [0] }),
  omitted: z.object({
    quoted_tokens: z.int().meta({ examples: [0] }),
    signature_tokens: z.int().meta({ examples: [0] }),
  }),
  hidden: HiddenCounts,
  links: z.array(ViewLink).meta({ description: "The links whose number is in `text`." }),
  images: z.int().meta({ description: "Pictures of the email; none is loaded.", examples: [1] }),
  truncated: z
    .boolean()
    .meta({ description: "Whether the email is longer than the part that was read.", examples: [false] }),
};
const nonce = z.string().meta({
  description: "Random, new in each answer: nothing in an email can imitate the lines around its text.",
  examples: ["730145592816"],
});

/** One email in the form in which a model reads it. */
export const EmailView = z
  .object({
    id: z.string(),
    ...viewed,
    hidden_texts: z
      .array(
        z.object({
          kind: z.enum(["css", "size", "color", "tags", "comments", "alt"]),
          text: z.string().meta({ examples: ["Your parcel is on its way"] }),
        }),
      )
      .optional()
      .meta({ description: "With `include=hidden`: the texts that are not shown." }),
    nonce,
  })
  .meta({ id: "EmailView" });
export type EmailView = z.infer<typeof EmailView>;

/** A conversation in the form in which a model reads it, oldest email first. */
export const ThreadView = z
  .object({
    thread_id: z.string(),
    emails: z.array(
      z.object({
        id: z.string(),
        from_address: z.string(),
        sender_verified: z.boolean().meta({
          description: "Whether the domain of `from_address` is proven.",
        }),
        received_at: Timestamp,
        ...viewed,
      }),
    ),
    tokens: z.int().meta({ description: "Of all texts.", examples: [38] }),
    omitted_tokens: z.int().meta({ examples: [0] }),
    has_older: z
      .boolean()
      .meta({ description: "Whether older emails of the thread are left out.", examples: [false] }),
    nonce,
  })
  .meta({ id: "ThreadView" });
export type ThreadView = z.infer<typeof ThreadView>;
