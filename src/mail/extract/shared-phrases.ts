import { phrases } from "./labelled-values.ts";

// Finders that several readers share: each holds tables of some 100 KB.

/** Finds labels of the sum that is paid in the end, those that say so themselves. */
export const grandTotalLabel = phrases(({ money }) => money?.grandTotal);

/** Finds words that mean the same where no better one stands. */
export const totalLabel = phrases(({ money }) => money?.total);

/** Finds labels of sums that are only a part, or no sum at all. */
export const partialLabel = phrases(({ money }) => money?.partial);

/** Finds words for an order, beside which a number may be its number. */
export const orderWord = phrases(({ order }) => order?.word);

/** Finds words for a parcel or an order. */
export const parcelWord = phrases(({ parcel }) => parcel?.word);

/** Finds words that stand near the number of a parcel. */
export const parcelNear = phrases(({ parcel }) => parcel?.nearNumber);

/** Finds labels of the day on which a parcel arrives. */
export const arrivalLabel = phrases(({ parcel }) => parcel?.arrivalLabel);

/** Finds words for the day on which a sum falls due, which is not the day of payment. */
export const dueWord = phrases(({ receipt }) => receipt?.due);
