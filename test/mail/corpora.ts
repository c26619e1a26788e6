import path from "node:path";

/**
 * Collections of real mail, bounces and threads that others publish. They are no part of the repository: the tests that read
 * them are skipped where the folder `shared/corpus` does not lie beside the checkout.
 */
export const CORPORA = path.join(import.meta.dirname, "../../../shared/corpus");
