// Stands for the modules of zod that make JSON Schemas, in the script that is deployed (`alias` in wrangler.jsonc): they have 6 KiB,
// compressed. The build makes the JSON Schemas (`scripts/documents.ts`); the script reads them as static assets.

function unused(): never {
  throw new Error("The script makes no JSON Schemas; scripts/documents.ts does");
}

/** Makes the method of a schema that makes its JSON Schema. */
const unusedMethod = (): typeof unused => unused;

export {
  unused as aggregateChecks,
  unused as anyProcessor,
  unused as arrayProcessor,
  unused as bigintProcessor,
  unused as booleanProcessor,
  unused as catchProcessor,
  unused as customProcessor,
  unused as dateProcessor,
  unused as defaultProcessor,
  unused as enumProcessor,
  unused as fileProcessor,
  unused as functionProcessor,
  unused as intersectionProcessor,
  unused as lazyProcessor,
  unused as literalProcessor,
  unused as mapProcessor,
  unused as nanProcessor,
  unused as neverProcessor,
  unused as nonoptionalProcessor,
  unused as nullProcessor,
  unused as nullableProcessor,
  unused as numberProcessor,
  unused as objectProcessor,
  unused as optionalProcessor,
  unused as pipeProcessor,
  unused as prefaultProcessor,
  unused as promiseProcessor,
  unused as readonlyProcessor,
  unused as recordProcessor,
  unused as setProcessor,
  unused as stringProcessor,
  unused as successProcessor,
  unused as symbolProcessor,
  unused as templateLiteralProcessor,
  unused as transformProcessor,
  unused as tupleProcessor,
  unused as undefinedProcessor,
  unused as unionProcessor,
  unused as unknownProcessor,
  unused as voidProcessor,
  unused as toJSONSchema,
  unusedMethod as createStandardJSONSchemaMethod,
  unusedMethod as createToJSONSchemaMethod,
};
