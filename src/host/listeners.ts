import path from "node:path";
import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { bracketed } from "./banner.ts";
import { mailDns } from "./dns/mail-dns.ts";
import { isSmtpReachable } from "./exposure.ts";
import type { Front } from "./front/front.ts";
import { keepCertificates, openFront, proxiesOf } from "./front/open.ts";
import { Networks } from "./front/networks.ts";
import { startRedirect, type Redirect } from "./front/redirect.ts";
import { listenRefusal } from "./ports.ts";
import type { Place } from "./ports.ts";
import type { Settings } from "./settings.ts";
import type { RuntimeGate } from "./runtime-gate.ts";
import { startSmtp } from "./smtp/listener.ts";
import { SenderChecks } from "./smtp/sender-checks.ts";
import type { SmtpListener } from "./smtp/listener.ts";
import type { SmtpObserver } from "./smtp/observer.ts";
import type { HandedOver } from "./systemd/listen-fds.ts";

/** The listeners that run in Node; null: not open yet, or not needed. */
export interface Listeners {
  smtp: SmtpListener | null;
  /** Null: the runtime listens for HTTP itself. */
  front: Front | null;
  redirect: Redirect | null;
}

/** The worker that the listeners pass requests to. */
export interface Upstream {
  /** Its URL on this machine. */
  http: string;
  /** The operator key. */
  token: string;
  /** The runtime's port for the front; null: there is no front. */
  frontPort: number | null;
  /** Proves to the worker that a request comes from the front. */
  frontSecret: string;
  /** Opens while the runtime listens. */
  gate: RuntimeGate;
}

interface Reporters {
  observer: SmtpObserver;
  /** Gets lines about certificates and connections. */
  say: (line: string) => void;
  /** Gets lines about faults. */
  log: (line: string) => void;
}

/** Host and port of HTTP and SMTP, and the variables that set the ports. */
export function placesOf(settings: Settings): { http: Place; smtp: Place } {
  return {
    http: { protocol: "HTTP", host: settings.host, port: settings.port, variable: "PORT" },
    smtp: { protocol: "SMTP", host: settings.smtpHost, port: settings.smtpPort, variable: "SMTP_PORT" },
  };
}

/** Places to listen on that are known and not handed over. A port of 0 is chosen when it is listened on. */
export function freePlaces(settings: Settings, sockets: HandedOver): Place[] {
  const { http, smtp } = placesOf(settings);
  const places = [...(sockets.http === null ? [http] : []), ...(sockets.smtp === null ? [smtp] : [])];
  return places.filter(({ port }) => port !== 0);
}

/**
 * Opens SMTP and, where they are needed, the front and the redirect to it, and keeps their certificates new. Each listener is
 * put into `opened` as soon as it listens, so that a stop during the start closes it. Throws a `Refusal` that names the port.
 *
 * @returns the URL at which this machine reaches HTTP, and the SMTP listener.
 */
export async function openListeners(
  opened: Listeners,
  settings: Settings,
  { upstream, sockets, ...reporters }: Reporters & { upstream: Upstream; sockets: HandedOver },
): Promise<{ http: string; smtp: SmtpListener }> {
  const smtp = await openSmtp(settings, upstream, { ...reporters, fd: sockets.smtp ?? undefined });
  opened.smtp = smtp;
  if (upstream.frontPort !== null) {
    const behind = {
      upstreamPort: upstream.frontPort,
      secret: upstream.frontSecret,
      gate: upstream.gate,
      fd: sockets.http ?? undefined,
      log: reporters.say,
    };
    opened.front = await orRefusal(placesOf(settings).http, () => openFront(settings, behind));
  }
  const httpsPort = settings.httpTls === null ? null : (opened.front?.port ?? null);
  opened.redirect = await openRedirect(settings, { fd: sockets.redirect, httpsPort, log: reporters.say });
  const uses = [
    { files: settings.httpTls, listener: opened.front },
    { files: settings.tls, listener: smtp },
  ];
  keepCertificates(uses, reporters.say);
  return { http: opened.front === null ? upstream.http : addressOf(settings, opened.front), smtp };
}

/** Opens the redirect on a handed-over socket or on the port of the settings; null where there is neither. */
async function openRedirect(
  settings: Settings,
  { fd, httpsPort, log }: { fd: number | null; httpsPort: number | null; log: (line: string) => void },
): Promise<Redirect | null> {
  const { host, redirectPort: port, acmeWebroot: webroot } = settings;
  if (fd === null && port === null) return null;
  const listen = fd === null ? { host, port: port ?? 0 } : { fd };
  const place: Place = { protocol: "HTTP", host, port: port ?? 0, variable: "HTTP_REDIRECT_PORT" };
  const options = { listen, httpsPort, webroot, proxies: proxiesOf(settings), log };
  return orRefusal(place, () => startRedirect(options));
}

function openSmtp(
  settings: Settings,
  upstream: Upstream,
  { fd, log, observer }: Reporters & { fd: number | undefined },
): Promise<SmtpListener> {
  const mailDomain = settings.worker.MAIL_DOMAIN;
  return orRefusal(placesOf(settings).smtp, () =>
    startSmtp({
      host: settings.smtpHost,
      port: settings.smtpPort,
      fd,
      upstream: upstream.http,
      token: upstream.token,
      gate: upstream.gate,
      spoolDir: path.join(settings.dataDir, "spool"),
      maxBytes: MAX_MESSAGE_BYTES,
      name: mailDomain,
      postmaster: `postmaster@${mailDomain}`,
      tls: settings.tls ?? undefined,
      proxies: proxiesOf(settings) ?? undefined,
      known: settings.unpaused === null ? undefined : new Networks(settings.unpaused),
      senders: checksSenders(settings, fd !== undefined)
        ? new SenderChecks(mailDns(settings.resolver?.place ?? null), log)
        : undefined,
      log,
      observer,
    }),
  );
}

/**
 * Whether senders of mail by SMTP are checked. By default not where only this machine reaches SMTP: a developer's machine may
 * have no DNS, and nobody else can send.
 */
export function checksSenders(settings: Settings, isHandedOver: boolean): boolean {
  return settings.senderChecks ?? (isHandedOver || isSmtpReachable(settings));
}

/** Opens a listener. An error of `listen` becomes a `Refusal` that names the place. */
async function orRefusal<Opened>(place: Place, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    throw listenRefusal(place, error);
  }
}

/** The URL at which this machine reaches the front. */
function addressOf({ host, httpTls }: Settings, { port }: Front): string {
  return `${httpTls === null ? "http" : "https"}://${bracketed(host)}:${port}`;
}
