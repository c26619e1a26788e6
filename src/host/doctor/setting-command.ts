import { shellWord } from "./shell-word.ts";

/** The command that sets a variable, in the file that the settings are read from. */
export function setCommand(envFile: string | null, name: string, value: string): string {
  if (envFile === null) return `export ${name}=${shellWord(value)}`;
  const file = shellWord(envFile);
  return `${dropCommand(envFile, name)} && echo ${shellWord(`${name}=${value}`)} >> ${file}`;
}

/** The command that removes a variable. */
export function dropCommand(envFile: string | null, name: string): string {
  return envFile === null ? `unset ${name}` : `sed -i '/^${name}=/d' ${shellWord(envFile)}`;
}
