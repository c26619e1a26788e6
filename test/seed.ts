import fc from "fast-check";
import { inject } from "vitest";

// The same commit draws the same examples wherever it is tested; `SEED=random npm test` draws others.
fc.configureGlobal({ seed: inject("seed") });
