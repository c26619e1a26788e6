import { phrases } from "./labelled-values.ts";

/** Finds labels of the sum that is paid in the end, those that say so themselves. */
export const grandTotalLabel = phrases(({ money }) => money?.grandTotal);

/** Finds words that mean the same where no better one stands. */
export const totalLabel = phrases(({ money }) => money?.total);

/** Finds labels of sums that are only a part, or no sum at all. */
export const partialLabel = phrases(({ money }) => money?.partial);
