/** A function that makes its value when it is first called and returns the same one from then on. */
export function lazy<Value extends NonNullable<unknown> | null>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
