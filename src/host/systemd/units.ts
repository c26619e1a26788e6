import type { Program } from "./program.ts";

/** A file that `serve --install` writes. */
export interface InstalledFile {
  /** Absolute, below the root of the system. */
  path: string;
  text: string;
  mode: number;
  /** Whether an existing file is kept, because the operator has edited it. */
  isKept: boolean;
}

/** Where the sockets listen, as values of `ListenStream=` (systemd.socket(5)): a port, or an IP address with a port. */
export interface ListenStreams {
  http: string;
  smtp: string;
  /** Plain http, which is redirected to HTTPS; null: nothing listens for it. */
  redirect: string | null;
}

export const SETTINGS_FILE = "/etc/mailkeep/mailkeep.env";
/** PEM files that root owns, and the copies that the service may read. */
const PEM_FOLDER = "/etc/mailkeep/pem";
const RUNTIME_FOLDER = "/run/mailkeep";
/** Root owns this folder. In a folder that the service owns, it could make a symbolic link that redirects what root writes. */
const PEM_COPIES = "/run/mailkeep-pem";
const UNITS = "/etc/systemd/system";
const DATA_DIR = "/var/lib/mailkeep/data";
const BACKUP_DIR = "/var/lib/mailkeep/backup";
/** Root writes the challenges of ACME here, and the service reads them. */
const ACME_WEBROOT = "/var/lib/mailkeep-acme";

/** Who may read the settings: they hold the relay's password. */
const SECRET_MODE = 0o600;
const UNIT_MODE = 0o644;

/** Every file of an installation. */
export function installedFiles(program: Program, listen: ListenStreams): InstalledFile[] {
  const unit = (name: string, text: string): InstalledFile => ({
    path: `${UNITS}/${name}`,
    text,
    mode: UNIT_MODE,
    isKept: false,
  });
  return [
    unit("mailkeep.service", serviceUnit(program, listen)),
    ...streamsOf(listen).map(([name, stream]) => unit(`mailkeep-${name}.socket`, socketUnit(name, stream))),
    unit("mailkeep-backup.service", backupUnit(program, listen)),
    unit("mailkeep-backup.timer", timerUnit("backup", "Mailkeep: a backup each night", "*-*-* 03:00:00")),
    unit("mailkeep-doctor.service", doctorUnit(program, listen)),
    unit(
      "mailkeep-doctor.timer",
      timerUnit("doctor", "Mailkeep: the doctor, four times a day", "*-*-* 00/6:15:00"),
    ),
    { path: SETTINGS_FILE, text: settingsExample(listen), mode: SECRET_MODE, isKept: true },
  ];
}

type StreamName = keyof ListenStreams;

/** The sockets that there are, by name. */
function streamsOf({ http, smtp, redirect }: ListenStreams): [StreamName, string][] {
  const always: [StreamName, string][] = [
    ["http", http],
    ["smtp", smtp],
  ];
  return redirect === null ? always : [...always, ["redirect", redirect]];
}

/** The unit of the redirect, which an installation without one may have left. */
export const REDIRECT_UNIT = `${UNITS}/mailkeep-redirect.socket`;

/** Folders that the units expect. */
export const INSTALLED_FOLDERS: readonly { path: string; mode: number }[] = [
  { path: PEM_FOLDER, mode: 0o700 },
  { path: ACME_WEBROOT, mode: 0o755 },
];

const HEAD = `# Written by "mailkeep-server serve --install", which writes it anew.
# Changes of your own belong into a drop-in: systemctl edit`;

