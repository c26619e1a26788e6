import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { Refusal } from "./refusal.ts";

/** The words of a command without `--env-file`, and the variables with those of the file, which win. */
export interface WithEnvFile {
  words: string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Null: none is named. */
  envFile: string | null;
}

/** Reads the file of `--env-file`. Throws a {@link Refusal} if it is named twice, is not named, or cannot be read. */
export function withEnvFile(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): WithEnvFile {
  const rest: string[] = [];
  const files: (string | undefined)[] = [];
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (at < end && word === "--env-file") files.push(words[(at += 1)]);
    else if (at < end && word.startsWith("--env-file=")) files.push(word.slice("--env-file=".length));
    else rest.push(word);
  }
  if (files.length === 0) return { words: rest, env, envFile: null };
  const [envFile] = files;
  if (files.length > 1 || !envFile || envFile.startsWith("--"))
    throw new Refusal("--env-file needs the name of one file, such as --env-file /etc/mailkeep/mailkeep.env");
  return { words: rest, env: { ...env, ...variablesOf(envFile) }, envFile };
}

function variablesOf(file: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why =
      code === "ENOENT"
        ? "there is no such file"
        : code === "EACCES"
          ? "this user may not read it: run the command as root, or as the user of the server"
          : `it cannot be read (${code})`;
    throw new Refusal(`--env-file ${file}: ${why}`);
  }
}
