import { OPERATORS } from "../contract/scope.ts";
import type { Access } from "../mailbox/account/access.ts";

/** What the operator may do to a mailbox whatever its state. Only for who proved to be the operator. */
export const AS_OPERATOR: Access = {
  credential: { kind: "operator" },
  scopes: OPERATORS,
  foreign: false,
  whilePaused: true,
  fault: null,
  upgradeUrl: "",
};