function serviceUnit({ node, serve }: Program, listen: ListenStreams): string {
  const sockets = streamsOf(listen)
    .map(([name]) => `mailkeep-${name}.socket`)
    .join(" ");
  return `${HEAD} mailkeep.service
[Unit]
Description=Mailkeep: mailboxes for software agents
After=network-online.target
Wants=network-online.target
Requires=${sockets}

[Service]
Type=notify
# The program systemd-notify speaks for the server.
NotifyAccess=all
ExecStartPre=-+${shellCommand(copyPem(PEM_FOLDER, { to: PEM_COPIES, userOf: RUNTIME_FOLDER }))}
ExecStart=${node} ${serve}
# The server reads the copies again when they change.
ExecReload=+${shellCommand(copyPem(PEM_FOLDER, { to: PEM_COPIES, userOf: RUNTIME_FOLDER }))}
Sockets=${sockets}
${environment(listen)}
Environment=MAILKEEP_READY=json
EnvironmentFile=${SETTINGS_FILE}
WorkingDirectory=/var/lib/mailkeep
RuntimeDirectory=mailkeep
RuntimeDirectoryMode=0700
Restart=on-failure
RestartSec=1
# A start builds nothing, but it may upgrade and sync.
TimeoutStartSec=120
# The server itself needs at most ten seconds.
TimeoutStopSec=30
# The server lets its runtime finish.
KillMode=mixed
WatchdogSec=60
LimitNOFILE=65536
${SANDBOX}
[Install]
WantedBy=multi-user.target
Also=${sockets}
`;
}

/**
 * A shell script for root that copies the PEM files of a folder to `to`, for the user that owns `userOf` alone. A folder without
 * such files is no failure.
 */
export function copyPem(from: string, { to, userOf }: { to: string; userOf: string }): string {
  return `set -- ${from}/*.pem; [ ! -e "$1" ] || { install -d -m 0755 ${to} && exec install -m 0400 -o "$(stat -c %u ${userOf})" -t ${to} "$@"; }`;
}

/** A script as `ExecStart=` takes it, where systemd reads `$` as a variable and `%` as a specifier unless they are doubled. */
function shellCommand(script: string): string {
  return `/bin/sh -c '${script.replaceAll("%", "%%").replaceAll("$", () => "$$")}'`;
}

/** The variables that every unit sets. Those of the settings file win, and the sockets themselves over all. */
function environment(listen: ListenStreams): string {
  const pairs = Object.entries(listenVariables(listen)).map(([name, value]) => `${name}=${value}`);
  return `Environment=DATA_DIR=${DATA_DIR} HOME=/var/lib/mailkeep ACME_WEBROOT=${ACME_WEBROOT}\nEnvironment=${pairs.join(" ")}`;
}

/** The settings that say where the sockets listen, for programs that are not handed them, such as the doctor. */
export function listenVariables({ http, smtp }: Omit<ListenStreams, "redirect">): Record<string, string> {
  const [httpAt, smtpAt] = [placeOf(http), placeOf(smtp)];
  return { HOST: httpAt.host, PORT: httpAt.port, SMTP_HOST: smtpAt.host, SMTP_PORT: smtpAt.port };
}

/** Splits `25`, `127.0.0.1:8787` or `[::1]:8787`. A port alone is one of every address. */
function placeOf(stream: string): { host: string; port: string } {
  const colon = stream.lastIndexOf(":");
  if (colon === -1) return { host: "0.0.0.0", port: stream };
  return { host: stream.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), port: stream.slice(colon + 1) };
}

/**
 * The rights of the service. Left out of what systemd offers: MemoryDenyWriteExecute=, because the JavaScript engines write machine
 * code; PrivateNetwork= and IPAddressDeny=, because it talks to the network; ProcSubset=pid, because the server reads the boot
 * id of the machine; and AF_NETLINK is allowed, because the runtime asks for the machine's addresses.
 */
const SANDBOX = `
DynamicUser=yes
User=mailkeep
StateDirectory=mailkeep
StateDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
LockPersonality=yes
PrivateDevices=yes
PrivateMounts=yes
PrivateTmp=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
DevicePolicy=closed
`;

const CARRIES: Readonly<Record<StreamName, string>> = {
  http: "HTTP",
  smtp: "SMTP",
  redirect: "plain http, which leads to HTTPS",
};

