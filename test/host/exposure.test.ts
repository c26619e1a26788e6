import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config/env.ts";
import { check } from "../../src/config/check.ts";
import { WORKER_SETTINGS } from "../../src/config/worker-settings.ts";
import { bindingsOf } from "../../src/host/bindings.ts";
import { readSettings } from "../../src/host/settings.ts";
import { deploymentWarnings, startWarnings } from "../../src/host/warnings.ts";

const SECRETS = { authToken: "a".repeat(32), webhookSecret: "w".repeat(16), keySecret: "k".repeat(32) };
const RELAY = { SMTP_URL: "smtp://user:hunter2@relay.example:587" };
const PUBLIC = { HOST: "0.0.0.0", SMTP_HOST: "127.0.0.1" };

/** The worker's configuration when `npm start` runs with these variables. */
const configWith = (env: Record<string, string>) => configOf(bindingsOf(readSettings(env), SECRETS));
const warnings = (env: Record<string, string>) => startWarnings(readSettings(env));

describe("the default of CLAIM_APPROVAL", () => {
  it.each([
    ["one machine", {}, "open"],
    ["one machine by name", { HOST: "localhost" }, "open"],
    ["one machine over IPv6", { HOST: "::1" }, "open"],
    ["mail that is kept here", { OUTBOUND: "local" }, "open"],
    ["sending turned off", { OUTBOUND: "none" }, "open"],
    ["a relay", RELAY, "operator"],
    ["a relay that is not used now", { ...RELAY, OUTBOUND: "local" }, "operator"],
    ["every interface", { HOST: "0.0.0.0" }, "operator"],
    ["every interface over IPv6", { HOST: "::" }, "operator"],
    ["an address of the network", { HOST: "192.0.2.7" }, "operator"],
    ["a proxy in front", { TRUST_CLIENT_ADDRESS: "1" }, "operator"],
    ["a TLS proxy in front", { ALLOW_HTTP: "On" }, "operator"],
    ["a public name", { PUBLIC_URL: "https://mail.example" }, "operator"],
    ["a name of this machine", { PUBLIC_URL: "http://localhost:8787" }, "open"],
  ])("with %s is as documented, and a value that is set wins", (_, env: Record<string, string>, approval) => {
    expect(configWith(env).claimApproval).toBe(approval);
    expect(configWith({ ...env, CLAIM_APPROVAL: "open" }).claimApproval).toBe("open");
    expect(configWith({ ...env, CLAIM_APPROVAL: "operator" }).claimApproval).toBe("operator");
  });
});

describe("the default of BOOTSTRAP_PER_HOUR", () => {
  it("is 1000 on one machine, 10 if others can reach the server, and a value that is set wins", () => {
    expect(configWith({}).bootstrapPerHour).toBe(1_000);
    expect(configWith(RELAY).bootstrapPerHour).toBe(1_000);
    expect(configWith(PUBLIC).bootstrapPerHour).toBe(10);
    expect(configWith({ TRUST_CLIENT_ADDRESS: "true" }).bootstrapPerHour).toBe(10);
    expect(configWith({ BOOTSTRAP_PER_HOUR: "3" }).bootstrapPerHour).toBe(3);
  });
});

describe("npm start", () => {
  it("does not warn where nothing needs action", () => {
    expect(warnings({})).toEqual([]);
    expect(warnings({ ALLOW_PRIVATE_WEBHOOKS: "true", CLAIM_APPROVAL: "open" })).toEqual([]);
    expect(warnings(RELAY)).toEqual([]);
    // A server behind a proxy on the same machine.
    expect(warnings({ TRUST_CLIENT_ADDRESS: "true", ALLOW_HTTP: "true" })).toEqual([]);
    // Nobody else hands mail over.
    expect(warnings({ SENDER_CHECKS: "off" })).toEqual([]);
  });

  it.each([
    ["CLAIM_APPROVAL", { ...RELAY, CLAIM_APPROVAL: "open" }],
    ["CLAIM_APPROVAL", { ...PUBLIC, BOOTSTRAP: "off", CLAIM_APPROVAL: "open" }],
    ["ALLOW_HTTP", { ...PUBLIC, BOOTSTRAP: "off", ALLOW_HTTP: "1" }],
    ["ALLOW_PRIVATE_WEBHOOKS", { ...PUBLIC, BOOTSTRAP: "0", ALLOW_PRIVATE_WEBHOOKS: "yes" }],
    ["BOOTSTRAP", PUBLIC],
    ["TRUST_CLIENT_ADDRESS", { ...PUBLIC, TRUST_CLIENT_ADDRESS: "true" }],
    ["SMTP_HOST", { SMTP_HOST: "0.0.0.0" }],
    ["SENDER_CHECKS", { PROXY_PROTOCOL_FROM: "127.0.0.1", BOOTSTRAP: "off", SENDER_CHECKS: "off" }],
  ])("warns in one line what %s opens and what to set", (variable, env: Record<string, string>) => {
    const lines = warnings(env);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${variable}\\b[^\n]+ [Ss]et [A-Z_]+`))]);
    expect(lines.join()).not.toContain("hunter2");
  });

  it("warns of each of several risks", () => {
    const all = { HOST: "::", CLAIM_APPROVAL: "open", ALLOW_HTTP: "true", ALLOW_PRIVATE_WEBHOOKS: "true" };
    expect(warnings(all)).toHaveLength(5);
  });
});

describe("npm run deploy", () => {
  const warningsOf = (vars: Record<string, unknown>) => {
    const { values } = check(WORKER_SETTINGS, [], vars);
    return values === null ? null : deploymentWarnings(values);
  };

  it("warns of settings that open something to everybody", () => {
    const good = { TRUST_CLIENT_ADDRESS: "true", MAIL_DOMAIN: "a.example" };
    expect(warningsOf(good)).toEqual([]);
    expect(warningsOf({ ...good, CLAIM_APPROVAL: "open", ALLOW_HTTP: "1" })).toHaveLength(2);
    expect(warningsOf({})).toEqual([expect.stringMatching("TRUST_CLIENT_ADDRESS")]);
    expect(warningsOf({ ...good, TRUST_CLIENT_ADDRESS: true })).toEqual([]);
  });
});
