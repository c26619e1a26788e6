/** A reason to stop that the operator can remove. It is printed without a stack, one line for each fault, with exit code 1. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
