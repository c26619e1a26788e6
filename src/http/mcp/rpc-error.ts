/** The codes of JSON-RPC 2.0 §5.1, and those that the Model Context Protocol adds. */
export const RPC_CODE = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** A code that JSON-RPC leaves to servers. */
  serverError: -32_000,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

/** An error that a method throws and the client is told. HTTP says 200, unless `status` says otherwise. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly status: number;

  constructor(
    code: number,
    message: string,
    { data, status = 200 }: { data?: unknown; status?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** The error of parameters that a method does not take. */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(RPC_CODE.invalidParams, message, { data });
}

/** The error of a resource that is not there. */
export function resourceNotFound(uri: string): RpcError {
  return invalidParams(`Resource not found: ${uri}`, { uri });
}
