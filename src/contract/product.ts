import packageJson from "../../package.json" with { type: "json" };

/** The name and version that clients see. */
export const PRODUCT = packageJson.name;
export const VERSION = packageJson.version;

/** The name that people read. */
export const PRODUCT_NAME = "Mailkeep";

/** The User-Agent of the SMTP listener's calls to the worker. */
export const LISTENER_AGENT = `${PRODUCT}-smtp/${VERSION}`;
