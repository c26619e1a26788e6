import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { isSet, type Environment, type Fault } from "../config/check.ts";

/** The value that was read, or why it cannot be used. */
export type FileResult<Value> = { value: Value; faults: [] } | { value: null; faults: [Fault] };

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Certificate and key for STARTTLS as PEM texts; null where neither is set. */
export function readTls(env: Environment): FileResult<{ cert: string; key: string } | null> {
  if (!isSet(env, "SMTP_TLS_CERT") || !isSet(env, "SMTP_TLS_KEY")) return read(null);
  const cert = readFileOf(env, "SMTP_TLS_CERT");
  if (cert.value === null) return cert;
  const key = readFileOf(env, "SMTP_TLS_KEY");
  if (key.value === null) return key;
  // Node takes an empty text for one that is not given.
  if (cert.value.match(CERTIFICATES) === null) {
    return wrong(
      "SMTP_TLS_CERT",
      `names a file without a certificate in PEM: ${nameOf(env, "SMTP_TLS_CERT")}`,
    );
  }
  if (!key.value.includes("PRIVATE KEY-----")) {
    return wrong("SMTP_TLS_KEY", `names a file without a private key in PEM: ${nameOf(env, "SMTP_TLS_KEY")}`);
  }
  try {
    createSecureContext({ cert: cert.value, key: key.value });
    // The context accepts a key of another type than the certificate's.
    const isOwnKey = new X509Certificate(cert.value).checkPrivateKey(createPrivateKey(key.value));
    if (!isOwnKey) throw new Error("the key belongs to another certificate");
  } catch (error) {
    return wrong(
      "SMTP_TLS_CERT",
      `and SMTP_TLS_KEY must be a certificate and its own key, without a passphrase (${messageOf(error)})`,
    );
  }
  return read({ cert: cert.value, key: key.value });
}

/** The certificates of a file, each as PEM; none where the variable is not set. */
export function readAuthorities(env: Environment): FileResult<string[]> {
  const variable = "NODE_EXTRA_CA_CERTS";
  if (!isSet(env, variable)) return read([]);
  const file = readFileOf(env, variable);
  if (file.value === null) return file;
  const found = file.value.match(CERTIFICATES);
  return found === null
    ? wrong(variable, `names a file without a certificate in PEM: ${nameOf(env, variable)}`)
    : read([...found]);
}

/** The DKIM key as PEM, from the variable itself or from the file that it names; null where none is set. */
export function readDkimKey(env: Environment): FileResult<string | null> {
  const variable = "DKIM_PRIVATE_KEY";
  if (!isSet(env, variable)) return read(null);
  const given = nameOf(env, variable);
  // A variable of one line has its line ends written as \n.
  const text = given.includes("-----BEGIN") ? read(given.replaceAll("\\n", "\n")) : readFileOf(env, variable);
  if (text.value === null) return text;
  try {
    if (createPrivateKey(text.value).asymmetricKeyType === "rsa") return text;
  } catch {
    // Not PEM, damaged, or encrypted.
  }
  return wrong(variable, "must be an RSA private key in PEM without a passphrase, or the path of its file");
}

function readFileOf(env: Environment, variable: string): FileResult<string> {
  const file = nameOf(env, variable);
  try {
    return read(readFileSync(file, "utf8"));
  } catch (error) {
    return wrong(variable, `names a file that cannot be read (${codeOf(error)}): ${file}`);
  }
}

const nameOf = (env: Environment, variable: string): string => String(env[variable]);

function read<Value>(value: Value): FileResult<Value> {
  return { value, faults: [] };
}

function wrong(variable: string, message: string): { value: null; faults: [Fault] } {
  return { value: null, faults: [{ variable, message, showsValue: false }] };
}

/** The code of a file error, such as ENOENT. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
