import packageJson from "../../package.json" with { type: "json" };

/** The name and version that clients see. */
export const PRODUCT = packageJson.name;
export const VERSION = packageJson.version;

/** The name that people read. */
export const PRODUCT_NAME = "Mailkeep";
