import type { Socket } from "node:net";
import { connect, createSecureContext, rootCertificates } from "node:tls";
import type { SecureContext, TLSSocket } from "node:tls";

/** A fault of a certificate, for a client that connects to a host. */
export type CertificateFault = "expired" | "name" | "untrusted";

/** An encrypted connection, and whether its certificate is valid. */
export interface Secured {
  socket: TLSSocket;
  /** Null: nothing is wrong with the certificate. */
  fault: CertificateFault | null;
  /** When the certificate expires, in ms since 1970; null if it cannot be read. */
  endsAt: number | null;
}

/** The root certificates. Reading them takes longer than a session, so it is done once. */
const CONTEXTS = new WeakMap<readonly string[], SecureContext>();

function trusting(authorities: readonly string[]): SecureContext {
  const context =
    CONTEXTS.get(authorities) ?? createSecureContext({ ca: [...rootCertificates, ...authorities] });
  CONTEXTS.set(authorities, context);
  return context;
}

const EXPIRED: readonly string[] = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

/** Begins TLS on a connection, whatever the certificate; rejects if the handshake fails. */
export function secure(
  socket: Socket,
  host: string,
  authorities: readonly string[],
  signal: AbortSignal,
): Promise<Secured> {
  return new Promise((resolve, reject) => {
    const secured = connect({
      socket,
      // An IP address must not be sent as a server name (RFC 6066 §3).
      ...(/^[\d.]+$|:/.test(host) ? { host } : { servername: host, host }),
      secureContext: trusting(authorities),
      // An invalid certificate becomes a finding, so the connection goes on.
      rejectUnauthorized: false,
    });
    const stop = () => secured.destroy(new Error("No encrypted session in time"));
    signal.addEventListener("abort", stop, { once: true });
    secured.once("error", reject);
    secured.once("close", () => reject(new Error("The connection ended before TLS was set up")));
    secured.once("secureConnect", () => {
      signal.removeEventListener("abort", stop);
      secured.off("error", reject);
      secured.on("error", () => {});
      const end = Date.parse(secured.getPeerCertificate().valid_to ?? "");
      resolve({ socket: secured, fault: faultOf(secured), endsAt: Number.isNaN(end) ? null : end });
    });
  });
}

function faultOf(socket: TLSSocket): CertificateFault | null {
  if (socket.authorized) return null;
  // It is declared as an Error, but Node sets it to the error code, a string.
  const code = String(socket.authorizationError);
  if (EXPIRED.includes(code)) return "expired";
  return code.includes("ALTNAME") ? "name" : "untrusted";
}
