import type { Job, ToolCall } from "./load.ts";
import { interleave, type Side } from "./measure.ts";
import { compared, UNBOUNDED, type Row, type Stage } from "./stage.ts";
import { NEEDLES } from "./needles.ts";
import type { Box } from "./workbench.ts";

const ROUNDS = 6;
const SLICE_MS = 400;
const WARM_UP_MS = 3_000;
const CONNECTIONS = [1, 16] as const;
const LIMIT = 10;
const IDS = 200;

/** The revisions that are served: without sessions, and those before. */
const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** Tools beside the routes that they call: each tool's floor is its route. */
export async function measureTools(stage: Stage, say: (line: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  const [level] = stage.levels;
  if (level === undefined) return rows;
  for (const connections of CONNECTIONS) {
    for (const pair of pairsOf(level.box)) {
      say(`mcp: ${pair.call.name} beside ${pair.route}, ${connections} connections`);
      const sides = sidesOf(stage, level.box, { ...pair, connections });
      for (const side of sides) await stage.client.run({ ...boundsOf(side), durationMs: WARM_UP_MS });
      const [floor, ...tools] = await interleave(stage.client, sides, ROUNDS);
      for (const sample of floor === undefined ? [] : [floor, ...tools]) {
        rows.push({
          ...sample,
          suite: "mcp",
          connections,
          mailboxes: 1,
          stored: level.stored,
          sizeBytes: null,
          ...compared(sample, sample === floor ? undefined : floor),
        });
      }
    }
  }
  return rows;
}

interface Pair {
  route: string;
  paths: string[];
  call: ToolCall;
  calls: ToolCall[];
}

function pairsOf({ ids }: Box): Pair[] {
  const [needle] = NEEDLES;
  const some = ids.slice(0, IDS);
  const check = { name: "check_mail", arguments: { limit: LIMIT } };
  const search = { name: "search_mail", arguments: { query: needle, limit: LIMIT } };
  const reads = some.map((id) => ({ name: "read_mail", arguments: { id } }));
  return [
    { route: "inbox", paths: [`/v1/inbox?direction=inbound&limit=${LIMIT}`], call: check, calls: [check] },
    {
      route: "email",
      paths: some.map((id) => `/v1/emails/${id}`),
      call: reads[0] ?? check,
      calls: reads,
    },
    { route: "search", paths: [`/v1/search?q=${needle}&limit=${LIMIT}`], call: search, calls: [search] },
  ];
}

function sidesOf(
  stage: Stage,
  { key }: Box,
  { route, paths, call, calls, connections }: Pair & { connections: number },
): Side[] {
  const { httpPort: port, workerdPid } = stage.service;
  const bounds = { connections, durationMs: SLICE_MS, maxCount: UNBOUNDED };
  const side = (name: string, job: Job): Side => ({ name, pids: [workerdPid], job: () => job });
  const targets = paths.map((path) => ({ path, key }));
  return [
    side(`GET ${route}`, { kind: "get", port, targets, ...bounds }),
    ...REVISIONS.map((revision) =>
      side(`${call.name} ${revision}`, { kind: "mcp", port, key, revision, calls, ...bounds }),
    ),
  ];
}

const boundsOf = (side: Side): Job & { kind: "get" | "mcp" } => {
  const job = side.job(0);
  if (job.kind !== "get" && job.kind !== "mcp") throw new Error("a tool is measured beside a route");
  return job;
};
