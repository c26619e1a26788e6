import { PRODUCT, PRODUCT_NAME, VERSION } from "../../contract/product.ts";

/** The name of the server, as clients see it. */
export const SERVER_INFO = { name: PRODUCT, title: PRODUCT_NAME, version: VERSION };
