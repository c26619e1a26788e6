import packageJson from "../../package.json";

/** Name and version as clients see them. */
export const PRODUCT = packageJson.name;
export const VERSION = packageJson.version;

/** The name as people read it. */
export const PRODUCT_NAME = "Mailkeep";
