/** Stands for the origin of a deployment in the documents that the build writes: OpenAPI and the reference page. */
export const ANY_ORIGIN = "https://any-origin.invalid";
