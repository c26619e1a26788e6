import { rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { codeOf } from "../profile/files.ts";

/** Where a process says that it runs. */
interface Place {
  name: string;
  /** Whether it is a file, which stays when its process is killed; other places go with the process. */
  isFile: boolean;
}

function placeOf(name: string): Place {
  if (process.platform === "win32") return { name: `\\\\.\\pipe\\${name}`, isFile: false };
  // A name without a file (unix(7), abstract sockets).
  if (process.platform === "linux") return { name: `\0${name}`, isFile: false };
  return { name: path.join(tmpdir(), `${name}.sock`), isFile: true };
}

/**
 * Takes a name that one process of this machine can have, until it ends; false if another has it. A killed process leaves
 * nothing behind that keeps the next one out.
 */
export async function takeName(name: string): Promise<boolean> {
  const place = placeOf(name);
  if (await listens(place.name)) return true;
  if (!place.isFile || (await answers(place.name))) return false;
  // The file of a process that is gone.
  rmSync(place.name, { force: true });
  return listens(place.name);
}

function listens(place: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once("error", (error) => (codeOf(error) === "EADDRINUSE" ? resolve(false) : reject(error)));
    server.listen(place, () => {
      // It ends with the process, and does not keep it.
      server.unref();
      resolve(true);
    });
  });
}

function answers(place: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(place);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
