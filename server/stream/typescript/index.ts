// A client of cairn's stream protocol (stream/FORMAT.md). It depends on nothing.

export * from "./client.ts";
export { CorruptError, Decoder, encode, Schema, cubeEdge, protocol } from "./frames.ts";
export type * from "./frames.ts";
