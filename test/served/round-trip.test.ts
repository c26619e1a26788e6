import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stop } from "../../src/host/cloudflare/failure.ts";
import { Mailkeep } from "../../src/client/index.ts";
import { roundTrip, type RoundTripOptions } from "../../src/server/cloudflare/round-trip.ts";
import { readSecrets, Server } from "./server.ts";
import { sendMail } from "./smtp.ts";

describe("the trial at the end of `mailkeep up`, against a server", () => {
  let server: Server;
  let operatorKey = "";
  const said: string[] = [];

  beforeAll(async () => {
    server = await Server.start();
    operatorKey = (await readSecrets(server.dataDir)).auth_token;
  });
  afterAll(() => server.stop());

  const options = (): RoundTripOptions => ({
    url: server.url,
    operatorKey,
    sendFromOutside: null,
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    pause: () => Promise.resolve(),
    again: "npx mailkeep-server up",
  });

  it("hears a mail that was handed over and one that came by SMTP, and leaves no mailbox behind", async () => {
    const trip = await roundTrip({
      ...options(),
      sendFromOutside: async (to, raw) => {
        await sendMail(server.smtpPort, { envelope: { from: "check@mailkeep.test", to }, raw });
        return true;
      },
    });
    expect(trip).toEqual({ inside: true, outside: true });
    const operator = new Mailkeep({ url: server.url, key: operatorKey });
    expect((await operator.mailboxes.list()).mailboxes).toEqual([]);
    expect(said.join("\n")).not.toContain(operatorKey);
  });

  it("says so where its key is not the deployment's, and erases its mailbox all the same", async () => {
    expect(await roundTrip({ ...options(), operatorKey: "wrong".repeat(8) })).toEqual({
      inside: false,
      outside: null,
    });
    expect(said.at(-2)).toContain("is not the deployment's");
    const operator = new Mailkeep({ url: server.url, key: operatorKey });
    expect((await operator.mailboxes.list()).mailboxes).toEqual([]);
  });

  it("stops where nothing answers, and says the command to run again", async () => {
    const trip = roundTrip({ ...options(), url: "http://127.0.0.1:9" });
    await expect(trip).rejects.toThrow(Stop);
    await expect(trip).rejects.toMatchObject({ next: "npx mailkeep-server up" });
  });
});
