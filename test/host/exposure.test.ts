import { describe, expect, it } from "vitest";
import { bindingsOf } from "../../src/host/bindings.ts";
import { deploymentExposures, exposures } from "../../src/host/exposure.ts";
import { readSettings } from "../../src/host/settings.ts";

const SECRETS = { authToken: "one", webhookSecret: "two", keySecret: "three" };
const RELAY = { SMTP_URL: "smtp://user:hunter2@relay.example:587" };
const PUBLIC = { HOST: "0.0.0.0", SMTP_HOST: "127.0.0.1" };

/** What the worker is told where the environment says `env`. */
const told = (env: Record<string, string>) => bindingsOf(readSettings(env), SECRETS);
const warnings = (env: Record<string, string>) => exposures(readSettings(env));

describe("who approves claims", () => {
  it.each([
    ["one machine", {}, "open"],
    ["one machine by name", { HOST: "localhost" }, "open"],
    ["one machine over IPv6", { HOST: "::1" }, "open"],
    ["mail that is kept here", { OUTBOUND: "local" }, "open"],
    ["no mail that leaves", { OUTBOUND: "none" }, "open"],
    ["a relay", RELAY, "operator"],
    ["a relay that is not used now", { ...RELAY, OUTBOUND: "local" }, "operator"],
    ["every interface", { HOST: "0.0.0.0" }, "operator"],
    ["every interface over IPv6", { HOST: "::" }, "operator"],
    ["an address of the network", { HOST: "192.0.2.7" }, "operator"],
    ["a proxy in front", { TRUST_CLIENT_ADDRESS: "true" }, "operator"],
    ["TLS of its own in front", { ALLOW_HTTP: "true" }, "operator"],
    ["a public name", { PUBLIC_URL: "https://mail.example" }, "operator"],
    ["a name of this machine", { PUBLIC_URL: "http://localhost:8787" }, "open"],
  ])("with %s", (_, env: Record<string, string>, approval) => {
    expect(told(env).CLAIM_APPROVAL).toBe(approval);
    expect(told({ ...env, CLAIM_APPROVAL: "open" }).CLAIM_APPROVAL).toBe("open");
    expect(told({ ...env, CLAIM_APPROVAL: "operator" }).CLAIM_APPROVAL).toBe("operator");
  });
});

describe("temporary mailboxes an hour", () => {
  it("are a thousand on one machine, the worker's ten where others come in, and what is set", () => {
    expect(told({}).BOOTSTRAP_PER_HOUR).toBe("1000");
    expect(told(RELAY).BOOTSTRAP_PER_HOUR).toBe("1000");
    expect(told(PUBLIC)).not.toHaveProperty("BOOTSTRAP_PER_HOUR");
    expect(told({ TRUST_CLIENT_ADDRESS: "true" })).not.toHaveProperty("BOOTSTRAP_PER_HOUR");
    expect(told({ BOOTSTRAP_PER_HOUR: "3" }).BOOTSTRAP_PER_HOUR).toBe("3");
  });
});

describe("a start", () => {
  it("warns of nothing that needs no action", () => {
    expect(warnings({})).toEqual([]);
    expect(warnings({ ALLOW_PRIVATE_WEBHOOKS: "true", CLAIM_APPROVAL: "open" })).toEqual([]);
    expect(warnings(RELAY)).toEqual([]);
    // A server behind a proxy on the same machine, as the README says.
    expect(warnings({ TRUST_CLIENT_ADDRESS: "true", ALLOW_HTTP: "true" })).toEqual([]);
  });

  it.each([
    ["CLAIM_APPROVAL", { ...RELAY, CLAIM_APPROVAL: "open" }],
    ["CLAIM_APPROVAL", { ...PUBLIC, BOOTSTRAP: "off", CLAIM_APPROVAL: "open" }],
    ["ALLOW_HTTP", { ...PUBLIC, BOOTSTRAP: "off", ALLOW_HTTP: "true" }],
    ["ALLOW_PRIVATE_WEBHOOKS", { ...PUBLIC, BOOTSTRAP: "off", ALLOW_PRIVATE_WEBHOOKS: "true" }],
    ["BOOTSTRAP", PUBLIC],
    ["TRUST_CLIENT_ADDRESS", { ...PUBLIC, TRUST_CLIENT_ADDRESS: "true" }],
    ["SMTP_HOST", { SMTP_HOST: "0.0.0.0" }],
  ])("says in one line what %s opens, and what to set", (variable, env: Record<string, string>) => {
    const lines = warnings(env);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${variable}\\b[^\n]+ [Ss]et [A-Z_]+`))]);
    expect(lines.join()).not.toContain("hunter2");
  });

  it("says each of several", () => {
    const all = { HOST: "::", CLAIM_APPROVAL: "open", ALLOW_HTTP: "true", ALLOW_PRIVATE_WEBHOOKS: "true" };
    expect(warnings(all)).toHaveLength(5);
  });
});

describe("a deployment to the platform", () => {
  it("is warned of what it opens to everybody", () => {
    const good = { TRUST_CLIENT_ADDRESS: "true", MAIL_DOMAIN: "a.example" };
    expect(deploymentExposures(good)).toEqual([]);
    expect(deploymentExposures({ ...good, CLAIM_APPROVAL: "open", ALLOW_HTTP: "true" })).toHaveLength(2);
    expect(deploymentExposures({})).toEqual([expect.stringMatching("TRUST_CLIENT_ADDRESS")]);
  });
});
