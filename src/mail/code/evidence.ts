/**
 * Signs that a number is the code, or that a link is the one to follow. These names are on the wire (`evidence` of
 * GET /v1/code): one that is there keeps its meaning.
 *
 * - `named`: a key word for codes leads to it ("your code is 482913", "482913 is your code").
 * - `near`: a key word stands in the same sentence or the lines above.
 * - `instruction`: the reader is told to type it.
 * - `purpose`: sentence or subject speak of signing in, verifying or the like.
 * - `subject`: it stands in the subject; `repeated`: in subject and text.
 * - `own_line`: nothing else stands in its line; `boxes`: one digit to a cell or word; `emphasised`: bold, large, a heading.
 * - `web_otp`: as the WebOTP format writes it (`@example.com #482913`).
 * - `length`: six digits, as most codes have.
 * - `sender`: an address that only machines write from.
 * - `link_label`, `link_path`, `link_token`, `link_announced`, `link_subject`, `link_sender`: what its label, its address,
 *   a secret in that, the words before it, the subject and its host say; `link_only`: no other link may be meant.
 */
export type Sign =
  | "named"
  | "near"
  | "instruction"
  | "purpose"
  | "subject"
  | "repeated"
  | "own_line"
  | "boxes"
  | "emphasised"
  | "web_otp"
  | "length"
  | "sender"
  | "link_label"
  | "link_path"
  | "link_token"
  | "link_only"
  | "link_announced"
  | "link_subject"
  | "link_sender";

/** A sign with what it was read from, such as the key word ("" where the sign says it all), and its weight. */
export interface Evidence {
  sign: Sign;
  detail: string;
  points: number;
}

/** Points from which a number counts as a code. */
export const MIN_CODE_POINTS = 50;

/** Points from which a link counts as the mail's verification link: two independent signs. */
export const MIN_LINK_POINTS = 60;

/** The doubt about an answer at the threshold; each further POINTS_THAT_HALVE_DOUBT points halve it. */
const DOUBT_AT_THRESHOLD = 0.3;
const POINTS_THAT_HALVE_DOUBT = 15;

/** A runner-up within so many points lowers the confidence. */
const CLOSE_POINTS = 15;

/** The sum of the points. */
export const pointsOf = (evidence: readonly Evidence[]): number =>
  evidence.reduce((sum, { points }) => sum + points, 0);

/** How sure a reading is, 0 to 1 in hundredths, by how far its points are above the threshold and above the runner-up's. */
export function confidenceOf(points: number, threshold: number, runnerUp = 0): number {
  const doubt = DOUBT_AT_THRESHOLD * 2 ** ((threshold - points) / POINTS_THAT_HALVE_DOUBT);
  const contested = Math.max(0, Math.min(1, (runnerUp - points + CLOSE_POINTS) / CLOSE_POINTS));
  return Math.round(100 * (1 - doubt) * (1 - contested / 2)) / 100;
}

/** The evidence as answers show it: `sign` or `sign: detail`, most points first. */
export function written(evidence: readonly Evidence[]): string[] {
  return evidence
    .filter(({ points }) => points > 0)
    .toSorted((one, two) => two.points - one.points)
    .map(({ sign, detail }) => (detail === "" ? sign : `${sign}: ${detail}`));
}
