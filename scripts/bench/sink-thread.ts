import { createServer, type AddressInfo, type Socket } from "node:net";
import { parentPort } from "node:worker_threads";
import { nowMs, type SinkNews, type SinkOrder } from "./sink.ts";

const MESSAGE_END = Buffer.from("\r\n.\r\n");

/** While true, MAIL gets no answer. */
let holding = false;
let held: Socket[] = [];

const tell = (news: SinkNews): void => parentPort?.postMessage(news);

/** Accepts every message, stores none, and needs little CPU compared with the server. */
function converse(socket: Socket): void {
  let tail: Buffer = Buffer.alloc(0);
  let message: { bytes: number; firstMs: number } | null = null;
  let line = "";
  tell({ kind: "connection" });
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.write("220 sink.example ESMTP\r\n");

  const take = (chunk: Buffer): void => {
    if (message === null) return;
    if (message.bytes === 0) {
      message.firstMs = nowMs();
      tell({ kind: "begun" });
    }
    message.bytes += chunk.length;
    tail = Buffer.concat([tail, chunk.subarray(-MESSAGE_END.length)]).subarray(-MESSAGE_END.length);
    if (!tail.equals(MESSAGE_END)) return;
    tell({ kind: "message", bytes: message.bytes - 3, firstMs: message.firstMs, atMs: nowMs() });
    message = null;
    socket.write("250 2.0.0 taken\r\n");
  };

  const obey = (command: string): void => {
    const verb = command.slice(0, 4).toUpperCase();
    if (verb === "DATA") {
      message = { bytes: 0, firstMs: 0 };
      tail = Buffer.from("\r\n");
      socket.write("354 go on\r\n");
    } else if (verb === "MAIL" && holding) held.push(socket);
    else if (verb === "EHLO") socket.write("250-sink.example\r\n250-SIZE 200000000\r\n250 DSN\r\n");
    else if (verb === "QUIT") socket.end("221 2.0.0 bye\r\n");
    else socket.write("250 2.0.0 fine\r\n");
  };

  socket.on("data", (chunk: Buffer) => {
    if (message !== null) return take(chunk);
    line += chunk.toString("latin1");
    // A client that waits for each answer sends one line at a time.
    if (!line.endsWith("\r\n")) return;
    const command = line;
    line = "";
    obey(command);
  });
}

const server = createServer(converse);
server.listen(0, "127.0.0.1", () => tell({ kind: "port", port: (server.address() as AddressInfo).port }));

parentPort?.on("message", (order: SinkOrder) => {
  holding = order === "hold";
  if (holding) return;
  for (const socket of held) socket.write("250 2.1.0 fine\r\n");
  held = [];
});
