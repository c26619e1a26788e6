import { describe, expect, it } from "vitest";
import { smtpSettings } from "../../src/outbound/smtp-settings.ts";

const settingsOf = (url: string) => {
  const settings = smtpSettings(url);
  if (!settings.ok) throw new Error(settings.error);
  return settings.value;
};

describe("SMTP_URL", () => {
  it("requires STARTTLS at the submission port by default", () => {
    expect(settingsOf("smtp://user:pass@relay.example")).toEqual({
      host: "relay.example",
      port: 587,
      security: "starttls",
      auth: { kind: "password", user: "user", password: "pass", method: null },
      name: null,
    });
  });

  it.each([
    ["smtp://relay.example:2525", 2525, "starttls"],
    ["smtps://relay.example", 465, "tls"],
    ["smtps://relay.example:4465?ignoreTLS=true", 4465, "tls"],
    ["smtp://relay.example?ignoreTLS=true", 587, "none"],
    ["smtp://relay.example?ignoreTLS=false", 587, "starttls"],
    ["smtp://relay.example?ignoreTLS=true&requireTLS=true", 587, "starttls"],
    ["smtp://[::1]:25", 25, "starttls"],
  ] as const)("%s is port %d, %s", (url, port, security) => {
    expect(settingsOf(url)).toMatchObject({ port, security });
  });

  it("decodes percent-encoded credentials, also in UTF-8", () => {
    const { auth } = settingsOf("smtps://me%40x.example:p%3A%2F%40%C3%BC@relay.example");
    expect(auth).toEqual({ kind: "password", user: "me@x.example", password: "p:/@ü", method: null });
  });

  it("reads the host of an address literal without its brackets", () => {
    expect(settingsOf("smtp://[::1]").host).toBe("::1");
  });

  it("accepts an access token as password, or the options to request one", () => {
    expect(settingsOf("smtp://me:token@relay.example?authMethod=xoauth2").auth).toEqual({
      kind: "xoauth2",
      user: "me",
      accessToken: "token",
      refresh: null,
    });
    const refresh = {
      accessUrl: "https://id.example/token",
      clientId: "c",
      clientSecret: "s",
      refreshToken: "r",
    };
    const query = new URLSearchParams({ authMethod: "XOAUTH2", ...refresh }).toString();
    expect(settingsOf(`smtp://me@relay.example?${query}`).auth).toEqual({
      kind: "xoauth2",
      user: "me",
      accessToken: null,
      refresh,
    });
  });

  it.each([
    ["", "no URL"],
    ["relay.example:25", "must begin with"],
    ["http://relay.example", "must begin with"],
    ["smtp:///path", "names no host"],
    ["smtp://user@relay.example", "without a password"],
    ["smtp://:pass@relay.example", "without a password"],
    ["smtp://u:%E0%A4%A@relay.example", "not percent-encoded"],
    ["smtp://relay.example?ignoreTls=true", "cannot be used: ignoreTls"],
    ["smtp://relay.example?tls.rejectUnauthorized=false", "cannot be used: tls.rejectUnauthorized"],
    ["smtp://relay.example?authMethod=CRAM-MD5", "cannot be used: authMethod"],
    ["smtp://relay.example?name=a%0D%0AMAIL", "cannot be used: name"],
    ["smtp://u:p@relay.example?ignoreTLS=yes", "cannot be used: ignoreTLS"],
    ["smtp://me@relay.example?authMethod=XOAUTH2", "needs a user, and an access token"],
    ["smtp://me@relay.example?authMethod=XOAUTH2&clientId=c", "needs a user, and an access token"],
  ])("%j is refused: %s", (url, error) => {
    const settings = smtpSettings(url);
    expect(settings.ok ? "" : settings.error).toContain(error);
  });

  it("has errors that contain no secret", () => {
    const settings = smtpSettings("smtp://user:hunter2@relay.example?clientSecret=hunter2&accessUrl=hunter2");
    expect(settings.ok).toBe(false);
    expect(JSON.stringify(settings)).not.toContain("hunter2");
  });
});
