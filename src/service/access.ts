import { OPERATORS } from "../contract/scope.ts";
import type { Access } from "../mailbox/account/access.ts";

/** The access of the operator, whatever the state of the mailbox. Only for a caller who proved to be the operator. */
export const AS_OPERATOR: Access = {
  credential: { kind: "operator" },
  scopes: OPERATORS,
  foreign: false,
  whilePaused: true,
  fault: null,
  upgradeUrl: "",
};

/** The access of a caller for a later call of the same request: only the first call counts against its rate limit. */
export function counted(access: Access): Access {
  return { ...access, isCounted: true };
}
