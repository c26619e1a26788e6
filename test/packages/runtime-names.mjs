// Prints the names of everything global that this Node has, and of their static members: `URL`, `URL.parse`.
const names = Object.getOwnPropertyNames(globalThis).flatMap((name) => {
  const value = globalThis[name];
  if (value === null || !["function", "object"].includes(typeof value)) return [name];
  return [name, ...Object.getOwnPropertyNames(value).map((member) => `${name}.${member}`)];
});
console.log(JSON.stringify(names));
