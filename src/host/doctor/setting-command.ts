import { shellWord } from "./shell-word.ts";

/**
 * The command that sets a variable, in the file that the settings are read from. A value with placeholders such as
 * `<your domain>` is set only after the operator has replaced them: as it is printed, the command changes nothing.
 */
export function setCommand(envFile: string | null, name: string, value: string): string {
  const line = shellWord(`${name}=${value}`);
  if (!/<.*>/.test(value))
    return envFile === null ? `export ${name}=${shellWord(value)}` : inFile(envFile, name, line);
  const set = envFile === null ? 'export "$v"' : inFile(envFile, name, '"$v"');
  return `v=${line}; case $v in *"<"*) echo "First replace what is in angle brackets" ;; *) ${set} ;; esac`;
}

function inFile(envFile: string, name: string, line: string): string {
  return `${dropCommand(envFile, name)} && printf '%s\\n' ${line} >> ${shellWord(envFile)}`;
}

/** The command that removes a variable. In a file it becomes a comment: the value may be the only copy of a secret. */
export function dropCommand(envFile: string | null, name: string): string {
  return envFile === null ? `unset ${name}` : `sed -i 's/^${name}=/#&/' ${shellWord(envFile)}`;
}
