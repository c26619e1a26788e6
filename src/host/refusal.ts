/** A reason not to start (or to go on) that the operator can mend: shown as one line, without a stack, exit code 1. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
