import { probabilities, scoreOf, type Evidence } from "../../src/mail/code/evidence.ts";

/** One mail to learn from: its candidates, and which of them is right (-1: none). */
export interface Example {
  id: string;
  candidates: readonly (readonly Evidence<string>[])[];
  right: number;
}

/** Signs that may speak for and against: what a code is like depends on everything else. */
const EITHER_WAY = /^(?:length|mail|link_mail)(?:\.|$)/;

/**
 * Weights set by hand, of signs that are too rare in mails to learn them: the WebOTP format names the code outright; 123456 is an
 * example in mails about codes; a code that the mail calls invalid is worse than none.
 */
const GIVEN: Readonly<Record<string, number>> = { web_otp: 9, "against.example": -3, "against.void": -1.5 };

/** A weight that its feature may have: what speaks for a candidate never counts against it. */
function allowed(feature: string, weight: number): number {
  const given = GIVEN[feature];
  if (given !== undefined) return given;
  if (EITHER_WAY.test(feature)) return weight;
  return /^(?:link_)?against/.test(feature) ? Math.min(0, weight) : Math.max(0, weight);
}

/** Keeps weights small that few mails speak for: the variance of a weight before anything is known. */
const PRIOR_VARIANCE = 6;
const STEPS = 3_000;
const STEP_SIZE = 0.05;
/** Adam (Kingma and Ba, 2015). */
const [MEAN_DECAY, SQUARE_DECAY, EPSILON] = [0.9, 0.999, 1e-8];

/** A candidate as feature numbers and amounts. */
type Row = readonly (readonly [feature: number, amount: number])[];

interface Lesson {
  rows: readonly Row[];
  right: number;
}

function lessonOf({ candidates, right }: Example, numberOf: ReadonlyMap<string, number>): Lesson {
  const rows = candidates.map((evidence) =>
    evidence.map(({ feature, amount }) => {
      const number = numberOf.get(feature);
      if (number === undefined) throw new Error(`No weight is listed for ${feature}`);
      return [number, amount] as const;
    }),
  );
  return { rows, right };
}

/** Adds the slope of the negative log likelihood of one mail. */
function addSlope(gradient: Float64Array, { rows, right }: Lesson, weights: Float64Array): void {
  const scores = rows.map((row) =>
    row.reduce((sum, [feature, amount]) => sum + (weights[feature] ?? 0) * amount, 0),
  );
  for (const [at, chance] of probabilities(scores).entries()) {
    const error = chance - (at === right ? 1 : 0);
    for (const [feature, amount] of rows[at] ?? [])
      gradient[feature] = (gradient[feature] ?? 0) + error * amount;
  }
}

/**
 * Finds the weights under which the right candidates are most probable (a conditional logit with a normal prior). Deterministic:
 * the same examples give the same weights.
 */
export function fitWeights(
  examples: readonly Example[],
  features: readonly string[],
): Record<string, number> {
  const numberOf = new Map(features.map((feature, index) => [feature, index]));
  const lessons = examples
    .filter(({ candidates }) => candidates.length > 0)
    .map((each) => lessonOf(each, numberOf));
  const weights = new Float64Array(features.length);
  const mean = new Float64Array(features.length);
  const square = new Float64Array(features.length);
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = weights.map((weight) => weight / PRIOR_VARIANCE);
    for (const lesson of lessons) addSlope(gradient, lesson, weights);
    for (const [index, slope] of gradient.entries()) {
      const first = MEAN_DECAY * (mean[index] ?? 0) + (1 - MEAN_DECAY) * slope;
      const second = SQUARE_DECAY * (square[index] ?? 0) + (1 - SQUARE_DECAY) * slope * slope;
      const scale = Math.sqrt(second / (1 - SQUARE_DECAY ** step)) + EPSILON;
      const next = (weights[index] ?? 0) - (STEP_SIZE * first) / (1 - MEAN_DECAY ** step) / scale;
      [mean[index], square[index], weights[index]] = [first, second, allowed(features[index] ?? "", next)];
    }
  }
  return Object.fromEntries(
    features.map((feature, index) => [feature, Math.round(100 * (weights[index] ?? 0)) / 100]),
  );
}

/** The judgement on one mail: how probable its best candidate is, whether it is right, and whether there is a right one. */
export interface Judged {
  id: string;
  isRight: boolean;
  exists: boolean;
  probability: number;
}

/** Judges examples by weights that were found without them: each fifth by those of the others. */
export function crossValidate(
  examples: readonly Example[],
  features: readonly string[],
  folds = 5,
): Judged[] {
  return Array.from({ length: folds }, (_, fold) => fold).flatMap((fold) => {
    const weights = fitWeights(
      examples.filter((_, index) => index % folds !== fold),
      features,
    );
    return examples.filter((_, index) => index % folds === fold).map((example) => judge(example, weights));
  });
}

/** Judges one example. */
export function judge({ id, candidates, right }: Example, weights: Record<string, number>): Judged {
  const chances = probabilities(candidates.map((evidence) => scoreOf(evidence, weights)));
  const best = chances.reduce((top, chance, index) => (chance > (chances[top] ?? 0) ? index : top), 0);
  return {
    id,
    isRight: candidates.length > 0 && best === right,
    exists: right >= 0,
    probability: chances[best] ?? 0,
  };
}
