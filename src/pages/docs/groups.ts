/** The pages of `docs/` and the changelog by what a reader wants, in the order in which they are listed. Each page is in one group. */
export const GUIDE_GROUPS = [
  { title: "Start", names: ["agents", "sdk", "cli", "mcp", "people"] },
  {
    title: "Use",
    names: [
      "api",
      "events",
      "sending",
      "signing-up",
      "understanding",
      "agent-view",
      "rules",
      "moving",
      "testing-with-mailkeep",
    ],
  },
  {
    title: "Run",
    names: [
      "deploy",
      "deployment",
      "configuration",
      "doctor",
      "operating",
      "backup",
      "upgrading",
      "compatibility",
      "cost",
      "changelog",
    ],
  },
  {
    title: "Look up",
    names: ["limits", "glossary", "threats", "authentication", "architecture", "contributing"],
  },
] as const;

/** A page of `docs/`, by its file name without `.md`. */
export type GuideName = (typeof GUIDE_GROUPS)[number]["names"][number];

export const GUIDE_NAMES: readonly GuideName[] = GUIDE_GROUPS.flatMap(({ names }) => [...names]);
