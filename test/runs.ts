import { inject } from "vitest";

/** How many examples a costly property test draws: all of them in `npm run test:all` and CI, a tenth in `npm test`. */
export const runs = (all: number): number => (inject("isThorough") ? all : Math.ceil(all / 10));
