import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { isSet, type Environment, type Fault } from "../config/check.ts";

/** The value that was read, or why it cannot be used. */
export type FileResult<Value> = { value: Value; faults: [] } | { value: null; faults: [Fault] };

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** A certificate with its chain and its private key, as PEM texts. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** A pair, and the files that it was read from. */
export interface KeyPairFiles extends KeyPair {
  certFile: string;
  keyFile: string;
}

/** The variables that name the files of a pair. */
export type PairVariables = readonly [cert: string, key: string];
const TLS: PairVariables = ["TLS_CERT", "TLS_KEY"];
const SMTP_TLS: PairVariables = ["SMTP_TLS_CERT", "SMTP_TLS_KEY"];

/** Certificate and key for HTTPS; null where they are not set. */
export function readHttpTls(env: Environment): FileResult<KeyPairFiles | null> {
  return readPair(env, TLS);
}

/** Certificate and key for STARTTLS: its own, else those for HTTPS; null where neither is set. */
export function readSmtpTls(env: Environment): FileResult<KeyPairFiles | null> {
  return readPair(env, SMTP_TLS.some((variable) => isSet(env, variable)) ? SMTP_TLS : TLS);
}

function readPair(
  env: Environment,
  [certVariable, keyVariable]: PairVariables,
): FileResult<KeyPairFiles | null> {
  if (!isSet(env, certVariable) || !isSet(env, keyVariable)) return read(null);
  const cert = readFileOf(env, certVariable);
  if (cert.value === null) return cert;
  const key = readFileOf(env, keyVariable);
  if (key.value === null) return key;
  const pair = { cert: cert.value, key: key.value };
  const fault = pairFault(pair);
  if (fault === null) {
    return read({ ...pair, certFile: nameOf(env, certVariable), keyFile: nameOf(env, keyVariable) });
  }
  if (fault.kind === "no-certificate") {
    return wrong(certVariable, `names a file without a certificate in PEM: ${nameOf(env, certVariable)}`);
  }
  if (fault.kind === "no-key") {
    return wrong(keyVariable, `names a file without a private key in PEM: ${nameOf(env, keyVariable)}`);
  }
  return wrong(
    certVariable,
    `and ${keyVariable} must be a certificate and its own key, without a passphrase (${fault.reason})`,
  );
}

/** Why a pair cannot be used. */
export type PairFault = { kind: "no-certificate" } | { kind: "no-key" } | { kind: "no-pair"; reason: string };

/** Why a certificate and a key cannot be used together; null if they can. */
export function pairFault({ cert, key }: KeyPair): PairFault | null {
  // Node treats an empty text as if none were given.
  if (cert.match(CERTIFICATES) === null) return { kind: "no-certificate" };
  if (!key.includes("PRIVATE KEY-----")) return { kind: "no-key" };
  try {
    createSecureContext({ cert, key });
    // The context accepts a key of another type than the certificate's.
    const isOwnKey = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isOwnKey ? null : { kind: "no-pair", reason: "the key belongs to another certificate" };
  } catch (error) {
    return { kind: "no-pair", reason: messageOf(error) };
  }
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
