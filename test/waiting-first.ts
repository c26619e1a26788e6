import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Projects in the order in which their files start. The files of the first four wait more than they compute. */
const ORDER: readonly string[] = [
  "packages",
  "promises",
  "served",
  "pages",
  "transport",
  "workerd",
  "slow",
  "pure",
];

const rankOf = ({ project }: TestSpecification): number => {
  const rank = ORDER.indexOf(project.name);
  return rank === -1 ? ORDER.length : rank;
};

/**
 * Starts the files that wait (for servers, browsers, retries) before the files that compute, so that the last minutes of a run
 * are many short files and no worker waits for one long file. Within a project the order is Vitest's: the files that took the
 * longest in the last run first, or the largest files first.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
