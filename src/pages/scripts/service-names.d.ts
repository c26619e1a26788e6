// The client's types come from the route table, which leads the compiler into code of the service. That code runs where Buffer
// exists; scripts of the pages do not.
declare const Buffer: { byteLength(text: string): number };
