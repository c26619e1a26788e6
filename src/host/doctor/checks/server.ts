import { existsSync } from "node:fs";
import { PRODUCT, VERSION } from "../../../contract/product.ts";
import { lockHolder } from "../../lock.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { reasonOf, request, type HttpAnswer } from "../ports/http.ts";
import { keyOfServer } from "../ports/server-api.ts";
import type { World } from "../ports/world.ts";
import { shellWord } from "../shell-word.ts";
import type { Check, Machine } from "./check.ts";
import { memberOf, workerOf } from "./https.ts";

/** The unit that `mailkeep-server serve --install` writes. */
const UNIT_FILES = ["/etc/systemd/system/mailkeep.service", "/lib/systemd/system/mailkeep.service"];

/** Checks that the server of this machine answers, has the version of this program, and accepts the operator key. */
export const serverCheck: Check<Machine> = {
  topic: "server",
  async run(machine, world, signal) {
    const health = new URL("/health", machine.local);
    let answer: HttpAnswer;
    try {
      answer = await request(world, health, signal);
    } catch (error) {
      signal.throwIfAborted();
      return [noAnswer(machine, reasonOf(error))];
    }
    const look = `curl -sS ${shellWord(health.href)}`;
    if (answer.status === 503 || answer.status === 500) {
      return [wrong("server.failing", `The server answers ${answer.status}: ${quoted(answer.body)}`, look)];
    }
    if (workerOf(answer.body) !== PRODUCT) {
      const command = `ss -ltnp 'sport = :${machine.local.port || "80"}'`;
      return [
        wrong("server.other", `${machine.local.origin} is not this server: ${quoted(answer.body)}`, command),
      ];
    }
    const version = memberOf(answer.body, "version") ?? "";
    const found = [
      ...(version === VERSION
        ? []
        : [
            wrong(
              "server.version",
              `The server is version ${quoted(version)}, this program ${VERSION}`,
              restartCommand(machine),
            ),
          ]),
      ...(await judgeKey(machine, world, signal)),
    ];
    return found.length > 0
      ? found
      : [
          fine(
            "server",
            `The server answers at ${machine.local.origin}, version ${VERSION}${unasked(machine)}`,
          ),
        ];
  },
};

function noAnswer(machine: Machine, reason: string): Finding {
  const holder = lockHolder(machine.settings.dataDir);
  const { origin } = machine.local;
  if (holder === null)
    return wrong("server.down", `No server answers at ${origin}: ${reason}`, startCommand());
  const words = `A server (pid ${holder}) holds ${machine.settings.dataDir}, but does not answer at ${origin}: ${reason}`;
  return wrong("server.silent", words, restartCommand(machine));
}

/** Why the server was asked nothing that needs its key; empty where it was. */
function unasked({ settings: { dataDir } }: Machine): string {
  if (lockHolder(dataDir) !== null) return "";
  return `; it was not asked for more, because no server that runs holds ${dataDir}`;
}

const isInstalled = (): boolean => UNIT_FILES.some((file) => existsSync(file));

const startCommand = (): string => (isInstalled() ? "systemctl start mailkeep" : "mailkeep-server serve");

function restartCommand({ settings: { dataDir } }: Machine): string {
  const holder = lockHolder(dataDir);
  return isInstalled() || holder === null ? "systemctl restart mailkeep" : `kill ${holder}`;
}

async function judgeKey(machine: Machine, world: World, signal: AbortSignal): Promise<Finding[]> {
  const { local } = machine;
  const operatorKey = keyOfServer(machine);
  if (operatorKey === null) return [];
  const headers = { Authorization: `Bearer ${operatorKey}` };
  const { status } = await request(world, new URL("/v1/mailboxes?limit=1", local), signal, { headers });
  if (status !== 401 && status !== 403) return [];
  return [
    wrong(
      "server.key",
      `The server refuses the operator key of these settings (${status})`,
      restartCommand(machine),
    ),
  ];
}
