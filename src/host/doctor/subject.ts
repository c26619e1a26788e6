import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseEnv } from "node:util";
import { isSet, type Environment } from "../../config/check.ts";
import { bracketed } from "../banner.ts";
import { Refusal } from "../refusal.ts";
import { parseSecrets, secretsPath } from "../secrets.ts";
import { readSettings, type Settings } from "../settings.ts";
import type { Machine } from "./checks/check.ts";
import { wrong, type Finding } from "./finding.ts";
import { dropCommand } from "./setting-command.ts";
import { shellWord } from "./shell-word.ts";

/** The operator's options besides the settings. */
export type Given = Pick<
  Machine,
  "envFile" | "addresses" | "clockUrl" | "outward" | "probe" | "resolverFrom"
>;

/** The machine to examine, or the findings that say why its settings cannot be used. */
export type Subject = { machine: Machine } | { findings: Finding[] };

/** Reads the settings as `npm start` does, from the file if one is given, else from `env`. */
export async function readMachine(env: Environment, given: Given): Promise<Subject> {
  const variables = given.envFile === null ? env : await fileOf(given.envFile);
  if (Array.isArray(variables)) return { findings: variables };
  try {
    const settings = readSettings(variables);
    const isSecure = isSet(variables, "TLS_CERT");
    return {
      machine: {
        ...given,
        settings,
        resolverFrom: given.resolverFrom ?? settings.resolver?.variable ?? null,
        secretFiles: secretFilesOf(variables),
        local: new URL(`${isSecure ? "https" : "http"}://${bracketed(settings.host)}:${settings.port}`),
        operatorKey: settings.worker.AUTH_TOKEN ?? (await storedKey(settings)),
      },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { findings: error.message.split("\n").map((line) => faultOf(line, variables, given.envFile)) };
  }
}

async function fileOf(file: string): Promise<Environment | Finding[]> {
  try {
    return parseEnv(await readFile(file, "utf8"));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT") {
      return [
        wrong(
          "settings.missing",
          `${file} is not there`,
          `touch ${shellWord(file)} && chmod 600 ${shellWord(file)}`,
        ),
      ];
    }
    return [
      wrong(
        "settings.unreadable",
        `${file} cannot be read by this user`,
        `sudo mailkeep-server doctor --env-file ${shellWord(file)}`,
      ),
    ];
  }
}

/** The finding for a wrong setting, with the line that `npm start` prints. */
function faultOf(line: string, env: Environment, envFile: string | null): Finding {
  if (line.includes("(EACCES)")) {
    const option = envFile === null ? "" : ` --env-file ${shellWord(envFile)}`;
    return wrong("settings.unreadable", line, `sudo -E mailkeep-server doctor${option}`);
  }
  const named = Array.from(line.matchAll(/\b[A-Z][A-Z0-9_]+\b/g), ([name]) => name);
  const variable = named.find((name) => isSet(env, name) || env[name] === "") ?? named[0] ?? "";
  return wrong("settings.wrong", line, dropCommand(envFile, variable));
}

function secretFilesOf(env: Environment): string[] {
  const given = [env.TLS_KEY, env.SMTP_TLS_KEY, env.DKIM_PRIVATE_KEY].map((value) =>
    typeof value === "string" ? value : "",
  );
  return given
    .filter((text) => text !== "" && !text.includes("-----BEGIN"))
    .map((file) => path.resolve(file));
}

/** The operator key of the data folder; null where there is none, or this user may not read it. */
async function storedKey({ dataDir }: Settings): Promise<string | null> {
  const text = await readFile(secretsPath(dataDir), "utf8").catch(() => "");
  return parseSecrets(text)?.auth_token ?? null;
}