function socketUnit(name: StreamName, stream: string): string {
  return `${HEAD} mailkeep-${name}.socket
[Unit]
Description=Mailkeep: ${CARRIES[name]}

[Socket]
ListenStream=${stream}
BindIPv6Only=both
FileDescriptorName=${name}
Service=mailkeep.service

[Install]
WantedBy=sockets.target
`;
}

function backupUnit({ node, command }: Program, listen: ListenStreams): string {
  return `${HEAD} mailkeep-backup.service
[Unit]
Description=Mailkeep: backup while the server runs

[Service]
Type=oneshot
${environment(listen)}
Environment=BACKUP_DIR=${BACKUP_DIR}
EnvironmentFile=${SETTINGS_FILE}
ExecStart=${node} ${command} backup --keep 30 \${BACKUP_DIR}
WorkingDirectory=/var/lib/mailkeep
Nice=10
IOSchedulingClass=idle
LimitNOFILE=65536
${SANDBOX}`;
}

function doctorUnit({ node, command }: Program, listen: ListenStreams): string {
  return `${HEAD} mailkeep-doctor.service
[Unit]
Description=Mailkeep: the doctor looks at this deployment, and reports to the console
After=mailkeep.service

[Service]
Type=oneshot
${environment(listen)}
EnvironmentFile=${SETTINGS_FILE}
ExecStart=${node} ${command} doctor --json --report
# Warnings, and what did not answer this time, are no failure of the unit.
SuccessExitStatus=8 1
WorkingDirectory=/var/lib/mailkeep
Nice=10
${SANDBOX}`;
}

function timerUnit(name: string, description: string, calendar: string): string {
  return `${HEAD} mailkeep-${name}.timer
[Unit]
Description=${description}

[Timer]
OnCalendar=${calendar}
RandomizedDelaySec=1h
Persistent=yes

[Install]
WantedBy=timers.target
`;
}

function settingsExample(listen: ListenStreams): string {
  const listens = Object.entries(listenVariables(listen)).map(([name, value]) => `${name}=${value}`);
  return `# Settings of Mailkeep: NAME=value, one a line. docs/configuration.md lists them all.
# Then: systemctl restart mailkeep

# The domain of the addresses, and the address under which others reach the server.
#MAIL_DOMAIN=agents.example.org
#PUBLIC_URL=https://mail.example.org

# HTTPS and STARTTLS. root puts the files into ${PEM_FOLDER}; the service reads copies,
# which every start and "systemctl reload mailkeep" renew.
#TLS_CERT=${PEM_COPIES}/fullchain.pem
#TLS_KEY=${PEM_COPIES}/privkey.pem

# In the place of TLS_CERT: a proxy on this machine that speaks TLS and sets CF-Connecting-IP; STARTTLS stays here.
#ALLOW_HTTP=true
#TRUST_CLIENT_ADDRESS=true
#SMTP_TLS_CERT=${PEM_COPIES}/fullchain.pem
#SMTP_TLS_KEY=${PEM_COPIES}/privkey.pem

# The relay for outgoing mail, and the key that signs it.
#SMTP_URL=smtp://user:password@relay.example:587
#DKIM_SELECTOR=mk1
#DKIM_PRIVATE_KEY=${PEM_COPIES}/dkim.pem

# Where the nightly backup goes. Another disk needs ReadWritePaths= too: systemctl edit mailkeep-backup.service
#BACKUP_DIR=${BACKUP_DIR}
# Encrypts the backup to an age recipient. Only then does it have these settings, the certificates and secrets.json.
#BACKUP_RECIPIENT=age1...

# Where the units keep the data and listen, for commands that you run by hand: mailkeep-server doctor --env-file ${SETTINGS_FILE}
# To listen elsewhere, run "mailkeep-server serve --install" with --http or --smtp; then change these lines too.
DATA_DIR=${DATA_DIR}
ACME_WEBROOT=${ACME_WEBROOT}
${listens.join("\n")}
`;
}
