// Stands for `@modelcontextprotocol/server/_shims` in the script that is deployed (`alias` in wrangler.jsonc): a validator of JSON
// Schema of 7 KiB, compressed, with which the library checks what people fill into forms that a server shows them. No tool here
// shows a form; inputs are read by zod.

/** Refuses to validate. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("A form was sent to a client; this server sends none");
  }
}
