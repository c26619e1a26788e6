import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { Refusal } from "../refusal.ts";

/** The installed programs, as absolute paths. */
export interface Program {
  /** Node. */
  node: string;
  /** The program that serves, as one process. */
  serve: string;
  /** The program that runs every other command. */
  command: string;
}

/** Folders that a service with ProtectHome= and PrivateTmp= cannot see. */
const HIDDEN = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];
/** Characters that systemd interprets in ExecStart=: quotes, variables, specifiers, and spaces between words. */
const SPECIAL = /[^A-Za-z0-9_./@+,:=-]/;

/**
 * The programs of the package `mailkeep-server`, whose modules lie in `lib`. Throws a {@link Refusal} if the package is not
 * installed, or where a service could not run it.
 */
export function installedProgram(lib: string, execPath: string): Program {
  const serve = path.join(lib, "serve.js");
  const command = path.join(lib, "../bin/mailkeep-server.js");
  if (!existsSync(serve) || !existsSync(command)) {
    throw new Refusal(
      "serve --install needs the installed package: npm run pack, then sudo npm install --global ./dist/packages/mailkeep-server-*.tgz, then sudo mailkeep-server serve --install",
    );
  }
  const program = {
    node: realpathSync(execPath),
    serve: realpathSync(serve),
    command: realpathSync(command),
  };
  for (const file of Object.values(program)) refuseHidden(file);
  return program;
}

/** Throws a {@link Refusal} if a service could not run a file at this path. */
export function refuseHidden(file: string): void {
  const folder = HIDDEN.find((one) => file.startsWith(`${one}/`));
  if (folder !== undefined) {
    throw new Refusal(
      `${file} lies in ${folder}, which services do not see: install Node and mailkeep-server for the whole system, for example below /usr/local`,
    );
  }
  if (SPECIAL.test(file)) {
    throw new Refusal(
      `${file} has characters that a unit cannot name: install below a folder of plain letters, digits, - and _`,
    );
  }
}
