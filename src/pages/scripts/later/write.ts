/** The form to write a mail: loaded when it is first opened. */
export { composeView } from "../viewer/compose.ts";
