import { describe, expect, it } from "vitest";
import { ALL_SETTINGS } from "../../src/config/fault-lines.ts";
import { unknownVariableLines, unknownVariables } from "../../src/config/unknown-variables.ts";

const KNOWN = Object.keys(ALL_SETTINGS);
const meant = (name: string) => unknownVariables([name], KNOWN)[0]?.meant;

describe("a variable that looks like a setting and is none", () => {
  it.each([
    ["CLAIM_TTL_SECOND", "CLAIM_TTL_SECONDS"],
    ["CLAIM_TTL", "CLAIM_TTL_SECONDS"],
    ["EVENT_RETENTION", "EVENT_RETENTION_DAYS"],
    ["MAILBOX_QUOTA", "MAILBOX_QUOTA_BYTES"],
    ["MAIL_DOMAINS", "MAIL_DOMAIN"],
    ["mail_domain", "MAIL_DOMAIN"],
    ["WEBHOOK_SECERT", "WEBHOOK_SECRET"],
    ["DATADIR", "DATA_DIR"],
    ["ALLOW_HTTPS", "ALLOW_HTTP"],
    ["SMTP_URI", "SMTP_URL"],
    ["TRUST_CLIENT_ADRESS", "TRUST_CLIENT_ADDRESS"],
    ["MAILKEEP_PORT", "PORT"],
    ["MAILKEEP_DATA_DIR", "DATA_DIR"],
  ])("is reported with the setting that is probably meant: %s, %s", (name, setting) => {
    expect(meant(name)).toBe(setting);
  });

  it("is reported without one where none is near", () => {
    expect(unknownVariableLines(unknownVariables(["MAILKEEP_COLOUR"], KNOWN))).toEqual([
      "MAILKEEP_COLOUR is not a setting and has no effect: docs/configuration.md lists all settings",
    ]);
  });

  it("is not a setting", () => {
    expect(unknownVariables(KNOWN, KNOWN)).toEqual([]);
  });

  it.each([
    "HOME PATH PWD OLDPWD TERM USER LOGNAME SHELL LANG TZ EDITOR HOSTNAME TMPDIR MAIL MAILTO",
    "SMTP_USER SMTP_USERNAME SMTP_PASS SMTP_PASSWORD SMTP_FROM SMTP_SERVER SMTP_TLS SMTP_SECURE SMTP_SSL",
    "MAIL_PORT MAIL_USERNAME MAIL_PASSWORD MAIL_MAILER EMAIL_HOST EMAIL_PORT EMAIL_HOST_USER",
    "PORTS HTTP_PORT HTTPS_PORT HTTP_PROXY NO_PROXY http_proxy DATABASE_URL REDIS_URL PUBLIC_KEY",
    "NODE_ENV NODE_OPTIONS NODE_EXTRA npm_config_cache npm_lifecycle_event CI GITHUB_TOKEN AUTH_SECRET",
    "AWS_SECRET_ACCESS_KEY KEY SECRET_KEY SECRET_KEY_BASE XDG_DATA_DIRS XDG_DATA_HOME JWT_SECRET",
    "CLOUDFLARE_API_TOKEN WRANGLER_LOG DISPLAY SSH_AUTH_SOCK WEBHOOK_URL EMBEDDINGS OUTBOUND_PROXY",
  ])("is not a variable of another program: %s", (names) => {
    expect(unknownVariables(names.split(" "), KNOWN)).toEqual([]);
  });
});
