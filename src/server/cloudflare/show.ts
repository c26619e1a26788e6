import { tableLines } from "../../cli/terminal/table.ts";
import { painterOf } from "../../cli/terminal/style.ts";
import { claudeMcpAdd, firstMinute } from "../../contract/first-minute.ts";
import type { PlannedStep } from "../../host/cloudflare/plan.ts";
import { neededPermissions } from "../../host/cloudflare/survey.ts";
import type { Step } from "../../host/cloudflare/step.ts";
import type { Existing, Wanted } from "../../host/cloudflare/wanted.ts";

const MIN_COLUMNS = 140;

/** The address of a deployment under workers.dev. */
export function addressOf({ worker }: Pick<Wanted, "worker">, subdomain: string): string {
  return `https://${worker}.${subdomain}.workers.dev`;
}

/** The plan as lines: for each step whether it leaves, makes or changes something, and the permission that it needs. */
export function planLines(wanted: Wanted, existing: Existing, plan: readonly PlannedStep[]): string[] {
  return [
    `Account  ${existing.account.name} (${existing.account.id})`,
    `Zone     ${existing.zone.name}`,
    `Domain   ${wanted.domain}`,
    "",
    ...tableLines(
      [
        { title: "", of: ({ decision }: PlannedStep) => decision.kind },
        { title: "What", of: ({ title }: PlannedStep) => title },
        { title: "", of: ({ decision }: PlannedStep) => decision.words, flexible: true },
        { title: "Permission", of: ({ permission }: PlannedStep) => permission },
      ],
      plan,
      tableOptions(),
    ),
    "",
    ...existing.warnings.map((line) => `WARNING: ${line}`),
  ];
}

/** The parts of a new deployment as lines, with the permissions that they need. */
export function outlineLines(wanted: Wanted, steps: readonly Step[]): string[] {
  const { domain, worker } = wanted;
  const others = neededPermissions(wanted).filter((name) =>
    steps.every(({ permission }) => permission !== name),
  );
  return [
    `Domain   ${domain}`,
    `Worker   ${worker}`,
    "",
    ...tableLines(
      [
        { title: "What", of: ({ title }: Step) => title },
        { title: "Permission", of: ({ permission }: Step) => permission },
      ],
      steps,
      tableOptions(),
    ),
    `To find the account and the zone: ${others.join(", ")}`,
    "",
  ];
}

const tableOptions = () => ({
  total: Math.max(MIN_COLUMNS, process.stdout.columns ?? 0),
  paint: painterOf(false, {}),
});

/** The first commands to try, with the address of the deployment. */
export function firstLines(url: string, keyFile: string | null): string[] {
  const [curl, ...others] = firstMinute(url);
  const rest = others.map(({ title, text }) => [`${title}:`, ...indented(text)]);
  return [
    "",
    `Address       ${url}`,
    ...(keyFile === null ? [] : [`Operator key  in the file ${keyFile}`]),
    `Console       ${url}/operator`,
    "",
    "Try it:",
    ...indented(curl?.text ?? ""),
    ...rest.flat(),
    "MCP:",
    `    ${claudeMcpAdd(url)}`,
  ];
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
}
